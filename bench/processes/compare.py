#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Messages between two processes: raw UCX, Imbrex and MPI in turn, several times, and a table of medians."""
import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys

PATIENCE_SECONDS = 120
PROGRAMS = ("ucx", "imbrex", "mpi")
LEGENDS = {
    "pingpong": "one way, us",
    "bandwidth": "MB/s (a MB is 1e6 bytes)",
    "rate": "million messages a second",
    "broadcast": "us for a broadcast to all elements and a reduction",
}

# Charm++ 8.0.1-devel (2025-09, production build, its UCX layer, affinity set) between two processes, measured
# earlier on the same kind of machine and not beside these runs: so they are printed as that.
CHARM = {
    "pingpong": {8: 0.74, 1024: 0.90, 65536: 13.1, 1048576: 118.0},
    "bandwidth": {},
    "rate": {8: 1 / 0.430},
    "broadcast": {10000: 423.0},
}


class Failed(Exception):
    """A program that did not measure."""


def newest_build():
    """The folder with the programs of the newest build of this tree; None if there is none."""
    builds = pathlib.Path(__file__).resolve().parents[2] / "build"
    programs = sorted(builds.glob("*/bin/processes_imbrex"), key=lambda path: path.stat().st_mtime)
    return programs[-1].parent if programs else None


def parse(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, allow_abbrev=False,
        epilog="All other options go to the programs, such as --largest 4096 or --payload given; "
               "processes_imbrex --help lists them.")
    parser.add_argument("--bench", choices=LEGENDS, default="pingpong", help="default %(default)s")
    parser.add_argument("--repeats", type=int, default=5, metavar="N",
                        help="how often each program is run, in turn (default %(default)s)")
    parser.add_argument("--programs", default=",".join(PROGRAMS), metavar="NAMES",
                        help="which, with commas between (default: all that are built)")
    parser.add_argument("--bin", type=pathlib.Path, default=newest_build(), metavar="FOLDER",
                        help="where the programs are (default: the newest build)")
    parser.add_argument("--json", action="store_true", help="print a JSON object instead of the table")
    options, options.rest = parser.parse_known_args(arguments)
    names = options.programs.split(",")
    if unknown := [name for name in names if name not in PROGRAMS]:
        parser.error(f"--programs '{options.programs}': there is no '{unknown[0]}'; choose from "
                     f"{', '.join(PROGRAMS)}")
    if options.repeats < 1:
        parser.error(f"--repeats {options.repeats}: give a number of at least 1")
    if options.bin is None:
        parser.error("nothing is built: cmake --preset release && cmake --build --preset release")
    if options.bench == "broadcast":
        names = ["imbrex"]
    options.programs = names
    return options


def command(program, options):
    """The command that starts a program, or None if the program is missing."""
    path = options.bin / f"processes_{program}"
    if not path.exists():
        return None
    run = [str(path), "--bench", options.bench, *options.rest]
    if program != "mpi":
        return [str(options.bin / "imbrex"), "run", "-n", "2", *run]
    mpirun = shutil.which("mpirun")
    if mpirun is None:
        return None
    version = subprocess.run([mpirun, "--version"], capture_output=True, text=True, check=False).stdout
    # By default Open MPI starts nothing for root. The programs bind themselves, all alike.
    permissions = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
    return [mpirun, *(permissions if "Open MPI" in version else []), "-n", "2", *run]


def measure(program, started):
    """The measurements of one run of a program: seconds per round, by size; and its window."""
    try:
        ended = subprocess.run(started, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                               timeout=PATIENCE_SECONDS, check=False)
    except subprocess.TimeoutExpired as late:
        raise Failed(f"{program} did not end in {PATIENCE_SECONDS} s: {' '.join(started)}") from late
    if ended.returncode != 0:
        raise Failed(f"{program} ended with status {ended.returncode}: {' '.join(started)}\n{ended.stderr}")
    line = json.loads(ended.stdout)
    if not all(point["checked"] for point in line["points"]):
        raise Failed(f"{program} did not check what arrived")
    return {point["size"]: point["seconds_per_round"] for point in line["points"]}, line["window"]


def figure(bench, size, seconds, window):
    """A round's seconds in the unit of the table."""
    return {"pingpong": seconds / 2 * 1e6, "bandwidth": size * window / seconds / 1e6,
            "rate": window / seconds / 1e6, "broadcast": seconds * 1e6}[bench]


def compare(options):
    """Runs all in turn; medians, and of each repeat's Imbrex over UCX the median as well."""
    commands = {name: command(name, options) for name in options.programs}
    for name in [name for name, started in commands.items() if started is None]:
        print(f"compare.py: without {name}, which was not built or has no mpirun", file=sys.stderr)
        del commands[name]
    if not commands:
        raise Failed(f"none of the programs is in {options.bin}")
    runs = {name: [] for name in commands}
    order = list(commands)
    window = 1
    for _ in range(options.repeats):
        for name in order:
            seconds, window = measure(name, commands[name])
            runs[name].append({size: figure(options.bench, size, s, window) for size, s in seconds.items()})
        order.append(order.pop(0))
    rows = []
    for size in runs[order[0]][0]:
        row = {"size": size}
        for name in commands:
            all_runs = [run[size] for run in runs[name]]
            row[name] = statistics.median(all_runs)
            row[name + "_range"] = [min(all_runs), max(all_runs)]
        if "ucx" in commands and "imbrex" in commands:
            pairs = [(ours[size], raw[size]) for ours, raw in zip(runs["imbrex"], runs["ucx"])]
            row["imbrex_over_ucx"] = statistics.median(ours / raw for ours, raw in pairs)
            if options.bench == "pingpong":
                row["imbrex_above_ucx_ns"] = statistics.median((ours - raw) * 1e3 for ours, raw in pairs)
        if size in CHARM[options.bench]:
            row["charm_elsewhere"] = CHARM[options.bench][size]
            if "imbrex" in commands:
                row["imbrex_over_charm"] = row["imbrex"] / row["charm_elsewhere"]
        rows.append(row)
    return {"bench": options.bench, "unit": LEGENDS[options.bench], "window": window,
            "repeats": options.repeats, "commands": {name: " ".join(c) for name, c in commands.items()},
            "rows": rows}


def table(result):
    """The lines of a table."""
    titles = {"size": "elements" if result["bench"] == "broadcast" else "bytes", "ucx": "UCX",
              "imbrex": "Imbrex", "mpi": "MPI", "imbrex_above_ucx_ns": "above UCX, ns",
              "imbrex_over_ucx": "Imbrex/UCX",
              "charm_elsewhere": "Charm++ *", "imbrex_over_charm": "Imbrex/*"}
    columns = [name for name in titles if any(name in row for row in result["rows"])]
    lines = [f"{result['bench']}: {result['unit']}; medians of {result['repeats']} runs in turn",
             "".join(f"{titles[name]:>15}" for name in columns)]
    for row in result["rows"]:
        cells = []
        for name in columns:
            digits = 0 if name.endswith("_ns") else 3
            value = row.get(name)
            cells.append("" if value is None else str(value) if name == "size" else f"{value:,.{digits}f}")
        lines.append("".join(f"{cell:>15}" for cell in cells))
    if "charm_elsewhere" in columns:
        lines.append("* Charm++ 8.0.1-devel over its UCX layer, measured earlier on the same kind of "
                     "machine, not beside these runs")
    return lines


def main(arguments):
    options = parse(arguments)
    try:
        result = compare(options)
    except Failed as failure:
        print(f"compare.py: error: {failure}", file=sys.stderr)
        return 1
    print(json.dumps(result) if options.json else "\n".join(table(result)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
