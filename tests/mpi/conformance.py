#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs MPICH's own tests with our library, and prints for each of its lists how many pass, fail and are not built.

The sources of MPICH 4.0.2 come from Debian once (apt-get source); everything lies in the folder that is named. A test
passes as MPICH's own script judges: it ends with status 0 and says "No Errors" and nothing else, unless its list says
otherwise.

usage: conformance.py --folder build/mpich --bin build/release/bin [--lists attr,pt2pt] [--machines threads]
       conformance.py --folder build/mpich --bin build/release/bin --fortran    the lists of Fortran's interfaces
       conformance.py --folder build/other --compilers /usr/bin --runner 'mpirun --oversubscribe -np {ranks}'
"""
import argparse
import collections
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import threading
import time

LISTS = ["attr", "comm", "datatype", "errhan", "group", "info", "topo", "pt2pt", "coll", "rma", "io", "errors/io"]
FORTRAN_LISTS = [f"{interface}/{name}" for interface, names in {
    "f77": "attr coll comm datatype ext info init io pt2pt rma topo profile",
    "f90": "attr coll comm datatype ext f90types info init io misc pt2pt rma timer topo profile",
    "f08": "attr coll comm datatype ext info init io misc pt2pt rma subarray timer topo profile"}.items()
    for name in names.split()]
MACHINES = {
    "threads": "--pes 2 --ranks {ranks}",
    "processes": "-n 2 --pes 1 --ranks {ranks}",
    "deterministic": "--machine deterministic --seed {seed} --pes 2 --ranks {ranks}",
}
# On the deterministic machine only lists of little work, without random datatypes, but in many orders.
DETERMINISTIC_LISTS = {"attr", "group", "topo", "pt2pt"}
# At least this many, of all lists together: the requirement of MPICH's own tests.
WANTED = {("attr", "comm", "datatype", "errhan", "group", "info", "topo"): 172, ("pt2pt",): 65, ("coll",): 178,
          ("rma",): 150, ("io", "errors/io"): 32}
ONE_OF_FILES = threading.Lock()
Test = collections.namedtuple("Test", "list program ranks arguments environment judge limit")


def run(command, **options):
    print("+", command if isinstance(command, str) else shlex.join(map(str, command)), file=sys.stderr, flush=True)
    return subprocess.run(command, check=True, **options)


def fetch(folder):
    """MPICH's test/mpi, from Debian if it is not there yet."""
    found = list(folder.glob("mpich-*/test/mpi"))
    if found:
        return with_f08(found[0])
    (folder / "lists/partial").mkdir(parents=True, exist_ok=True)
    (folder / "sources.list").write_text("deb-src http://deb.debian.org/debian bookworm main\n")
    apt = ["apt-get", "-o", f"Dir::Etc::sourcelist={folder}/sources.list", "-o", "Dir::Etc::sourceparts=/dev/null",
           "-o", f"Dir::State::lists={folder}/lists"]
    run(apt + ["update", "-q"], stdout=subprocess.DEVNULL)
    run(apt + ["source", "-q", "--download-only", "mpich"], cwd=folder, stdout=subprocess.DEVNULL)
    archive = next(folder.glob("mpich_*.orig.tar.*"))
    run(["tar", "-xf", archive, "--wildcards", "*/test/mpi"], cwd=folder)
    return with_f08(next(folder.glob("mpich-*/test/mpi")))


def with_f08(source):
    """MPICH's script leaves out the programs of mpi_f08 where it does not test its own tree."""
    script = source / "configure"
    text = script.read_text()
    script.write_text(text.replace('"$enable_f08" = "yes" -a "$FROM_MPICH" = "yes"', '"$enable_f08" = "yes"'))
    return source


def build(folder, source, compilers, lists, jobs, fortran):
    """Configures and builds the programs of the lists; returns the folder where they lie."""
    tree = folder / ("tests_fortran" if fortran else "tests")
    if not (tree / "Makefile").exists():
        tree.mkdir(exist_ok=True)
        with open(folder / "configure.log", "w") as log:
            run([source.resolve() / "configure", f"--with-mpi={compilers.parent.resolve()}", "--disable-cxx",
                 "--enable-fortran=all" if fortran else "--disable-fortran", "--disable-spawn",
                 "--enable-threads=funneled",
                 "--without-cuda", "--without-ze", "--without-hip"],
                cwd=tree, stdout=log, stderr=log)
    with open(folder / "build.log", "w") as log:
        for part in ["dtpools", "util"] + lists:
            # A program that does not build is counted; the others are still wanted, also what "all" leaves out.
            programs = {test.program for test in tests_of(tree, part, False)}
            subprocess.run(["make", "-k", f"-j{jobs}", "all", *sorted(programs)], cwd=tree / part, stdout=log,
                           stderr=log)
    return tree


def tests_of(tree, name, with_random_types):
    """The lines of a list and of those that its configuration adds."""
    for file in ("testlist", "testlist.dtp") if with_random_types else ("testlist",):
        path = tree / name / file
        if not path.exists():
            path = next((tree.parent.glob(f"mpich-*/test/mpi/{name}/{file}")), None)
        if path is None:
            continue
        for line in path.read_text().splitlines():
            words = line.split("#")[0].split()
            if not words:
                continue
            settings = collections.defaultdict(list)
            for word in words[2:]:
                key, _, value = word.partition("=")
                settings[key].append(value)
            environment = dict(value.partition("=")[::2] for value in settings["env"])
            yield Test(name, words[0], int(words[1]) if len(words) > 1 else 1, settings["arg"], environment,
                       (settings["resultTest"] or ["TestNoErrors"])[0], float((settings["timeLimit"] or [0])[0]))


def passes(test, status, output):
    """As MPICH's runtests judges."""
    if test.judge in ("TestStatus", "TestErrFatal"):
        return status != 0
    # A test of one rank leaves the second process without one, which the runtime tells.
    lines = [line.strip() for line in output.splitlines() if line.strip() and
             not line.startswith("imbrex: warning: --ranks ")]
    is_clean = "no errors" in (line.lower() for line in lines) and all(
        line.lower() in ("no errors", "test passed") for line in lines)
    return is_clean and (status != 0 if test.judge == "TestStatusNoErrors" else status == 0)


def execute(tree, test, command, limit):
    """Runs a test: "passed", or what went wrong. Tests of files use names in common: one at a time."""
    with ONE_OF_FILES if test.list.endswith("io") else contextlib.nullcontext():
        return execute_now(tree, test, command, limit)


def execute_now(tree, test, command, limit):
    program = tree / test.list / test.program
    if not os.access(program, os.X_OK):
        return "not built", ""
    process = subprocess.Popen(command + [f"./{test.program}"] + test.arguments, cwd=tree / test.list,
                               env=os.environ | test.environment, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output = process.communicate(timeout=max(limit, test.limit))[0].decode(errors="replace")
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return "hung", process.communicate()[0].decode(errors="replace")
    return ("passed" if passes(test, process.returncode, output) else "failed"), output


def report(machine, results):
    """One line a list, then the sums that are wanted; returns whether they are reached."""
    counts = collections.defaultdict(collections.Counter)
    for name, outcome in results:
        counts[name][outcome] += 1
    for name, count in counts.items():
        print(f"{machine:<16} {name:<12} {count['passed']:>4} passed {count['failed']:>4} failed "
              f"{count['hung']:>4} hung {count['not built']:>4} not built", flush=True)
    reached = True
    for group, wanted in WANTED.items():
        if all(name in counts for name in group):
            passed = sum(counts[name]["passed"] for name in group)
            print(f"{machine:<16} {'+'.join(group)}: {passed} passed, at least {wanted} wanted")
            reached = reached and passed >= wanted
    return reached and not any(count["hung"] for count in counts.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="where sources and programs lie")
    parser.add_argument("--bin", type=pathlib.Path, help="the folder of imbrex and imbrex-mpicc")
    parser.add_argument("--compilers", type=pathlib.Path, help="the folder of another MPI's mpicc")
    parser.add_argument("--runner", help="the command of another MPI, with {ranks}")
    parser.add_argument("--lists", help="lists of tests, separated by commas (default all)")
    parser.add_argument("--fortran", action="store_true", help="the lists of f77, f90 and f08")
    parser.add_argument("--machines", default=",".join(MACHINES))
    parser.add_argument("--seeds", type=int, default=20, help="of the deterministic machine")
    parser.add_argument("--limit", type=float, default=120, help="seconds a test")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", help="a regular expression of programs")
    arguments = parser.parse_args()
    if (arguments.bin is None) == (arguments.compilers is None or arguments.runner is None):
        parser.error("give --bin, or --compilers and --runner")
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    compilers = arguments.compilers
    if arguments.bin:
        compilers = arguments.bin.parent / "lib/imbrex/mpi/bin"  # by the names that configure searches for
    lists = arguments.lists.split(",") if arguments.lists else FORTRAN_LISTS if arguments.fortran else LISTS
    tree = build(folder, fetch(folder), compilers, lists, arguments.jobs, arguments.fortran)

    machines = {"other": arguments.runner}
    if arguments.bin:
        runner = f"{shlex.quote(str((arguments.bin / 'imbrex').resolve()))} run "
        machines = {name: runner + MACHINES[name] for name in arguments.machines.split(",")}
    reached = True
    for machine, template in machines.items():
        seeds = range(1, arguments.seeds + 1) if "{seed}" in template else [0]
        for seed in seeds:
            chosen = [test for name in lists for test in tests_of(tree, name, machine != "deterministic")
                      if machine != "deterministic" or name in DETERMINISTIC_LISTS]
            if arguments.only:
                chosen = [test for test in chosen if re.search(arguments.only, test.program)]
            began = time.monotonic()
            with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
                outcomes = list(pool.map(
                    lambda test: execute(tree, test, shlex.split(template.format(ranks=test.ranks, seed=seed)),
                                         arguments.limit), chosen))
            label = f"{machine}.{seed}" if "{seed}" in template else machine
            log = [test._asdict() | {"outcome": outcome, "output": output[-4000:]}
                   for test, (outcome, output) in zip(chosen, outcomes)]
            (folder / f"{label}.json").write_text(json.dumps(log, indent=1))
            reached &= report(label, [(test.list, outcome) for test, (outcome, _) in zip(chosen, outcomes)])
            for test, (outcome, _) in zip(chosen, outcomes):
                if outcome in ("failed", "hung"):
                    print(f"  {outcome}: {test.list}/{test.program} {test.ranks} {' '.join(test.arguments)}")
            print(f"{label}: {time.monotonic() - began:.0f} s; outputs in {folder}/{label}.json", flush=True)
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
