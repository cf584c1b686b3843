#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes abi_table.inc: the values of MPICH's constants and the types of its functions, for abi_test.cpp; and
fortran_abi_table.txt: the values of Fortran's constants, and its common blocks, for programs_test.py. Needs gfortran.

usage: make_abi_table.py DIRECTORY    the folder of MPICH's mpi.h, for example of Debian's libmpich-dev, unpacked:
       apt-get download libmpich-dev && dpkg -x libmpich-dev_*.deb . && ls usr/include/*/mpich/mpi.h
"""
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
OWN_HEADERS = HERE.parent.parent / "imbrex/mpi/include"
# Ours say which version of the standard there is.
LEFT_OUT = {"MPI_VERSION", "MPI_SUBVERSION"}


def names_of(header_folder):
    """The constants that a header defines: macros that have a value, and enumerators."""
    def preprocess(*options):
        return subprocess.run(["cc", "-E", *options, f"-I{header_folder}", "-include", "mpi.h", "-x", "c",
                               "/dev/null"], check=True, capture_output=True, text=True).stdout
    macros = re.findall(r"^#define (MPI_[A-Z0-9_]+) \S", preprocess("-dM"), re.MULTILINE)
    enumerators = [name for body in re.findall(r"enum\s*\w*\s*\{(.*?)\}", preprocess("-P"), re.DOTALL)
                   for name in re.findall(r"\b(MPI_[A-Z0-9_]+)\b", body)]
    return set(macros) | set(enumerators)


def values_of(header_folder, names):
    """The value of each name as a number; a pointer as its address. Names that are no numbers are left out."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "values.c"

        def compile_values(some):
            """Compiles a program that prints them; returns the names for which that fails."""
            lines = "".join(f'{{ "{name}", (long)({name}) }},\n' for name in some)
            source.write_text("#include <stdio.h>\n#include <mpi.h>\n"
                              "static const struct { const char* name; long value; } all[] = {\n" + lines + "};\n"
                              "int main(void) { for (unsigned i = 0; i < sizeof all / sizeof *all; ++i)\n"
                              'printf("%s %ld\\n", all[i].name, all[i].value); return 0; }\n')
            result = subprocess.run(["cc", f"-I{header_folder}", source, "-o", f"{folder}/values"],
                                    capture_output=True, text=True)
            wrong = re.findall(r"values\.c:(\d+):\d+: error", result.stderr)
            if result.returncode != 0 and not wrong:
                sys.exit(result.stderr)
            return {some[int(line) - 4] for line in wrong}

        numbers = sorted(name for name in names if not name.endswith("_DUP_FN"))  # these are functions
        while failed := compile_values(numbers):
            numbers = [name for name in numbers if name not in failed]
        output = subprocess.run([f"{folder}/values"], check=True, capture_output=True, text=True).stdout
    return dict(line.split() for line in output.splitlines())


def functions_of(header_folder):
    """The functions that MPICH declares: name -> (result, parameters without their names)."""
    text = "".join((pathlib.Path(header_folder) / name).read_text() for name in ("mpio.h", "mpi_proto.h"))
    text = re.sub(r"/\*.*?\*/|^#.*?$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"MPICH_ATTR_POINTER_WITH_TYPE_TAG\(\d+,\d+\)|\w+_API_PUBLIC", "", text)
    text = text.replace("MPIO_Request", "MPI_Request")  # a macro of MPICH's
    found = {}
    for result, name, parameters in re.findall(r"\b(\w+)\s+(MPIX?_\w+)\s*\(([^;{}]*?)\)\s*;", text):
        types = []
        for parameter in " ".join(parameters.split()).split(", "):
            arrays = "".join(re.findall(r"\[\d*\]", parameter))
            kind = re.sub(r"\[\d*\]", "", parameter)
            if kind not in ("void", "..."):
                kind = re.sub(r"\b\w+$", "", kind).strip() if re.search(r"\w[ *]+\w+$", kind) else kind
            types.append(kind + (" " + arrays if arrays else ""))
        found[name] = (result, ", ".join(types))
    return found


def fortran_program(names):
    """A program that writes what each of mpif.h's constants is."""
    lines = "".join(f"      write (*, *) '{name} ',\n     & {name}\n" for name in names)
    return f"      program values\n      implicit none\n      include 'mpif.h'\n{lines}      end\n"


def common_blocks_of(header_folder):
    """The variables of a header's common blocks, a line for each block."""
    text = (pathlib.Path(header_folder) / "mpif.h").read_text()
    return sorted(f"COMMON /{name}/ {' '.join(variables.split())}"
                  for name, variables in re.findall(r"COMMON\s*/(\w+)/([^\n]*)", text))


def fortran_values_of(header_folder):
    """The values of mpif.h's constants, a line for each."""
    text = re.sub(r"^[^ ].*$", "", (pathlib.Path(header_folder) / "mpif.h").read_text(), flags=re.MULTILINE)
    names = {name for body in re.findall(r"PARAMETER\s*\(([^\n]*)", text) for name in re.findall(r"(\w+)=", body)}
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "values.f"
        source.write_text(fortran_program(sorted(names - LEFT_OUT)))
        subprocess.run(["gfortran", f"-I{header_folder}", source, "-o", f"{folder}/values"], check=True)
        output = subprocess.run([f"{folder}/values"], check=True, capture_output=True, text=True).stdout
    return [" ".join(line.split()) for line in output.splitlines()]


def main():
    folder = sys.argv[1]
    (HERE / "fortran_abi_table.txt").write_text(
        "\n".join(fortran_values_of(folder) + common_blocks_of(folder)) + "\n")
    ours = names_of(OWN_HEADERS)
    lines = ["// SPDX-License-Identifier: Apache-2.0",
             "// Made by make_abi_table.py of MPICH's headers.",
             "// CONSTANT(name, value), FUNCTION(result, name, parameters)"]
    for name, value in sorted(values_of(folder, (names_of(folder) & ours) - LEFT_OUT).items()):
        lines.append(f"CONSTANT({name}, {value})")
    own_text = "".join(path.read_text() for path in OWN_HEADERS.glob("*.h"))
    declared = {f"MPI{x}_{name}" for x, name in re.findall(r"IMBREX_MPI(X?)\(\w+, (\w+),", own_text)}
    for name, (result, parameters) in sorted(functions_of(folder).items()):
        if name in declared:
            lines.append(f"FUNCTION({result}, {name}, ({parameters}))")
    (HERE / "abi_table.inc").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
