#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the soak, and asks its processes for reports by SIGQUIT at random moments. The soak checks its own traffic.

usage: asked_soak.py IMBREX SOAK REPORTS [SEED]
"""
import json
import random
import re
import signal
import subprocess
import sys
import threading
import time

PROCESSES = 3
GAP = 2.1    # seconds after which another SIGQUIT to a process asks for another report, and does not end it
LIMIT = 60   # seconds that nothing here takes unless it hangs
EXPECTED = re.compile(r"imbrex: warning: 6 PEs share \d+ processors")
REPORT = re.compile(r"imbrex: report of process (\d) of 3 \(pid \d+\):")


class Errors:
    """The lines of standard error, read as they come: reports are counted by process, and complaints are kept."""

    def __init__(self, pipe):
        self.reports, self.others = [0] * PROCESSES, []
        self.changed = threading.Condition()
        self.reader = threading.Thread(target=self.read, args=(pipe,))
        self.reader.start()

    def read(self, pipe):
        for line in pipe:
            with self.changed:
                if found := REPORT.match(line):
                    self.reports[int(found[1])] += 1
                elif line.startswith("imbrex") and not EXPECTED.match(line):
                    self.others.append(line)
                self.changed.notify_all()

    def wait_for(self, process, count):
        with self.changed:
            if not self.changed.wait_for(lambda: self.reports[process] >= count, LIMIT):
                raise AssertionError(f"report {count} of process {process} has not come: {self.others}")


def processes_of(imbrex, launcher):
    """The process ids of the job, once all of its processes run."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        done = subprocess.run([imbrex, "who", "--json", str(launcher)], capture_output=True, text=True, timeout=LIMIT)
        if done.returncode == 0:
            found = {each["process"]: each["pid"] for each in json.loads(done.stdout)["processes"]}
            if len(found) == PROCESSES:
                return [found[process] for process in range(PROCESSES)]
    raise AssertionError(f"the job has not {PROCESSES} processes that answer: {done}")


def main():
    imbrex, soak, reports = sys.argv[1], sys.argv[2], int(sys.argv[3])
    seed = sys.argv[4] if len(sys.argv) > 4 else "1"
    generator = random.Random(seed)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)  # a shell lets commands in the background ignore it
    turns = -(-reports // PROCESSES)
    seconds = str(int(GAP * (turns * 1.25 + 3)))  # with room for a loaded host
    job = subprocess.Popen([imbrex, "run", "-n", str(PROCESSES), soak, seconds, seed, "--pes", "2"],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    errors = Errors(job.stderr)
    try:
        pids = processes_of(imbrex, job.pid)
        for turn in range(1, turns + 1):
            for process in generator.sample(range(PROCESSES), PROCESSES):
                time.sleep(generator.random() / 50)  # the moments are what is tested
                subprocess.run(["kill", "-QUIT", str(pids[process])], check=True)
            for process in range(PROCESSES):
                errors.wait_for(process, turn)
            time.sleep(GAP)
        output = job.stdout.read()
        status = job.wait(float(seconds) + LIMIT)
    finally:
        job.kill()
        job.wait()
        errors.reader.join(LIMIT)
    assert status == 0, (status, output, errors.others)
    assert not errors.others, errors.others
    print(f"asked_soak.py: {sum(errors.reports)} reports, and the traffic was right: {output.strip()}")


if __name__ == "__main__":
    main()
