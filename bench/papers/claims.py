#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Quantitative claims of the papers beside what our programs do in simulated time.

    bench/papers/claims.py --tier A --jobs 2
    bench/papers/claims.py --id 'c5.6.*' --id c5.5a.61
    bench/papers/claims.py --write docs/claims.md
    bench/papers/claims.py --recorded --write docs/claims.md

The claims are those of claims.json. Each is run on the machine that it names, with one file for all claims of a
machine. The results of all runs are recorded in results.json, with the commit of the programs. --write renews the
record and makes the document from it, with drawings in the folder of its name. --recorded takes recorded results.
"""
import argparse
import concurrent.futures
import dataclasses
import fnmatch
import hashlib
import json
import pathlib
import sys

import document
# The claims' measures are registered by these.
import inside  # noqa: F401
import jacobi  # noqa: F401
import micro_benchmarks  # noqa: F401
import particles  # noqa: F401
from registry import CHARTS, MEASURES
from simulate import ROOT, Machine, RunFailed, Runner, machine_files, numbers_of

FOLDER = pathlib.Path(__file__).resolve().parent
CLAIMS = FOLDER / "claims.json"
RESULTS = FOLDER / "results.json"
TEMPLATE = FOLDER / "claims_document.md"


@dataclasses.dataclass
class Row:
    """A claim, how it came out, and the seconds of each run by its command."""

    claim: dict
    verdict: str
    points: list = dataclasses.field(default_factory=list)
    used: dict = dataclasses.field(default_factory=dict)
    why: str = ""
    # {cause: the row on the machine with that change}
    tried: dict = dataclasses.field(default_factory=dict)


def digest_of(name):
    """What the numbers of a machine's file are, without its comments."""
    text = json.dumps(numbers_of(machine_files()[name]), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tier", metavar="A[,B,C]", help="only claims of these tiers")
    parser.add_argument("--id", metavar="ID", action="append", help="only this claim, or those that match a pattern")
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="runs at a time (default 1)")
    parser.add_argument("--bin", metavar="FOLDER", default=str(ROOT / "build/release/bin"),
                        help="where the programs are (default build/release/bin)")
    parser.add_argument("--results", metavar="FILE", type=pathlib.Path, default=RESULTS,
                        help="the record of runs (default bench/papers/results.json)")
    parser.add_argument("--recorded", action="store_true", help="run only what results.json does not have")
    parser.add_argument("--causes", action="store_true",
                        help="try each named cause of a claim that misses, by changing it in the machine")
    parser.add_argument("--write", metavar="FILE", type=pathlib.Path,
                        help="make the document of all claims, and its drawings; tries the causes, too")
    options = parser.parse_args(words)
    if options.jobs < 1:
        parser.error(f"--jobs is {options.jobs}; give 1 or more")
    if options.write and (options.tier or options.id):
        parser.error("--write makes the document of all claims; leave out --tier and --id")
    return options, parser


def chosen(claims, options, parser):
    tiers = options.tier.split(",") if options.tier else ["A", "B", "C"]
    for tier in tiers:
        if tier not in "ABC":
            parser.error(f"--tier is {options.tier}; there are A, B and C")
    for pattern in options.id or []:
        if not any(fnmatch.fnmatchcase(claim["id"], pattern) for claim in claims):
            parser.error(f"no claim has the id {pattern}; bench/papers/claims.json lists them")
    return [claim for claim in claims if claim["tier"] in tiers
            and (not options.id or any(fnmatch.fnmatchcase(claim["id"], pattern) for pattern in options.id))]


def row_of(claim, machine):
    if "not_run" in claim:
        return Row(claim, "not run", why=claim["not_run"])
    try:
        points = MEASURES[claim["id"]](machine, claim)
    except RunFailed as error:
        return Row(claim, "failed", used=machine.used, why=str(error))
    return Row(claim, "holds" if all(point.holds for point in points) else "misses", points, machine.used)


def measured(claim, runner, causes):
    """The row of a claim, with all its causes if it misses."""
    row = row_of(claim, Machine(runner, claim["machine"]))
    if row.verdict == "misses":
        for name in claim.get("causes", []) if causes else []:
            row.tried[name] = row_of(claim, Machine(runner, claim["machine"], causes[name]["change"],
                                                    claim.get("nodes_of_causes")))
    return row


def all_rows(claims, runner, causes, jobs):
    """The row of each claim, in order. Claims wait for runs and not for each other."""
    with concurrent.futures.ThreadPoolExecutor(2 * jobs) as pool:
        yield from pool.map(lambda claim: measured(claim, runner, causes), claims)


def all_charts(runner):
    """The figures, each as its charts and the seconds of its runs by their commands."""
    figures = []
    for name, function in CHARTS:
        machine = Machine(runner, name)
        figures.append((function(machine), machine.used))
    return figures


def save(file, runs, machines):
    """Sorted, so that a renewal changes only the lines of runs that differ."""
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(record)}" for key, record in sorted(runs.items()))
    file.write_text(f'{{"machines": {json.dumps(machines)},\n"runs": {{\n{lines}\n}}}}\n')


def stale(results):
    """The machines whose file has changed since the record."""
    return [name for name, digest in results["machines"].items() if digest != digest_of(name)]


def write_document(file, rows, figures, causes, runs):
    commits = {record["commit"] for record in runs.values()}
    file.write_text(document.document(rows, figures, causes, TEMPLATE.read_text(), commits))
    document.draw([each for charts, _ in figures for each in charts], file.with_suffix(""))


def main(words):
    options, parser = parse(words)
    data = json.loads(CLAIMS.read_text())
    claims = chosen(data["claims"], options, parser)
    results = json.loads(options.results.read_text()) if options.results.exists() else {"machines": {}, "runs": {}}
    if options.recorded and stale(results):
        parser.error(f"{', '.join(stale(results))} has changed since the runs of {options.results.name}; "
                     f"leave out --recorded")
    runs = results["runs"] if options.recorded else {}
    renews = options.write is not None or options.results != RESULTS
    machines = {name: digest_of(name) for name in machine_files()}
    runner = Runner(options.bin, runs, options.jobs,
                    (lambda: save(options.results, runs, machines)) if renews else None)
    rows = []
    for row in all_rows(claims, runner, data["causes"] if options.causes or options.write else None, options.jobs):
        rows.append(row)
        print(document.lines_of(row), flush=True)
        for name, tried in row.tried.items():
            print(f"    with {data['causes'][name]['change']}: {tried.verdict}: "
                  f"{document.shown_points(tried, '!')}", flush=True)
    print(f"\n{document.summary(rows)}")
    if any(row.verdict == "failed" for row in rows):
        return 1
    if options.write:
        figures = all_charts(runner)
        used = {key for _, seconds in figures for key in seconds}
        used.update(key for row in rows for each in (row, *row.tried.values()) for key in each.used)
        runs = {key: record for key, record in runs.items() if key in used}
        save(options.results, runs, machines)
        write_document(options.write, rows, figures, data["causes"], runs)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
