#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on an include that goes upward, a cycle of folders, or an include of another folder's internal/.

usage: check_layers.py [repository root]
"""
import pathlib
import re
import sys

# From the lowest to the highest; folders of one row may include each other as long as there is no cycle.
LAYERS = [["base"], ["serial"], ["trace"], ["coro"], ["net"], ["device"], ["sched"], ["core"],
          ["balance", "checkpoint"], ["python", "mpi", "cells", "resident", "tools"]]
HEIGHT = {folder: height for height, row in enumerate(LAYERS) for folder in row}
PROGRAMS = ["apps", "examples", "bench"]
SOURCES = {".hpp", ".cpp", ".cuh", ".cu"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def includes_below(folder):
    """Every include of the sources in a folder: file, opening character, what is included."""
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


def check(root):
    """The complaints about the tree at `root`, one string each."""
    complaints = []
    graph = {}
    for folder in sorted(path.name for path in (root / "imbrex").iterdir() if path.is_dir()):
        if folder not in HEIGHT:
            complaints.append(f"imbrex/{folder} has no place among the layers in scripts/check_layers.py")
            continue
        for file, opening, included in includes_below(root / "imbrex" / folder):
            where = f"{file.relative_to(root)} includes {included}"
            if opening == '"':
                complaints.append(f"{where}: write #include <imbrex/folder/file.hpp>")
            parts = included.split("/")
            if parts[0] != "imbrex" or parts[1:2] == [folder]:
                continue
            if len(parts) < 3:
                complaints.append(f"{where}: that is for users; include the header that is needed")
                continue
            graph.setdefault(folder, set()).add(parts[1])
            if HEIGHT.get(parts[1], len(LAYERS)) > HEIGHT[folder]:
                complaints.append(f"{where}: {parts[1]} stands above {folder}")
            if "internal" in parts:
                complaints.append(f"{where}: that is private to {parts[1]}")
    if cycle := cycle_in(graph):
        complaints.append("cycle of folders: " + " -> ".join(cycle))
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
