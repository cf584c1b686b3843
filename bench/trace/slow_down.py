#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""By how much a trace slows down a program whose work takes a known time: runs Jacobi3D with a trace and without one in
turn, and prints the median and the quartiles over the pairs, and how many records a second and PE there were."""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parents[1] / "build" / "release")
    parser.add_argument("--before", type=pathlib.Path, help="another jacobi3d, measured in the same turns")
    parser.add_argument("--pairs", type=int, default=24)
    parser.add_argument("--pes", type=int, default=1)
    asked = parser.parse_args()
    programs = {"this build": asked.build / "bin" / "jacobi3d"}
    if asked.before:
        programs["before"] = asked.before
    work = ["--pes", str(asked.pes), "--odf", str(8 // asked.pes), "--grid", "64,64,64", "--iters", "300",
            "--spin", "1900us"]
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        trace, told = f"{folder}/trace", f"{folder}/told"

        def iteration(program, *more):
            subprocess.run([program, *work, "--quiet", "--json", told, *more], check=True)
            return json.loads(pathlib.Path(told).read_text())["us_per_iter"]

        slower = {name: [] for name in programs}
        for pair in range(asked.pairs):
            for name, program in programs.items():
                turns = [["--trace", trace], []]
                if pair % 2:
                    turns.reverse()
                times = {bool(more): iteration(program, *more) for more in turns}
                slower[name].append(100 * (times[True] / times[False] - 1))
        report = subprocess.run([asked.build / "bin" / "imbrex", "trace", "report", trace, "--json"], check=True,
                                capture_output=True, text=True).stdout
        run = json.loads(report)["runs"][0]
    print(f"{run['records'] / run['length'] * 1e9 / asked.pes:.0f} records a second and PE")
    for name, parts in slower.items():
        first, median, third = statistics.quantiles(parts, n=4)
        print(f"{name}: slower by {median:.2f} % in the median of {asked.pairs} pairs "
              f"(quartiles {first:.2f} and {third:.2f})")


if __name__ == "__main__":
    main()
