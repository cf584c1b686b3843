#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of operations and compares them with the accepted figures: status 1 if one has grown."""
import argparse
import dataclasses
import json
import pathlib
import platform
import re
import shutil
import subprocess
import sys

import callgrind
import figures
import waiting

SKIPPED = 77
BUILD = pathlib.Path(__file__).resolve().parents[2] / "build/release/bin"
GROWTH = 0.03                   # by which a figure may grow
GROWTH_BESIDE_WAITING = 0.05    # where functions are left out
MOST_COUNTS = 4                 # counts of an operation where PEs wait, if it has grown
# Processes that start under valgrind, several at a time, take long to meet; and which transports there are must not
# depend on the machine.
ENVIRONMENT = {"IMBREX_PATIENCE": "100", "UCX_TLS": "sm,self"}


@dataclasses.dataclass(frozen=True)
class Group:
    """Operations that are counted alike, and how often each is done."""
    title: str
    options: tuple[str, ...]
    times: dict[str, int]
    processes: int = 1
    waits: bool = False     # PEs wait for each other, or for a device; what does so is left out
    program: str = "instructions_imbrex"
    environment: dict[str, str] = dataclasses.field(default_factory=dict)

    @property
    def tolerance(self):
        return GROWTH_BESIDE_WAITING if self.waits else GROWTH

    @property
    def left_out(self):
        return waiting.waits if self.waits else waiting.starts


GROUPS = {
    "thread": Group(
        "one PE, a thread", ("--pes", "1"),
        {**{name: 20_000 for name in ("message", "receive", "call", "create", "all_reduce", "by_key")},
         "broadcast": 200_000, **{name: 200 * 48 for name in ("face", "face_by_hand")}}),
    "loads": Group(
        "one PE, a thread, with the loads of elements measured", ("--pes", "1", "--balance", "auto"),
        {**{name: 20_000 for name in ("message", "receive", "call", "create")}, "broadcast": 200_000}),
    "loads_processes": Group(
        "two processes of one PE, with the loads of elements measured",
        ("--pes", "1", "--balance", "auto", "--balance-every", "1000s"), {"message": 2_000}, processes=2, waits=True),
    "deterministic": Group(
        "two PEs of the deterministic machine",
        ("--machine", "deterministic", "--pes", "2", "--device", "emulated"),
        {**{name: 5_000 for name in ("message", "call", "broadcast", "migrate", "device", "device_buffer",
                                   "device_channel", "persistent_channel")},
         "all_to_all": 4 * 64 * 64, "sparse_exchange": 10_000}),
    "threads": Group(
        "two PEs, threads", ("--pes", "2", "--device", "emulated"), {"migrate": 1_000, "device": 2_000}, waits=True),
    "processes": Group(
        "two processes of one PE", ("--pes", "1"),
        {"message": 2_000, "exchange": 2_000, "call": 2_000, "broadcast": 20_000, "all_reduce": 20_000,
         "migrate": 2_000, "migrate_together": 20_000}, processes=2, waits=True),
    "ranks": Group(
        "ranks of MPI on one PE", (),
        {"send": 20_000, "exchange": 20_000, "barrier": 160_000, "allreduce": 160_000, "put": 160_000},
        program="instructions_mpi", environment={"IMBREX_OPTIONS": "--pes 1 --ranks 16"}),
    "ranks_threads": Group(
        "ranks of MPI on two PEs", (), {"send": 2_000}, waits=True,
        program="instructions_mpi", environment={"IMBREX_OPTIONS": "--pes 2 --ranks 2"}),
    "ranks_processes": Group(
        "ranks of MPI in two processes", (), {"send": 2_000}, processes=2, waits=True,
        program="instructions_mpi", environment={"IMBREX_OPTIONS": "--pes 1 --ranks 2"}),
}
# The functions of UCX and MPI for a message between two processes, which are only shown.
RIVALS = "rivals"
LIBRARIES = {"ucx": r"uc[pts]_|__memcpy", "mpi": r"P?MPI_|ompi_|opal_|mca_|\(without a name\) mca_|__memcpy"}


class Unavailable(Exception):
    """Why nothing can be counted here."""


def made_with(folder):
    """The properties of a build that affect the number of instructions, by `imbrex info`."""
    imbrex = folder / "imbrex"
    for program in (imbrex, folder / "instructions_imbrex"):
        if not program.exists():
            raise Unavailable(f"there is no {program}: ./dev build")
    told = json.loads(subprocess.run([imbrex, "info", "--pes", "1", "--json"], capture_output=True, text=True,
                                     check=True).stdout)
    compiler, _, version = told["compiler"].partition(" ")
    return {"processor": platform.machine(), "compiler": f"{compiler} {version.split('.')[0]}",
            "build_type": told["build_type"], "ucx": told["ucx"]}


def count_twice(folder, group, operation, program=None, read=callgrind.costs):
    """The costs of an operation repeated `times` times, and twice as often, by the group's program or by another
    one."""
    program = program or group.program
    if not (folder / program).exists():
        raise Unavailable(f"there is no {folder / program}: ./dev build")
    environment = {**ENVIRONMENT, **group.environment}
    launcher = [folder / "imbrex", "run", "-n", group.processes] if group.processes > 1 else []
    times = group.times[operation]
    return [callgrind.instructions([folder / program, operation, repetitions, *group.options], launcher, environment,
                                   read) for repetitions in (times, 2 * times)]


def count(folder, group, operation):
    """The figure of one operation."""
    return figures.figure(*count_twice(folder, group, operation), group.times[operation], group.left_out)


def judged(name, counted, before, group):
    """The figure of one operation, and the finding about it. Where PEs wait for each other they notify the others that
    they are idle, more often on a busy machine. So a figure that has grown is counted again."""
    found = counted()
    said = figures.judge(name, found, before, group.tolerance)
    for _ in range(MOST_COUNTS - 1 if group.waits else 0):
        if said is None or not said.fails:
            break
        found = min(found, counted(), key=lambda one: one.instructions)
        said = figures.judge(name, found, before, group.tolerance)
    return found, said


def show_files(folder, name):
    """Says through which files of imbrex/ each operation of a group runs."""
    group = GROUPS[name]
    program = "instructions_lines" if group.program == "instructions_imbrex" else group.program
    print(f"{group.title:40} {'files':>10}", flush=True)
    for operation, times in group.times.items():
        counted = count_twice(folder, group, operation, program, callgrind.costs_in_files)
        found = figures.files(*counted, times, group.left_out)
        print(f"  {operation:38} {len(found):10}", flush=True)
        for file, instructions in found.items():
            print(f"{instructions:20.1f}  {file}")


def count_rival(folder, name):
    """The cost of a message of 8 bytes between two processes by raw UCX or by MPI."""
    launcher = [folder / "imbrex", "run", "-n", 2] if name == "ucx" else [shutil.which("mpirun")]
    if name == "mpi" and None not in launcher:
        launcher += ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", 2]
    program = folder / f"processes_{name}"
    if not program.exists() or None in launcher:
        raise Unavailable(f"{name} was not counted: there is no {program.name}, or nothing that starts it")

    def cost(rounds):
        return callgrind.instructions([program, "--bench", "pingpong", "--smallest", 8, "--largest", 8, "--rounds",
                                       rounds], launcher, ENVIRONMENT)

    rounds = 2_000
    messages = 2 * (rounds + rounds // 10)  # there and back, and a tenth to warm up
    return figures.figure(cost(rounds), cost(2 * rounds), messages,
                          lambda function: waiting.waits(function) or not re.match(LIBRARIES[name], function))


def count_group(folder, name, accepted, made, accept):
    """Counts the operations of a group, prints the cost of each, and returns the findings about those that changed."""
    group = GROUPS[name]
    if not accept and (reason := accepted.reason_to_skip(made, group.processes > 1)):
        raise Unavailable(reason)
    said = []
    print(f"{group.title:40} {'instructions':>14} {'accepted':>10}", flush=True)
    for operation in group.times:
        before = accepted.of(name, operation)
        found, judgement = judged(f"{operation}, {group.title}", lambda: count(folder, group, operation), before, group)
        print(f"  {operation:38} {found.instructions:14.1f} {before.instructions if before else float('nan'):10.1f}",
              flush=True)
        said.append(judgement)
        if accept:
            accepted.accept(name, operation, found)
    return [one for one in said if one]


def show_rivals(folder):
    print(f"{'rivals, a message between two processes':40} {'instructions':>14}", flush=True)
    for name in LIBRARIES:
        try:
            print(f"  {name:38} {count_rival(folder, name).instructions:14.1f}", flush=True)
        except Unavailable as reason:
            print(f"  {reason}")


def parse(arguments):
    names = [*GROUPS, RIVALS]
    parser = argparse.ArgumentParser(prog=figures.COMMAND, description=__doc__, allow_abbrev=False)
    parser.add_argument("groups", nargs="*", metavar="GROUP", default=names,
                        help=f"what to count: {', '.join(names)} (default: all)")
    parser.add_argument("--bin", type=pathlib.Path, default=BUILD, metavar="FOLDER",
                        help="where the programs are (default: build/release/bin)")
    parser.add_argument("--files", action="store_true",
                        help="say through which files of imbrex/ operations run, and how many instructions of each")
    parser.add_argument("--accept", action="store_true", help="accept what is counted: write it into figures.json")
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.groups if name not in names]:
        parser.error(f"there is no group '{unknown[0]}'; choose from {', '.join(names)}")
    if options.files and options.accept:
        parser.error("--files compares with no figures, so there is nothing to accept; leave out one of the two")
    return options


def main(arguments):
    options = parse(arguments)
    if shutil.which("valgrind") is None:
        raise Unavailable("there is no valgrind: apt-get install valgrind")
    if options.files:
        for name in options.groups:
            if name != RIVALS:
                show_files(options.bin, name)
        return 0
    made = made_with(options.bin)
    accepted = figures.Figures()
    if options.accept:
        accepted.begin_to_accept(made)
    said = []
    for name in options.groups:
        if name == RIVALS:
            show_rivals(options.bin)
        else:
            said += count_group(options.bin, name, accepted, made, options.accept)
    for one in said:
        print(one.text)
    if options.accept:
        accepted.write()
        print(f"accepted: {accepted.file}")
        return 0
    if said:
        print(f"If that is meant, accept it: {figures.COMMAND} --accept "
              f"{' '.join(name for name in options.groups if name in GROUPS)}")
    return 1 if any(one.fails for one in said) else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Unavailable as reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    except (callgrind.Failed, figures.Refused) as problem:
        print(f"count.py: error: {problem}", file=sys.stderr)
        sys.exit(1)
