#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if a header is installed that neither is public nor is included by one that is, if one that is included is not
installed, if a public header does not compile alone, or if the page of the public headers names others.

Public headers that others include compile alone in the source tree, as the target check_headers shows; here all that
they include is there. So only the others are compiled, which takes a tenth of the time. Headers that only include
others are compiled in one program.

usage: check_headers.py INSTALLED_PREFIX PAGE COMPILER PUBLIC_HEADER...
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

INCLUDE = re.compile(r"^\s*#\s*include\s*<(imbrex/[^>]+)>", re.MULTILINE)


# Headers for programs that have another library, and a header of that.
FOR_LIBRARIES = {"imbrex/serial/eigen.hpp": "Eigen/Core", "imbrex/serial/kokkos.hpp": "Kokkos_Core.hpp",
                 "imbrex/kokkos.hpp": "Kokkos_Core.hpp", "imbrex/python.hpp": "nanobind/nanobind.h"}


def source_of(headers):
    """A program that includes the headers alone."""
    source = ""
    for header in headers:
        include = f"#include <{header}>\n"
        needed = FOR_LIBRARIES.get(header)
        source += f"#if __has_include(<{needed}>)\n{include}#endif\n" if needed else include
    return source


def only_includes(header, folder):
    """Whether a header has no code of its own."""
    lines = [line.split("//")[0].strip() for line in (folder / header).read_text().splitlines()]
    return all(not line or line == "#pragma once" or INCLUDE.match(line) for line in lines)


def included_by(header, folder):
    """The headers of Imbrex that a header includes; none if it is not there."""
    file = folder / header
    return INCLUDE.findall(file.read_text()) if file.is_file() else []


def reached_from(headers, folder):
    """The headers, and those of Imbrex that they include."""
    reached, unread = set(), list(headers)
    while unread:
        header = unread.pop()
        if header not in reached:
            reached.add(header)
            unread += included_by(header, folder)
    return reached


def compile_alone(headers, folder, compiler):
    """The complaint about headers that do not compile; None if they do, or are for a library that is not there."""
    done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", f"-I{folder}", "-x", "c++", "-"],
                          input=source_of(headers), capture_output=True, text=True)
    verb = "does" if len(headers) == 1 else "do"
    return None if done.returncode == 0 else f"{', '.join(headers)} {verb} not compile alone:\n{done.stderr}"


def check(prefix, page, compiler, public):
    """The complaints, one string each."""
    folder = prefix / "include"
    installed = {str(path.relative_to(folder)) for path in (folder / "imbrex").rglob("*") if path.is_file()}
    reached = reached_from(public, folder)
    complaints = [f"{header} is installed, and no public header needs it" for header in sorted(installed - reached)]
    complaints += [f"{header} is not installed" for header in sorted(reached - installed)]
    named = re.findall(r"^\| `(imbrex/[^`]+)`", page.read_text(), re.MULTILINE)
    complaints += [f"{page.name} does not name {header}" for header in public if header not in named]
    complaints += [f"{page.name} names {header}, which is not public" for header in named if header not in public]
    plain = [header for header in public if header in installed and only_includes(header, folder)]
    inner = {included for header in reached - set(plain) for included in included_by(header, folder)}
    outer = [[header] for header in public if header not in inner and header in installed and header not in plain]
    if plain:
        outer.append(plain)
    with concurrent.futures.ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as threads:
        complaints += filter(None, threads.map(lambda headers: compile_alone(headers, folder, compiler), outer))
    return complaints


if __name__ == "__main__":
    found = check(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4:])
    for complaint in found:
        print(complaint, file=sys.stderr)
    sys.exit(1 if found else 0)
