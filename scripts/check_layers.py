#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on an include that goes upward, a cycle of files or folders, or an include of another folder's internal/.

A header and its source are one node. A sub-folder is a room of its own, with its internal/ in it. Front ends include
no other front end than FRONT_ENDS says, and use the core by its headers and namespace `imbrex::extension`: what the
core has in `imbrex::detail` is private to it. Modules of the packages of Python import each other without a cycle.
A source defines no function that a header of a lower room declares, and rooms lack the words of FOREIGN_WORDS.

usage: check_layers.py [repository root]
"""
import ast
import pathlib
import re
import sys

# From the lowest to the highest; folders of one row may include each other as long as there is no cycle.
LAYERS = [["base"], ["serial"], ["trace"], ["net"], ["device"], ["sched"], ["coro"], ["core"],
          ["balance", "checkpoint", "grid"], ["python", "mpi", "cells", "io", "resident", "tools"], ["testing"]]
# Tests of every folder may include what tests are written with.
FOR_TESTS = "testing"
# The rooms of a folder, from the lowest to the highest; "" is what lies in the folder itself. Where none are
# named, rooms may include each other as long as there is no cycle.
ROOMS = {"base": ["standard", "", "host", "options"],
         "net": ["bootstrap", "", "endpoint", "local", "delay", "simulated", "loopback", "ucx", "connect"],
         "device": ["", "emulated", "cuda", "backends"],
         "core": ["name", "options", "message", "pe", "collective", "array", "gpu", "record", "run", "extension", ""],
         "balance": ["", "driver"],
         "checkpoint": ["", "driver"],
         "resident": ["transport", ""],
         "mpi": ["include", "image", "object", "datatype", "operation", "topology", "memory", "rank", "",
                 "collective", "window", "file", "launch", "api", "fortran"],
         "tools": ["process", "metrics", "project", "trace", "trace/page", "replay", "command", "trace/command", "demo",
                   "overlap", "balance", "checkpoint", "tune", "flow", "predict", "calibrate", ""]}
# The folders above the core, and which of them each may include.
FRONT_ENDS = {"balance": set(), "checkpoint": set(), "grid": set(), "cells": {"grid"}, "io": {"grid"},
              "mpi": {"balance", "checkpoint"},
              "python": {"balance", "checkpoint"}, "resident": set(),
              "tools": {"balance", "checkpoint", "mpi", "resident"}}
# Rooms whose sources compile fast, and the header that none of them may reach by any chain of includes.
KEPT_LIGHT = {"mpi/api": "core/array/collection.hpp"}
# Words that these rooms lack, also in comments and in other words, since only rooms above know what they mean.
FOREIGN_WORDS = {"device": ["core/name", "core/message", "core/pe", "core/collective", "core/array"]}
# The services of a run give out its devices, without their definition.
MAY_HAVE_FOREIGN_WORDS = ["core/pe/run_services.hpp"]
# The header of a function that a shared library defines for an object in it, as a program defines main.
MAY_BE_DEFINED_ABOVE = ["mpi/image/start.hpp"]
HEIGHT = {folder: height for height, row in enumerate(LAYERS) for folder in row}
PROGRAMS = ["apps", "examples", "bench"]
SOURCES = {".hpp", ".cpp", ".cuh", ".cu"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
BRACE = re.compile(r"\bnamespace\s*([\w:]*)\s*\{|[{}]")
# What a namespace declares begins in the first column; a type that is only named there is defined elsewhere.
DECLARED = re.compile(r"^(?:(?:struct|class|enum class|union|concept|using) (?:\[\[.*?\]\] )*(\w+)(?!\w| *;)"
                      r"|(?!template|namespace|using|struct|class|enum|return|friend|static_assert|extern template)"
                      r"[\w\[][^;={}()]*?[\s*&](\w+)(?=\(|\{| =|;|\[))", re.MULTILINE)
# A function that begins in the first column: its qualifiers, its name, and "{" if its body follows.
FUNCTION = re.compile(r"^(?!(?:template|namespace|using|struct|class|enum|return|friend|static|inline|extern)\b)"
                      r"(?:\[\[[^\]]*\]\] )*[\w:][\w:<>,&*\s]*?[\s&*]((?:\w+::)*)(\w+)\([^;{}]*?\)[^;{}()]*?([;{])",
                      re.MULTILINE)
CLASS = re.compile(r"^(?:class|struct) (\w+)[^;{]*\{", re.MULTILINE)
USED = re.compile(r"(?<![\w:])((?:::)?(?:\w+::)*)detail::(\w+)")
COMMENT_OR_TEXT = re.compile(r"""//[^\n]*|"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.|[^'\\\n])'""")


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


def chain_of_includes(includes, path, goal):
    """A chain of includes from `path` to `goal` as a list of paths; empty if there is none."""
    chains = {path: [path]}
    waiting = [path]
    while waiting and goal not in chains:
        here = waiting.pop(0)
        for included in sorted(includes.get(here, ())):
            if included not in chains:
                chains[included] = chains[here] + [included]
                waiting.append(included)
    return chains.get(goal, [])


def node_of(path):
    """A header and its source: a path below imbrex/ without its ending."""
    return re.sub(r"\.(hpp|cpp|cuh|cu)$", "", path)


def room_of(path):
    """The folder of a path below imbrex/; internal/ belongs to the folder around it."""
    return re.sub(r"(/internal)?/[^/]*$", "", path)


def is_test(path):
    return ".test." in path


def code_of(file):
    """The text of a source without comments and the texts of literals."""
    return COMMENT_OR_TEXT.sub(lambda found: "" if found[0][0] == "/" else '""', file.read_text())


def parts_of_namespaces(code):
    """The namespace and the text of each stretch of the code between two places where a namespace begins or ends."""
    open_braces, at = [], 0
    for brace in BRACE.finditer(code):
        name = brace[1] if brace[0] != "}" else open_braces.pop() if open_braces else None
        if name is not None:
            inside = open_braces + [name] if brace[0] == "}" else open_braces
            yield "::".join(filter(None, inside)), code[at:brace.start()]
            at = brace.end()
        if brace[0] != "}":
            open_braces.append(name)


def names_of_detail(folder):
    """The names that the headers of a folder below imbrex/ define in each namespace `detail`: a set for each."""
    names = {}
    for file in sorted(folder.rglob("*.hpp")):
        code = "" if is_test(file.name) else code_of(file)
        for space, part in parts_of_namespaces(code) if "namespace" in code else ():
            if space.endswith("detail"):
                names.setdefault(space, set()).update(a or b for a, b in DECLARED.findall(part))
    return names


def check_private_names(root):
    """The complaints about uses, in front ends and programs, of what the core has in `imbrex::detail`."""
    names = {folder.name: names_of_detail(folder) for folder in sorted((root / "imbrex").iterdir()) if folder.is_dir()}
    below = set().union(*(names[f].get("imbrex::detail", set()) for f in names if HEIGHT.get(f, 99) < HEIGHT["core"]))
    private = names.get("core", {}).get("imbrex::detail", set()) - below
    for folder in [f"imbrex/{name}" for name in FRONT_ENDS] + ["apps", "examples"]:
        own = set().union(*(some for space, some in names.get(folder[7:], {}).items() if space != "imbrex::detail"))
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in SOURCES or is_test(file.name):
                continue
            code = code_of(file)
            used = {name for space, name in USED.findall(code)
                    if space in ("imbrex::", "::imbrex::") or space == "" and name not in own}
            for space, part in parts_of_namespaces(code) if "detail {" in code else ():
                if space == "imbrex::detail":
                    used |= set(re.findall(r"\w+", part))
            if "using namespace imbrex::detail" in code:
                yield f"{file.relative_to(root)}: name what is used of imbrex::detail"
            for name in sorted(used & private):
                yield (f"{file.relative_to(root)} uses imbrex::detail::{name}, which is private to the core: "
                       f"imbrex/core/extension/ has what front ends use")


def without_anonymous(code):
    """The code without its anonymous namespaces."""
    while found := re.search(r"\bnamespace\s*\{", code):
        at, depth = found.end(), 1
        while depth and (brace := re.search("[{}]", code[at:])):
            at, depth = at + brace.end(), depth + (1 if brace[0] == "{" else -1)
        if depth:
            break
        code = code[:found.start()] + code[at:]
    return code


def stands_below(path, other):
    """True if the room of the path `other` is lower than that of `path`; both are paths below imbrex/."""
    folder, below = path.split("/")[0], other.split("/")[0]
    if folder != below:
        return HEIGHT.get(below, 99) < HEIGHT[folder]
    order, (inner, lower) = ROOMS.get(folder, []), (room_of(p)[len(folder) + 1:] for p in (path, other))
    return {inner, lower} <= set(order) and order.index(lower) < order.index(inner)


def names_in(code):
    """The classes and functions of namespaces in the code: name with its namespace, and what is behind the head."""
    for space, part in parts_of_namespaces(without_anonymous(code)):
        for qualifiers, name, end in FUNCTION.findall(part):
            yield f"{space}::{qualifiers}{name}", end
        for name in CLASS.findall(part):
            yield f"{space}::{name}", ";"


def check_definitions(root):
    """The complaints about functions that a header of a lower room declares, or that belong to a class of it."""
    declared, defined = {}, []
    for file in sorted((root / "imbrex").rglob("*.[hc]pp")):
        path = str(file.relative_to(root / "imbrex"))
        if "/" not in path or is_test(path) or path.split("/")[0] not in HEIGHT:
            continue
        for name, end in names_in(code_of(file)):
            if file.suffix == ".hpp" and end == ";":
                declared.setdefault(name, set()).add(path)
            elif file.suffix == ".cpp" and end == "{":
                defined.append((path, name))
    for path, name in defined:
        headers = declared.get(name) or declared.get(name.rpartition("::")[0], set())
        lower = sorted(header for header in headers if stands_below(path, header))
        if lower and lower[0] not in MAY_BE_DEFINED_ABOVE and room_of(path) not in map(room_of, headers):
            yield f"imbrex/{path} defines {name}, which {lower[0]} of a lower room declares"


def check_foreign_words(root):
    """The complaints about words in rooms that must not know their meaning."""
    for word, rooms in FOREIGN_WORDS.items():
        for file in [file for room in rooms for file in sorted((root / "imbrex" / room).rglob("*.[hc]pp"))]:
            path = str(file.relative_to(root / "imbrex"))
            if is_test(path) or path in MAY_HAVE_FOREIGN_WORDS:
                continue
            for number, line in enumerate(file.read_text().splitlines(), 1):
                if word in line.lower():
                    yield f"imbrex/{path}:{number}: {room_of(path)} must not know the word {word}"


def imports_of(module, modules):
    """The modules that a module imports, of those given; its own packages, which Python imports first, left out."""
    package = module if modules[module].name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(modules[module].read_text())):
        if isinstance(node, ast.Import):
            found = [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join([*package.split(".")[:1 - node.level or None], *filter(None, [node.module])]) \
                if node.level else node.module
            found = [f"{base}.{name.name}" if f"{base}.{name.name}" in modules else base for name in node.names]
        else:
            continue
        yield from (name for name in found if name in modules and not f"{module}.".startswith(f"{name}."))


def cycle_of_modules(folder):
    """Some cycle of imports among the packages of Python in a folder; None if there is none."""
    modules = {}
    for file in sorted(folder.glob("*/**/*.py")):
        parts = file.relative_to(folder).with_suffix("").parts
        modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return cycle_in({module: set(imports_of(module, modules)) for module in modules})


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
    folders, rooms, nodes, files = {}, {}, {}, {}
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
            if other == FOR_TESTS and is_test(path):
                continue
            if HEIGHT.get(other, len(LAYERS)) > HEIGHT[folder]:
                complaints.append(f"{where}: {other} stands above {folder}")
            if folder in FRONT_ENDS and other in FRONT_ENDS and other not in FRONT_ENDS[folder] | {folder}:
                complaints.append(f"{where}: the front ends {folder} and {other} know nothing of each other")
            if "/internal/" in included and not path.startswith(room_of(included) + "/"):
                complaints.append(f"{where}: that is private to {room_of(included)}")
            if complaint := check_rooms(where, path, included):
                complaints.append(complaint)
            files.setdefault(path, set()).add(included)
            if other != folder:
                folders.setdefault(folder, set()).add(other)
            if not is_test(path) and not is_test(included):
                for graph, name in ((rooms, room_of), (nodes, node_of)):
                    if name(path) != name(included):
                        graph.setdefault(name(path), set()).add(name(included))
    for graph, what in ((folders, "folders"), (rooms, "rooms"), (nodes, "files")):
        if cycle := cycle_in(graph):
            complaints.append(f"cycle of {what}: " + " -> ".join(cycle))
    if cycle := cycle_of_modules(root / "imbrex/python"):
        complaints.append("cycle of modules: " + " -> ".join(cycle))
    complaints += check_private_names(root)
    complaints += check_definitions(root)
    complaints += check_foreign_words(root)
    for path in sorted(files):
        if chain := chain_of_includes(files, path, KEPT_LIGHT.get(room_of(path))):
            complaints.append("too much to compile: " + " -> ".join(chain))
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
