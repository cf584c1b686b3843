#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on an include that goes upward, a cycle of files or folders, or an include of another folder's internal/.

A header and its source are one node. A sub-folder is a room of its own, with its internal/ in it.

usage: check_layers.py [repository root]
"""
import pathlib
import re
import sys

# From the lowest to the highest; folders of one row may include each other as long as there is no cycle.
LAYERS = [["base"], ["serial"], ["trace"], ["net"], ["device"], ["sched"], ["coro"], ["core"],
          ["balance", "checkpoint", "grid"], ["python", "mpi", "cells", "resident", "tools"]]
# The rooms of a folder, from the lowest to the highest; "" is what lies in the folder itself. Where none are
# named, rooms may include each other as long as there is no cycle.
ROOMS = {"base": ["", "host", "options"],
         "resident": ["transport", ""],
         "core": ["name", "options", "message", "pe", "collective", "array", "gpu", "record", "run", ""]}
HEIGHT = {folder: height for height, row in enumerate(LAYERS) for folder in row}
PROGRAMS = ["apps", "examples", "bench"]
SOURCES = {".hpp", ".cpp", ".cuh", ".cu"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def includes_below(folder):
    """Every include of the sources in a folder: file, opening character, included path."""
    for file in sorted(folder.rglob("*")):
        if file.suffix in SOURCES:
            for opening, included in INCLUDE.findall(file.read_text()):
                yield file, opening, included


def cycle_in(graph):
    """Some cycle of the graph as a list of nodes that ends with its first; None if there is none."""
    finished = set()

    def visit(node, path):
        if node in path:
            return path[path.index(node):] + [node]
        if node not in finished:
            for successor in sorted(graph.get(node, ())):
                if cycle := visit(successor, path + [node]):
                    return cycle
            finished.add(node)
        return None

    return next(filter(None, (visit(node, []) for node in sorted(graph))), None)


def node_of(path):
    """A header and its source: a path below imbrex/ without its ending."""
    return re.sub(r"\.(hpp|cpp|cuh|cu)$", "", path)


def room_of(path):
    """The folder of a path below imbrex/; internal/ belongs to the folder around it."""
    return re.sub(r"(/internal)?/[^/]*$", "", path)


def is_test(path):
    return ".test." in path


def check_rooms(where, path, included):
    """The complaint about an include from one room of a folder to another; both are paths below imbrex/."""
    folder = path.split("/")[0]
    order = ROOMS.get(folder)
    if order is None or included.split("/")[0] != folder or is_test(path):
        return None
    inner, other = (room_of(p)[len(folder) + 1:] for p in (path, included))
    for room in (inner, other):
        if room not in order:
            return f"imbrex/{folder}/{room} has no place among the rooms in scripts/check_layers.py"
    if order.index(other) > order.index(inner):
        return f"{where}: {folder}/{other} stands above {folder}/{inner}"
    return None


def check(root):
    """The complaints about the tree at `root`, one string each."""
    complaints = []
    folders, rooms, nodes = {}, {}, {}
    for folder in sorted(path.name for path in (root / "imbrex").iterdir() if path.is_dir()):
        if folder not in HEIGHT:
            complaints.append(f"imbrex/{folder} has no place among the layers in scripts/check_layers.py")
            continue
        for file, opening, included in includes_below(root / "imbrex" / folder):
            where = f"{file.relative_to(root)} includes {included}"
            if opening == '"':
                complaints.append(f"{where}: write #include <imbrex/folder/file.hpp>")
            if not included.startswith("imbrex/"):
                continue
            path, included = str(file.relative_to(root / "imbrex")), included[len("imbrex/"):]
            if "/" not in included:
                complaints.append(f"{where}: that is for users; include the header that is needed")
                continue
            other = included.split("/")[0]
            if HEIGHT.get(other, len(LAYERS)) > HEIGHT[folder]:
                complaints.append(f"{where}: {other} stands above {folder}")
            if "/internal/" in included and not path.startswith(room_of(included) + "/"):
                complaints.append(f"{where}: that is private to {room_of(included)}")
            if complaint := check_rooms(where, path, included):
                complaints.append(complaint)
            if other != folder:
                folders.setdefault(folder, set()).add(other)
            if not is_test(path) and not is_test(included):
                for graph, name in ((rooms, room_of), (nodes, node_of)):
                    if name(path) != name(included):
                        graph.setdefault(name(path), set()).add(name(included))
    for graph, what in ((folders, "folders"), (rooms, "rooms"), (nodes, "files")):
        if cycle := cycle_in(graph):
            complaints.append(f"cycle of {what}: " + " -> ".join(cycle))
    for program_folder in PROGRAMS:
        for file, _, included in includes_below(root / program_folder):
            if re.search(r"\bimbrex/(.*/)?internal/", included):
                where = f"{file.relative_to(root)} includes {included}"
                complaints.append(f"{where}: programs use public headers only")
    return complaints


if __name__ == "__main__":
    found = check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
    for complaint in found:
        print(complaint, file=sys.stderr)
    print(f"layers: {len(found)} complaints" if found else "layers: all includes go downward")
    sys.exit(1 if found else 0)
