#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the tables of folders and rooms in CONTRIBUTING.md and docs/architecture.md, and fails on a table that is old.

The order is that of check_layers.py, the highest folder first. The purposes stand here alone.

usage: layer_tables.py [--write] [repository root]
"""
import pathlib
import sys

from check_layers import LAYERS, ROOMS, SOURCES, room_of

# Folders below imbrex/, and the folders inside them that have sources.
FOLDERS = {
    "testing": "the test kit of the tree and of users: machines by name, texts of exceptions",
    "tools": "the command `imbrex`: the launcher, trace reports, replay, tuning, overlap models",
    "resident": "chares that live and are scheduled inside a GPU, with mailboxes in its memory",
    "cells": "elements that move between cells of space, and their copies around blocks of cells",
    "mpi": "programs of MPI: each rank is a chare with a stack of its own",
    "python": "the Python package: chares whose classes are Python's, and charm4py on top of them",
    "grid": "fields on grids that are cut into blocks, and the exchange of their ghost cells",
    "balance": "which PE each object should be on: problems, strategies, and when to act; the balancer of a run",
    "balance/driver": "the balancer of a run: measures elements, decides, moves them, and records",
    "io": "members of chares in HDF5 files",
    "checkpoint": "checkpoints: what a process writes, files of parts, manifests, folders",
    "checkpoint/driver": "the checkpoints of a run: stops, saves and restores its elements",
    "core": "chares, arrays, proxies, messages, mailboxes, location, reductions, and the run of a program",
    "coro": "`task`, `scope`, `when_all`, `when_any`, and `waiter`, the callback that resumes an entry",
    "sched": "a PE (`scheduler`) with its queues, timers and observers; `thread_machine`; `comm_thread`",
    "device": "accelerators: streams, events, buffers, kernels, graphs",
    "net": "transports, which carry work between PEs, and networks, which connect processes",
    "trace": "records of a run: rings, files, readers",
    "serial": "`writer` and `reader`, and the types that can be serialised",
    "base": "errors, log, clocks, pools, queues, the inbox",
}
ROOMS_OF_FOLDERS = {
    "tools/balance": "`imbrex balance`: the replay of recorded loads with other strategies",
    "tools/checkpoint": "`imbrex checkpoint`: lists, checks, compares and exports checkpoints",
    "tools/command": "lists of commands, their help, and the `main` of a program with commands",
    "tools/demo": "`imbrex demo`, which shows by Jacobi3D what overlap gains",
    "tools/flow": "the time of recorded flows and of GOAL schedules on other machines",
    "tools/metrics": "figures over HTTP, for who has the secret of the run",
    "tools/overlap": "models of overlap, and their comparison with measurements",
    "tools/process": "starting, watching and ending programs; `trial_runner`",
    "tools/project": "`imbrex new`, which writes a project from templates",
    "tools/replay": "the dataflow of a traced run, and its repetition over a network model",
    "tools/trace": "trace analysis in one pass, text and JSON reports, converters",
    "tools/trace/command": "`imbrex trace`",
    "tools/trace/page": "the interactive HTML page of a trace",
    "tools/calibrate": "`imbrex calibrate`: measurements of a machine, for its file",
    "tools/predict": "`imbrex predict`: a program's times on other numbers of nodes",
    "tools/tune": "`imbrex tune`: the search for the fastest options of a program",
    "resident/transport": "mailboxes, rings, parcels and quiescence in shared memory; lock-free, without chares",
    "mpi/api": "the functions `MPI_*`: argument checks, then calls of the other rooms",
    "mpi/collective": "algorithms of collectives: schedules of messages, and shared memory within a process",
    "mpi/datatype": "datatypes, packing, the predefined types",
    "mpi/fortran": "the scripts that generate the Fortran bindings, and their support code",
    "mpi/image": "copies of a program in one process, each with its own globals; independent of MPI",
    "mpi/file": "files of MPI: their views, accesses of one rank and of all",
    "mpi/include": "`mpi.h` and the headers that it includes",
    "mpi/launch": "the shared library that programs link, its `main`, compiler wrappers, launcher",
    "mpi/memory": "which addresses lie in memory of devices, and copies by devices",
    "mpi/object": "handles, and groups, infos, attributes, error handlers and statuses",
    "mpi/operation": "reduction operations",
    "mpi/rank": "ranks as chares: their stacks, their waits, messages between them, and their objects",
    "mpi/topology": "Cartesian and graph topologies",
    "mpi/window": "one-sided communication",
    "python/imbrex": "the Python part of the package",
    "python/imbrex/charm4py": "programs of charm4py on one Imbrex chare for each PE",
    "core/extension": "the interface for front ends, namespace `imbrex::extension`",
    "core/run": "`runtime`, one run; `local_run`, its part in this process; `job`; `machine` and its kinds",
    "core/record": "observers of PEs: traces, statistics, a meter of the load of each element",
    "core/gpu": "devices of a run, completions, device memory in messages and collectives",
    "core/array": "chares, proxies, entries, mailboxes, channels, sections, location, migration",
    "core/collective": "broadcasts, reductions, the end of an array",
    "core/pe": "`processor`, a PE with its core state; `local_array`, its part of an array; `pending`",
    "core/message": "messages and their bytes, entries that are named at run time, exceptions in messages",
    "core/options": "`options`, the settings of a run, and the table of all its options",
    "core/name": "indices, keys, placements, operations of reductions",
    "core/behaviour": "tests of program behaviour on all machines",
    "device/backends": "the list of device backends, by name",
    "device/cuda": "the backend for CUDA, which also compiles for HIP",
    "device/emulated": "the backend that emulates devices, in real or simulated time",
    "net/bootstrap": "the start of a job: how its processes find each other, and how they end together",
    "net/checks": "checks that every fabric must pass",
    "net/connect": "the list of fabrics, by name, and the choice of one",
    "net/delay": "the model of a slow link",
    "net/endpoint": "endpoints on any fabric: coalescing, back-pressure, rendezvous, shared memory",
    "net/local": "transports within a process: direct, serialising, delayed",
    "net/loopback": "a fabric within one process, for tests; it can lose, delay and duplicate messages",
    "net/simulated": "network times of the simulated machine",
    "net/ucx": "the fabric on UCX",
    "base/options": "the parser of option tables, help texts, command lines",
    "base/host": "the host: processors, files, descriptors, crash reports",
    "base/standard": "parts of the standard library that compile faster than its headers",
}
TABLES = {"CONTRIBUTING.md": ["folder"], "docs/architecture.md": ["folder", "room"]}


def heading(kind):
    return f"| {kind} | what it has |\n|---|---|\n"


def folders():
    """The folders of imbrex/, the highest first."""
    return [folder for row in reversed(LAYERS) for folder in row[::-1] if folder in FOLDERS]


def rooms():
    """The rooms, in the order of their folders; in a folder that has an order, the highest first."""
    def rank(room):
        folder, _, inner = room.partition("/")
        order = ROOMS.get(folder, ())
        return -order.index(inner) if inner in order else 1
    return [room for folder in folders() for room in sorted(
        (room for room in ROOMS_OF_FOLDERS if room.startswith(folder + "/")), key=rank)]


def table(kind):
    names, purposes = (folders(), FOLDERS) if kind == "folder" else (rooms(), ROOMS_OF_FOLDERS)
    return heading(kind) + "".join(f"| `{name}` | {purposes[name]} |\n" for name in names)


def with_table(text, kind):
    """The document with the table as it is now; None if the document has no such table."""
    before, found, after = text.partition(heading(kind))
    if not found:
        return None
    rest = after.splitlines(keepends=True)
    rows = next((n for n, line in enumerate(rest) if not line.startswith("|")), len(rest))
    return before + table(kind) + "".join(rest[rows:])


def rooms_in(root):
    """The folders below imbrex/ that have sources, and the folder of each."""
    below = (root / "imbrex").rglob("*")
    paths = [str(file.relative_to(root / "imbrex")) for file in below if file.suffix in SOURCES | {".h", ".py"}]
    return {room_of(path) for path in paths if "/" in path}


def check(root, write=False):
    """The complaints about the tree at `root`, one string each. With `write`, mends the tables first."""
    present, described = rooms_in(root), set(FOLDERS) | set(ROOMS_OF_FOLDERS)
    complaints = [f"imbrex/{room} has no purpose in scripts/layer_tables.py" for room in sorted(present - described)]
    complaints += [f"scripts/layer_tables.py describes imbrex/{room}, which has no sources"
                   for room in sorted(described - present)]
    for name, kinds in TABLES.items():
        document = root / name
        for kind in kinds:
            made = with_table(document.read_text(), kind)
            if made is None:
                complaints.append(f"{name} has no table with the heading: {heading(kind).splitlines()[0]}")
            elif write:
                document.write_text(made)
            elif made != document.read_text():
                complaints.append(f"{name}: the table of {kind}s is old: scripts/layer_tables.py --write mends it")
    return complaints


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a != "--write"]
    found = check(pathlib.Path(arguments[0] if arguments else "."), "--write" in sys.argv)
    for complaint in found:
        print(complaint, file=sys.stderr)
    print(f"layer tables: {len(found)} complaints" if found else "layer tables: as check_layers.py has them")
    sys.exit(1 if found else 0)
