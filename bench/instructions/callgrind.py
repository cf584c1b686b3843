# SPDX-License-Identifier: Apache-2.0
"""Counts of valgrind's callgrind: the instructions of a program by function, and by file."""
import collections
import os
import pathlib
import re
import subprocess
import tempfile

PATIENCE_SECONDS = 300
COST = re.compile(r"(?:[+-]?\d+|\*)(?: (\d+))?$")
NAMED = re.compile(r"(fn|ob|fl|fi|fe|cfn|cob|cfl|cfi)=\((\d+)\)(?: (.*))?$")
# Names of source files and of inlined files are in one list; called functions are only named.
LISTS = {"fn": "fn", "cfn": "fn", "ob": "ob", "cob": "ob", **dict.fromkeys(("fl", "fi", "fe", "cfl", "cfi"), "fl")}


class Failed(Exception):
    """A program that did not end well."""


def costs(lines):
    """The instructions of each function, without its callees, in one file of callgrind's. A function without a name
    counts for its library: "(without a name) libucp.so.0"."""
    spent = collections.Counter()
    for (function, _), cost in costs_in_files(lines).items():
        spent[function] += cost
    return spent


def costs_in_files(lines):
    """The instructions by function and source file. Lines of an inlined function count for its own file. Programs
    without debug information name no files."""
    spent = collections.Counter()
    names = {"fn": {}, "ob": {}, "fl": {}}
    now = {"fn": None, "ob": "", "fl": ""}
    of_call = False
    for line in lines:
        if named := NAMED.match(line):
            kind, number, name = named.groups()
            known = names[LISTS[kind]]
            if name is not None:
                known[number] = name
            if not kind.startswith("c"):
                now[LISTS[kind]] = known[number]
        elif line.startswith("calls="):
            of_call = True
        elif cost := COST.match(line):
            if not of_call:
                spent[label(now["fn"], now["ob"]), now["fl"]] += int(cost[1] or 0)
            of_call = False
    return spent


def label(function, library):
    if function.startswith("0x") or function == "???":
        return f"(without a name) {pathlib.PurePath(library).name}"
    return re.sub(r"'\d+$", "", function)


def instructions(program, launcher=(), environment=None, read=costs):
    """The cost of a program, as `read` returns it; with a launcher, of all its processes together."""
    with tempfile.TemporaryDirectory(prefix="imbrex_instructions_") as folder:
        command = [str(word) for word in (*launcher, "valgrind", "--tool=callgrind",
                                          f"--callgrind-out-file={folder}/%p", *program)]
        try:
            ended = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False,
                                   stdin=subprocess.DEVNULL, timeout=PATIENCE_SECONDS,
                                   env={**os.environ, **(environment or {})})
        except subprocess.TimeoutExpired as late:
            raise Failed(f"it did not end in {PATIENCE_SECONDS} s: {' '.join(command)}") from late
        files = sorted(pathlib.Path(folder).iterdir())
        if ended.returncode != 0 or not files:
            raise Failed(f"status {ended.returncode} of {' '.join(command)}\n{ended.stderr}")
        spent = collections.Counter()
        for file in files:
            with file.open(encoding="utf-8", errors="replace") as lines:
                spent.update(read(line.rstrip("\n") for line in lines))
        return spent
