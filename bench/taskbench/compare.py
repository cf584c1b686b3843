#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the minimum effective task granularity (METG) of Imbrex, MPI and OpenMP by Task Bench's official core.

METG(50 %) is the time of a task, in which a system still reaches half of the machine's rate (Slaughter et al., SC
2020). For each dependence pattern all systems run tasks of the same sizes, in turn. The rate of the machine is the
greatest that any of them reaches.

usage: compare.py --core FOLDER [--bin FOLDER] [--short] [--pes N,...] [--columns N,...] [--json FILE]

    --core    the repository of Task Bench (https://github.com/StanfordLegion/task-bench), which is copied
    --bin     the programs of a build with -DIMBREX_TASK_BENCH=FOLDER (default build/release/bin)
    --short   three patterns, each system once
    --pes     numbers of processors (default 1 and all)
    --columns columns of the task graph for each processor (default 1,4)
    --json    file of results (default none)
"""
import argparse
import dataclasses
import datetime
import itertools
import json
import math
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

PATTERNS = ["trivial", "no_comm", "stencil_1d", "stencil_1d_periodic", "dom", "tree", "fft", "all_to_all", "nearest",
            "spread", "random_nearest"]
SHORT_PATTERNS = ["stencil_1d", "fft", "nearest"]
GRAINS = [1 << k for k in range(0, 19, 2)]  # iterations of the core's kernel compute_bound
OPTIONS = {"nearest": ["-radix", "3"], "spread": ["-radix", "2", "-period", "2"],
           "random_nearest": ["-radix", "3", "-period", "3"]}
NEEDS_SEVERAL_COLUMNS = {"stencil_1d_periodic", "fft", "spread"}
LIMIT = 120  # seconds that no run takes unless it hangs


@dataclasses.dataclass
class System:
    name: str
    words: list
    variables: dict


@dataclasses.dataclass
class Run:
    seconds: float
    tasks: int
    flops: float  # a second


def systems_of(core, programs, pes):
    """The systems that can be run here on `pes` processors."""
    imbrex = str(programs / "taskbench_imbrex")
    found = [System("imbrex", [imbrex], {"IMBREX_OPTIONS": f"--pes {pes}"})]
    if pes > 1:
        found.append(System("imbrex, processes", [str(programs / "imbrex"), "run", "-n", str(pes), imbrex],
                            {"IMBREX_OPTIONS": "--pes 1"}))
    mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(pes)]
    for name, program in (("mpi", core / "mpi/nonblock"), ("mpi, bulk synchronous", core / "mpi/bulk_synchronous")):
        if program.exists():
            found.append(System(name, [*mpirun, str(program)], {}))
    if (core / "openmp/main").exists():
        found.append(System("openmp", [str(core / "openmp/main")],
                            {"OMP_NUM_THREADS": str(pes), "LD_LIBRARY_PATH": str(core / "core")}))
    return found


def build(repository, folder):
    """Builds the core and the drivers of MPI and OpenMP in a copy; says which driver cannot be built."""
    core = folder / "task-bench"
    shutil.copytree(repository, core, ignore=shutil.ignore_patterns(".git"))
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    subprocess.run(["make", "-C", core / "core"], check=True, **quiet)
    for name, needs, goals in (("mpi", "mpicxx", ["nonblock", "bulk_synchronous"]), ("openmp", "g++", ["main"])):
        if shutil.which(needs) is None:
            print(f"{name}: left out, {needs} is missing")
            continue
        made = subprocess.run(["make", "-C", core / name, *goals], **quiet)
        if made.returncode != 0:
            print(f"{name}: left out, its driver cannot be built: {made.stderr.strip().splitlines()[-1]}")
    return core


def run_once(system, pattern, width, grain, steps):
    options = ["-steps", str(steps), "-width", str(width), "-type", pattern, "-kernel", "compute_bound", "-iter",
               str(grain), *OPTIONS.get(pattern, [])]
    ended = subprocess.run([*system.words, *options], capture_output=True, text=True, timeout=LIMIT,
                           env={**os.environ, **system.variables})
    if ended.returncode != 0:
        raise RuntimeError(f"{system.name} {' '.join(options)} ended with {ended.returncode}:\n{ended.stderr}")
    figures = {name: float(re.search(rf"{name} ([-+.e\d]+)", ended.stdout)[1])
               for name in ("Elapsed Time", "Total Tasks", "FLOP/s")}
    return Run(figures["Elapsed Time"], int(figures["Total Tasks"]), figures["FLOP/s"])


def steps_for(grain, columns, seconds):
    """Steps that take about that time, as a task takes some 50 ns for each iteration, and at least 1 us."""
    return max(10, min(20_000, int(seconds / max(1e-6, 50e-9 * grain) / columns)))


def granularity(runs, pes, peak):
    """METG(50 %) in seconds: between the grains where the rate passes half of the peak. None if no grain reaches it."""
    points = [(run.seconds * pes / run.tasks, run.flops / peak) for _, run in sorted(runs.items())]
    if points[0][1] >= 0.5:
        return points[0][0]
    for (time, share), (next_time, next_share) in zip(points, points[1:]):
        if share < 0.5 <= next_share:
            part = (0.5 - share) / (next_share - share)
            return math.exp(math.log(time) + part * (math.log(next_time) - math.log(time)))
    return None


def compare(core, programs, pes, columns, pattern, rounds, seconds):
    """METG(50 %) by system, as the median of the rounds."""
    systems = systems_of(core, programs, pes)
    found = {system.name: [] for system in systems}
    for _ in range(rounds):
        runs = {system.name: {} for system in systems}
        for grain in GRAINS:
            for system in systems:
                runs[system.name][grain] = run_once(system, pattern, pes * columns, grain,
                                                    steps_for(grain, columns, seconds))
        peak = max(run.flops for each in runs.values() for run in each.values())
        for name, each in runs.items():
            found[name].append(granularity(each, pes, peak))
    return {name: None if None in values else statistics.median(values) for name, values in found.items()}


def commit():
    here = pathlib.Path(__file__).resolve().parent
    ended = subprocess.run(["git", "-C", here, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return ended.stdout.strip() or "unknown"


def processor():
    with open("/proc/cpuinfo") as lines:
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--core", type=pathlib.Path, required=True)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"))
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--pes", default=f"1,{len(os.sched_getaffinity(0))}")
    parser.add_argument("--columns", default="1,4")
    parser.add_argument("--json", type=pathlib.Path)
    given = parser.parse_args()
    if not (given.core / "core/core.h").exists():
        sys.exit(f"compare.py: --core {given.core}: no repository of Task Bench, which has core/core.h")
    if not (given.bin / "taskbench_imbrex").exists():
        sys.exit(f"compare.py: --bin {given.bin}: no taskbench_imbrex; configure with -DIMBREX_TASK_BENCH="
                 f"{given.core.resolve()} and build taskbench_imbrex")
    rows = []
    with tempfile.TemporaryDirectory() as made:
        core = build(given.core, pathlib.Path(made))
        for pes, columns in itertools.product(*([int(text) for text in words.split(",")]
                                                for words in (given.pes, given.columns))):
            names = [system.name for system in systems_of(core, given.bin, pes)]
            print(f"\nMETG(50 %) in us, {pes} processors, {columns} columns for each\n{'pattern':20}" +
                  "".join(f"{name:>24}" for name in names))
            for pattern in SHORT_PATTERNS if given.short else PATTERNS:
                if pes * columns == 1 and pattern in NEEDS_SEVERAL_COLUMNS:
                    continue
                found = compare(core, given.bin, pes, columns, pattern, 1 if given.short else 3,
                                0.05 if given.short else 0.2)
                print(f"{pattern:20}" + "".join("{:>24}".format("none" if found[name] is None else
                                                                f"{found[name] * 1e6:.2f}") for name in names),
                      flush=True)
                rows += [{"pes": pes, "columns": columns, "pattern": pattern, "system": name,
                          "metg_us": value and value * 1e6} for name, value in found.items()]
    if given.json:
        given.json.write_text(json.dumps({
            "what": "METG(50 %) of Task Bench, kernel compute_bound",
            "machine": processor(), "commit": commit(), "date": datetime.date.today().isoformat(),
            "command": "bench/taskbench/compare.py " + " ".join(sys.argv[1:]), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
