# SPDX-License-Identifier: Apache-2.0
"""Processor time, of the user and the system in ms, of what a Python program pays before its first work: medians of
several starts in turn."""
import resource
import statistics
import subprocess
import sys

HELLO = """
import imbrex as ix
class Greeter(ix.Chare):
    @ix.entry
    def greet(self, name):
        return f"hello {name} from chare {self.where}"
async def main():
    for line in await ix.array(Greeter, 8).greet.reduce(ix.gather, "world"):
        print(line)
ix.run(main)
"""
PROGRAMS = {"python": "pass", "import numpy": "import numpy", "import imbrex": "import imbrex",
            "hello by 8 chares, start to end": HELLO}
STARTS = 15


def processor_time(code):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main():
    times = {name: [] for name in PROGRAMS}
    for _ in range(STARTS):
        for name, code in PROGRAMS.items():
            times[name].append(processor_time(code))
    for name, all_of in times.items():
        print(f"{name:32} {statistics.median(all_of):6.0f} ms")


main()
