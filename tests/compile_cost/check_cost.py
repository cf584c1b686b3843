#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if imbrex.hpp includes more than it may, or if hello instantiates more functions than it may.

Headers and functions are counted instead of seconds, so the result is equal on every machine. Limits are the current
counts and a tenth more. Raise a limit only for what programs need: bench/compile_time.sh shows the seconds.

usage: check_cost.py COMPILER SOURCE_ROOT
"""
import pathlib
import re
import subprocess
import sys

HEADERS = 130
LINES = 13100  # lines of code in these headers
FUNCTIONS = 590  # of clang, which emits what g++ omits
# Headers of the standard library that Imbrex's headers of programs do not include, with the remedy.
HEAVY = {"algorithm": "imbrex/base/standard/sort.hpp has the algorithms outside of std::ranges",
         "chrono": "imbrex/base/standard/duration.hpp has durations and clocks",
         "functional": "imbrex/base/standard/function.hpp has std::function"}
HEAVY |= {name: "include it in a .cpp file" for name in (
    "condition_variable", "filesystem", "format", "fstream", "future", "iomanip", "iostream", "istream", "list",
    "mutex", "ostream", "queue", "random", "ranges", "regex", "sstream", "thread")}
COMMENT = re.compile(r"^\s*//")
INCLUDE = re.compile(r"^\s*#\s*include\s*<([a-z_]+)>", re.MULTILINE)


def headers_of(compiler, root, source):
    """The headers of Imbrex that a source includes: paths below the root."""
    done = subprocess.run([compiler, "-std=c++20", f"-I{root}", "-M", "-x", "c++", "-"], input=source, check=True,
                          capture_output=True, text=True)
    files = {pathlib.Path(word) for word in done.stdout.replace("\\\n", " ").split()[1:]}
    return sorted(str(file.relative_to(root)) for file in files if file.is_relative_to(root / "imbrex"))


def lines_of(text):
    """The number of lines of code."""
    return sum(1 for line in text.splitlines() if line.strip() and not COMMENT.match(line))


def functions_of(compiler, root, source):
    """The number of functions that a source defines, before any is inlined; None unless the compiler is clang."""
    if "clang" not in subprocess.run([compiler, "--version"], check=True, capture_output=True, text=True).stdout:
        return None
    done = subprocess.run([compiler, "-std=c++20", "-O1", f"-I{root}", "-S", "-emit-llvm", "-Xclang",
                           "-disable-llvm-passes", "-x", "c++", "-", "-o", "-"], input=source, check=True,
                          capture_output=True, text=True)
    return len(re.findall(r"^define .*imbrex", done.stdout, re.MULTILINE))


def over(what, count, limit):
    """The complaint about a count over its limit."""
    return [f"{what}: {count}, and {limit} are allowed (bench/compile_time.sh shows what that costs)"] \
        if count > limit else []


def check(compiler, root):
    """The complaints, one string each."""
    headers = headers_of(compiler, root, "#include <imbrex/imbrex.hpp>\n")
    texts = {header: (root / header).read_text() for header in headers}
    complaints = over("headers that imbrex.hpp includes", len(headers), HEADERS)
    complaints += over("lines of code in them", sum(map(lines_of, texts.values())), LINES)
    for header, text in texts.items():
        if not header.startswith("imbrex/base/standard/"):
            complaints += [f"{header} includes <{name}>, which takes long to compile: {HEAVY[name]}"
                           for name in INCLUDE.findall(text) if name in HEAVY]
    functions = functions_of(compiler, root, (root / "examples/hello.cpp").read_text())
    if functions is not None:
        complaints += over("functions of Imbrex that examples/hello.cpp instantiates", functions, FUNCTIONS)
    return complaints


if __name__ == "__main__":
    found = check(sys.argv[1], pathlib.Path(sys.argv[2]).resolve())
    for complaint in found:
        print(complaint, file=sys.stderr)
    sys.exit(1 if found else 0)
