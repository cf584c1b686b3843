#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs whose work moves about, without balancing and with, in turn: medians of their times, and of the ratio."""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import tempfile

PROGRAMS = {
    "pic": "pic --steps 400 --odf 16",
    "minimd": "minimd --size 64 --droplet 16 --odf 16 --steps 800 --thermo 0",
    "moldyn": "moldyn --model torus --particles 80000 --filled 1/2 --cycles 200 --odf 16",
    "jacobi3d-hot": "jacobi3d --grid 128,128,128 --odf 16 --iters 400 --hot-blocks 1/6",
    "jacobi3d": "jacobi3d --grid 256,256,256 --odf 4 --iters 40",
}


def milliseconds(command):
    """The time of a step, from what the program writes."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "run"
        kind = "--yaml" if "--droplet" in command else "--json"  # minimd's JSON has no times
        subprocess.run([*command, kind, file, "--quiet"], check=True, timeout=600)
        if kind == "--yaml":
            found = dict(re.findall(r"^(seconds|steps): (.*)$", file.read_text(), re.MULTILINE))
            return float(found["seconds"]) * 1e3 / float(found["steps"])
        line = json.loads(file.read_text())
        for name, factor in {"us_per_iter": 1e-3, "ms_per_step": 1, "ms_per_cycle": 1}.items():
            if name in line:
                return line[name] * factor
    raise SystemExit(f"turns.py: {command[0]} has not told its time")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="*", default=list(PROGRAMS), help="of " + ", ".join(PROGRAMS))
    parser.add_argument("--build", type=pathlib.Path, default="build/release", help="the build folder")
    parser.add_argument("--pes", default="2")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--balance", default="auto", help="the strategy")
    parser.add_argument("--before", default="", help="a command before each program, such as 'nice -n -20'")
    options = parser.parse_args()
    for name in options.programs:
        if name not in PROGRAMS:
            parser.error(f"there is no program {name}: choose of " + ", ".join(PROGRAMS))
        words = PROGRAMS[name].split()
        command = [*options.before.split(), options.build / "bin" / words[0], *words[1:], "--pes", options.pes]
        times = {"none": [], options.balance: []}
        for number in range(options.rounds):
            for strategy in list(times)[::1 if number % 2 == 0 else -1]:
                times[strategy].append(milliseconds([*map(str, command), "--balance", strategy]))
        ratios = [a / b for a, b in zip(times["none"], times[options.balance])]
        medians = ", ".join(f"{strategy} {statistics.median(each):.3f} ms" for strategy, each in times.items())
        print(f"{name}: {medians}, ratio {statistics.median(ratios):.3f} ({min(ratios):.2f} to {max(ratios):.2f})",
              flush=True)


if __name__ == "__main__":
    main()
