#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times what MPI programs do by Imbrex and by another MPI in turn, and prints both and their ratio.

usage: compare.py --bin build/release/bin [--only allreduce] [--turns 5]
"""
import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys

# bench, bytes, ranks, our places for them, rounds, at most how much of the other's time
ROWS = [
    ("latency", 8, 2, "--pes 1", 200_000, None),
    ("latency", 8, 2, "--pes 2", 20_000, None),
    ("latency", 8, 2, "-n 2 --pes 1", 20_000, None),
    ("latency", 1 << 20, 2, "--pes 2", 500, 0.6),
    ("latency", 1 << 20, 2, "-n 2 --pes 1", 500, 0.7),
    ("bw", 1 << 10, 2, "--pes 2", 500, None),
    ("bw", 1 << 20, 2, "-n 2 --pes 1", 20, None),
    ("mbw_mr", 8, 4, "--pes 2", 200, None),
    ("allreduce", 8, 16, "--pes 2", 2_000, 0.05),
    ("allreduce", 8, 16, "-n 2 --pes 1", 500, None),
    ("allreduce", 1 << 20, 4, "--pes 2", 30, None),
    ("alltoall", 8, 16, "--pes 2", 500, None),
    ("bcast", 8, 16, "--pes 2", 1_000, None),
    ("barrier", 0, 16, "--pes 2", 1_000, None),
]


def seconds(command):
    """The time of a round that a run of `measure` prints."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        sys.exit(f"compare.py: error: {' '.join(map(str, command))} ended with {done.returncode}:\n{done.stderr}")
    return json.loads(done.stdout.strip().splitlines()[-1])["seconds"]


def built(compiler, source, program):
    subprocess.run([compiler, "-O2", source, "-o", program], check=True)
    return program


def shown(time):
    return f"{1e6 * time:10.2f} us"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"))
    parser.add_argument("--turns", type=int, default=5, help="how often each runs; medians are compared")
    parser.add_argument("--only", help="the bench")
    parser.add_argument("--scale", type=float, default=1, help="of the rounds")
    options = parser.parse_args()
    launcher, compiler = shutil.which("mpirun"), shutil.which("mpicc")
    source = pathlib.Path(__file__).with_name("measure.c")
    own_program = built(options.bin / "imbrex-mpicc", source, options.bin / "mpi_measure")
    other = None
    if launcher is None or compiler is None:
        print("there is no other MPI (apt-get install libopenmpi-dev): only ours is timed")
    else:
        rival = built(compiler, source, options.bin / "mpi_measure_rival")
        other = [launcher, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
    print(f"{'bench':<10} {'bytes':>8} {'ranks':>5}  {'places':<14} {'Imbrex':>13} {'other MPI':>13}   ratio  goal")
    missed = 0
    for bench, size, ranks, places, rounds, goal in ROWS:
        if options.only not in (None, bench):
            continue
        rounds = max(1, int(rounds * options.scale))
        ours, others = [], []
        for _ in range(options.turns):
            ours.append(seconds([options.bin / "imbrex", "run", *places.split(), "--ranks", ranks,
                                 own_program, bench, size, rounds]))
            if other:
                others.append(seconds([*other, "-n", ranks, rival, bench, size, rounds]))
        own = statistics.median(ours)
        line = f"{bench:<10} {size:>8} {ranks:>5}  {places:<14} {shown(own)}"
        if other:
            ratio = own / statistics.median(others)
            line += f" {shown(statistics.median(others))} {ratio:7.3f}"
            if goal is not None:
                line += f"  <= {goal}: {'reached' if ratio <= goal else 'missed'}"
                missed += ratio > goal
        print(line, flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
