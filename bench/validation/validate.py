#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs over a delayed link beside the simulated machine with that link: how far the model is off.
    bench/validation/validate.py
    bench/validation/validate.py --processes --rounds 5
Two PEs, which are threads or processes, need a processor each: on a busy host, whose processors do not both do a second
of work in a second, nothing is run, and the status is 77. The times of the cells are fixed (`--spin`); the model knows
them and the link, and nothing else. An iteration's time is the difference of runs of N and 2N iterations, since the
beginning of a run varies. The status is 1 if the median of the errors is above 5 %, or the worst above 12 %.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MEDIAN, WORST = 0.05, 0.12
LATENCIES = ("20us", "200us", "2ms")
PROGRAMS = {
    "jacobi3d": (100, ["--grid", "48,48,48", "--spin", "2ms", "--warmup", "30"]),
    "sweep": (20, ["--grid", "32,32,32", "--angles-per-octant", "4", "--spin", "4ms", "--warmup", "12"]),
}


def spin(seconds):
    """The part of a time in which this process had a processor."""
    begin, used = time.monotonic(), time.process_time()
    while time.monotonic() < begin + seconds:
        pass
    return (time.process_time() - used) / (time.monotonic() - begin)


def is_busy():
    """True if two processes do not get a processor each."""
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        return min(pool.map(spin, (1, 1))) < 0.95


def totals_of(command, iterations, rounds):
    """{factor: microseconds of all iterations}, of the fastest of some runs."""
    totals = {}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "written"
            subprocess.run([*command, "--iters", str(iterations), "--quiet", "--json", str(file)], check=True,
                           stdin=subprocess.DEVNULL)
            for line in map(json.loads, file.read_text().splitlines()):
                total = line["us_per_iter"] * iterations
                totals[line["odf"]] = min(total, totals.get(line["odf"], total))
    return totals


def times_of(command, iterations, rounds=1):
    """{factor: microseconds of an iteration}."""
    once, twice = (totals_of(command, n, rounds) for n in (iterations, 2 * iterations))
    return {odf: (twice[odf] - once[odf]) / iterations for odf in once}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=str(ROOT / "build/release/bin"), help="where the programs are")
    parser.add_argument("--processes", action="store_true", help="two processes of one PE, instead of two threads")
    parser.add_argument("--rounds", type=int, default=3, help="runs of which the fastest counts (default 3)")
    parser.add_argument("--program", choices=PROGRAMS, action="append", help="this program only; may be repeated")
    parser.add_argument("--odf", default="1,2,4,8,16", help="factors (default 1,2,4,8,16)")
    options = parser.parse_args()
    if is_busy():
        print(f"this host is busy (load {os.getloadavg()[0]:.1f}): two processes do not get a processor each",
              file=sys.stderr)
        return 77
    folder = pathlib.Path(options.bin)
    errors = []
    print(f"processors {len(os.sched_getaffinity(0))}, load {os.getloadavg()[0]:.1f}, "
          f"{'processes' if options.processes else 'threads'}")
    print(f"{'program':>9} {'latency':>8} {'ODF':>4} {'run us':>9} {'model us':>9} {'error':>7}")
    for name in options.program or PROGRAMS:
        iterations, words = PROGRAMS[name]
        for latency in LATENCIES:
            link = ["--net-latency", latency, "--odf", options.odf]
            program = str(folder / name)
            run = [program, *words, *link]
            run = ([str(folder / "imbrex"), "run", "-n", "2", "--", *run, "--pes", "1"] if options.processes
                   else [*run, "--pes", "2"])
            runs = times_of(run, iterations, options.rounds)
            model = times_of([program, *words, *link, "--machine", "simulated", "--pes", "2"], iterations)
            for odf, expected in model.items():
                measured = runs[odf]
                errors.append(abs(expected / measured - 1))
                print(f"{name:>9} {latency:>8} {odf:>4} {measured:>9.1f} {expected:>9.1f} "
                      f"{100 * (expected / measured - 1):>+6.1f}%", flush=True)
    median, worst = statistics.median(errors), max(errors)
    print(f"median error {100 * median:.1f} %, worst {100 * worst:.1f} %, of {len(errors)}")
    return 0 if median <= MEDIAN and worst <= WORST else 1


if __name__ == "__main__":
    sys.exit(main())
