#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All sizes of some benches side by side, raw UCX and MPI beside them where they are built, the gains over host
staging in the form of table 4.1 of Choi 2022, and charts. What follows -- goes to osu.
    bench/osu/table.py --svg build -- --machine simulated --device-model summit --no-data --pes 2
    bench/osu/table.py --ranks --svg build -- --machine simulated --device-model summit --no-data --pes 2
    bench/osu/table.py --beside -- --memory host --pes 2
"""
import argparse
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "bench/papers"), str(ROOT / "bench/processes")]

import compare  # noqa: E402
from plot import chart  # noqa: E402
from simulate import FILE, Runner, RunFailed, lines_with  # noqa: E402

UNITS = {"latency": "us", "bandwidth": "GB/s", "bidirectional": "GB/s", "multi-pair": "GB/s",
         "rate": "million messages a second"}
# Names and units of the programs of bench/processes for our benches.
RAW = {"latency": ("pingpong", 1), "bandwidth": ("bandwidth", 1e-3), "rate": ("rate", 1e-6)}
EAGER = 8  # bytes


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=str(ROOT / "build/release/bin"), help="where the programs are")
    parser.add_argument("--bench", default="latency,bandwidth", help="of osu, with commas between them")
    parser.add_argument("--beside", action="store_true",
                        help="also raw UCX and MPI, between two processes, in host memory")
    parser.add_argument("--ranks", action="store_true", help="also ranks of MPI, one on each PE, by osu_ranks")
    parser.add_argument("--svg", metavar="FOLDER", help="where charts are written")
    parser.add_argument("osu", nargs="*", help="options of osu")
    return parser.parse_args(words)


def measured(options):
    """{bench: {column: {bytes: value}}}."""
    found = {}
    for line in lines_of(options, ["osu", *options.osu, "--bench", options.bench]):
        found.setdefault(line["bench"], {}).setdefault(line["way"], {})[line["bytes"]] = line["value"]
    if options.ranks:
        for line in lines_of(options, by_ranks(options)):
            found[line["bench"]].setdefault(line["way"], {})[line["bytes"]] = line["value"]
    if options.beside:
        for bench, columns in found.items():
            columns.update(raw(options, bench))
    return found


# Options of osu that are the program's own, not the runtime's.
OWN = {"--memory", "--smallest", "--largest", "--window", "--distance", "--rounds", "--check"}


def lines_of(options, command):
    """The lines that a program writes."""
    try:
        return Runner(options.bin).run([*command, "--quiet", "--json", FILE],
                                       lines_with("bench", "way", "bytes", "value"))["output"]
    except RunFailed as error:
        raise SystemExit(str(error)) from error


def by_ranks(options):
    """The command that measures the same between ranks of MPI."""
    words = list(options.osu)
    runtime, own, pes = [], [], 2
    while words:
        word = words.pop(0)
        given = [word] + ([words.pop(0)] if words and not words[0].startswith("--") else [])
        if word == "--pes":
            pes = int(given[1])
        (own if word in OWN else runtime).extend(given)
    if "--memory" not in own and any(word in runtime for word in ("--device", "--device-model")):
        own += ["--memory", "device"]
    benches = [bench for bench in options.bench.split(",") if bench in ("latency", "bandwidth", "bidirectional")]
    return ["imbrex", "run", "--ranks", pes, *runtime, "osu_ranks", *own,
            "--bench", ",".join(benches)]


def raw(options, bench):
    """{program: {bytes: value}} of UCX and MPI, where they are."""
    if bench not in RAW:
        return {}
    name, unit = RAW[bench]
    asked = compare.parse(["--bin", options.bin, "--bench", name])
    columns = {}
    for program in ("ucx", "mpi"):
        started = compare.command(program, asked)
        if started is None:
            continue
        seconds, window = compare.measure(program, started)
        columns["raw " + program] = {size: compare.figure(name, size, s, window) * unit
                                     for size, s in seconds.items()}
    return columns


def side_by_side(bench, columns):
    lines = [f"\n{bench}, {UNITS[bench]}\n", "| bytes | " + " | ".join(columns) + " |",
             "|---" * (len(columns) + 1) + "|"]
    for size in sorted({size for column in columns.values() for size in column}):
        cells = [f"{column[size]:.4g}" if size in column else "" for column in columns.values()]
        lines.append(f"| {size} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def improvements(found):
    """The paper's table 4.1, with a column for each way, beside the staging of its kind."""
    ways = {way: staging for way, staging in (("message", "staging"), ("channel", "staging"),
                                              ("persistent", "staging"), ("mpi", "mpi-staging"))
            if all(way in columns and staging in columns for columns in found.values())}
    rows = []
    for bench, columns in found.items():
        gains = {way: {size: columns[staging][size] / columns[way][size] if bench == "latency" else
                       columns[way][size] / columns[staging][size] for size in columns[way]}
                 for way, staging in ways.items()}
        spread = [f"{min(gains[way].values()):.1f}x - {max(gains[way].values()):.1f}x" for way in ways]
        rows.append([bench, "range", *spread])
        if bench == "latency" and all(EAGER in gains[way] for way in ways):
            rows.append([bench, "eager", *(f"{gains[way][EAGER]:.1f}x" for way in ways)])
    lines = ["\nover host staging\n", "| improvement | type | " + " | ".join(ways) + " |",
             "|---" * (len(ways) + 2) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def main(words):
    options = parse(words)
    found = measured(options)
    for bench, columns in found.items():
        print(side_by_side(bench, columns))
        if options.svg:
            folder = pathlib.Path(options.svg)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"osu-{bench}.svg").write_text(chart(f"{bench}: {' '.join(options.osu)}", "bytes",
                                                           UNITS[bench], columns))
    if all("staging" in columns for columns in found.values()):
        print(improvements(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
