#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/mpi-functions.md: the functions of MPI 4.1, by the declarations and definitions of this tree.

usage: mpi_functions.py [--check]    with --check, fails if the file is old
"""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "imbrex/mpi/fortran"))
import interface  # noqa: E402  makes the interfaces of Fortran
HEADERS = ["mpi_functions.h", "mpi_io.h", "mpi_tool.h"]
# Functions of MPI 4.1 that our headers do not declare.
UNDECLARED = {
    "Sessions": "Session_attach_buffer Session_detach_buffer Session_flush_buffer Session_iflush_buffer",
    "Requests and statuses": """Request_get_status_all Request_get_status_any Request_get_status_some
        Status_get_error Status_get_source Status_get_tag Status_set_error Status_set_source Status_set_tag
        Status_set_elements_c""",
    "Point to point": """Buffer_flush Buffer_iflush Comm_attach_buffer Comm_detach_buffer Comm_flush_buffer
        Comm_iflush_buffer""",
    "Datatypes": "Type_get_value_index",
    "Error handlers, classes and codes": "Remove_error_class Remove_error_code Remove_error_string",
    "Start and end": "Get_hw_resource_info",
    "Tools": """T_category_get_events T_category_get_num_events T_event_callback_get_info
        T_event_callback_set_info T_event_copy T_event_get_index T_event_get_info T_event_get_num
        T_event_get_source T_event_get_timestamp T_event_handle_alloc T_event_handle_free
        T_event_handle_get_info T_event_handle_set_info T_event_read T_event_register_callback
        T_event_set_dropped_handler T_source_get_info T_source_get_num T_source_get_timestamp""",
}
TITLES = {"mpi_io.h": "Files", "mpi_tool.h": "Tools"}


def declared_functions():
    """The names that the headers declare, by section."""
    sections = {}
    for header in HEADERS:
        title = TITLES.get(header)
        for line in (ROOT / "imbrex/mpi/include" / header).read_text().splitlines():
            if match := re.fullmatch(r"/\* (.*[^.]) \*/", line):  # other comments are sentences
                title = TITLES.get(header, match[1])
            elif match := re.match(r"IMBREX_(A?MPIX?)\(\w+, (\w+),", line):
                sections.setdefault(title, []).append(f"{match[1]}_{match[2]}")
    return sections


def defined_functions():
    """The names that our sources define."""
    names = set()
    for source in (ROOT / "imbrex/mpi").rglob("*.cpp"):
        text = source.read_text().replace("\\\n", " ")  # within macros
        names |= {f"{prefix}_{name}"
                  for prefix, name in re.findall(r"IMBREX_(A?MPIX?)_DEFINE\(\s*\w+,\s*(\w+),", text)}
        for name in (re.findall(r"IMBREX_MPI_DEFINE\(\s*int,\s*(\w+)##suffix,", text) +
                     re.findall(r"IMBREX_MPI_(?:SEND|\w+_REQUEST)\((\w+),\s*suffix,", text)):
            if name != "name":
                names |= {f"MPI_{name}", f"MPI_{name}_c"}
        for before, after in re.findall(r"IMBREX_MPI_DEFINE\(\s*int,\s*(\w+?)##way##(\w+),", text):
            names |= {f"MPI_{before}{way}{after}" for way in ("read", "write")}
        names |= collective_functions(text)
    return names


def absent_functions():
    """The names that only report that they are missing."""
    text = (ROOT / "imbrex/mpi/api/absent.cpp").read_text()
    return {f"MPI_{name}" for name in re.findall(r"^IMBREX_MPI_ABSENT\((\w+),", text, re.MULTILINE)}


def collective_functions(source):
    """The names that IMBREX_MPI_COLLECTIVE defines, each in three forms, for ints and for large counts."""
    names = set()
    definition = r"IMBREX_MPI_COLLECTIVE(?:_IN_MEMORY)?\(\s*(\w+),\s*(\w+),\s*(\w*),"
    for name, nonblocking, suffix in re.findall(definition, source):
        if name != "name":
            for end in ["", "_c"] if suffix == "suffix" else [suffix]:
                names |= {f"MPI_{name}{end}", f"MPI_{nonblocking}{end}", f"MPI_{name}_init{end}"}
    return names


def fortran_functions():
    """The names of C whose functions Fortran has, those with large counts as the same procedures of mpi_f08."""
    functions = interface.read_functions(ROOT / "imbrex/mpi/include")
    names = {"MPI_Status_f082f", "MPI_Status_f2f08"}
    for function in interface.of_fortran(functions):
        names |= {f"{function.prefix}_{function.name}", f"{function.prefix}_{function.name}_c"}
    return names - {"MPI_Op_create_c"}


def text():
    declared, defined, in_fortran = declared_functions(), defined_functions(), fortran_functions()
    names = {name for some in declared.values() for name in some}
    if names - defined != absent_functions():
        sys.exit("imbrex/mpi/api/absent.cpp must define what is declared and defined nowhere else: look at " +
                 ", ".join(sorted((names - defined) ^ absent_functions())))
    undeclared = {title: [f"MPI_{name}" for name in names.split()] for title, names in UNDECLARED.items()}
    there = sum(name in defined for names in declared.values() for name in names)
    absent = sum(map(len, declared.values())) - there
    missing = sum(map(len, undeclared.values()))
    lines = ["# Functions of MPI", "",
             "Made by `scripts/mpi_functions.py`. Each function has the two names `MPI_` and `PMPI_`.", "",
             *textwrap.wrap(f"{there} functions are implemented. {absent} more are declared, and a call of them is "
                            f"an error. {missing} functions of MPI 4.1 are not declared. Fortran has all declared "
                            "functions, except tools and those that are listed as in C only. Where C has a function "
                            "with `_c` for large counts, the same name without `_c` takes them in mpi_f08.",
                            110), ""]
    for title in list(declared) + [t for t in undeclared if t not in declared]:
        names = declared.get(title, [])
        lines += [f"## {title}", ""]
        for heading, some in (("Implemented", [n for n in names if n in defined]),
                              ("In C only", [n for n in names if n in defined and n not in in_fortran]),
                              ("Declared only", [n for n in names if n not in defined]),
                              ("Not declared", undeclared.get(title, []))):
            if some:
                lines += textwrap.wrap(f"{heading} ({len(some)}): {', '.join(some)}.", 110) + [""]
    return "\n".join(lines).rstrip() + "\n"


def main():
    path = ROOT / "docs/mpi-functions.md"
    wanted = text()
    if sys.argv[1:] == ["--check"]:
        if not path.exists() or path.read_text() != wanted:
            sys.exit("docs/mpi-functions.md is old: run scripts/mpi_functions.py")
        print("docs/mpi-functions.md: as the headers and sources have it")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        path.write_text(wanted)


if __name__ == "__main__":
    main()
