#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles all kernels for each architecture and prints the registers, shared memory and spills of each.
Fails if one spills, needs more registers or stack than is stated below, or has other instructions than
check_instructions.py states. Needs no GPU. Without nvcc it is skipped (status 77), and where all is right but the
instructions could not be looked at.

usage: check_kernels.py NVCC REPOSITORY [option of nvcc...]; NVCC is empty where there is none
"""
import pathlib
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from check_instructions import Instructions

ARCHITECTURES = ["sm_80", "sm_90"]

# The maximum bytes of a kernel's stack, and of those in some files. A larger stack keeps values in memory that should
# be in registers.
STACK = 16
STACKS = {
    "apps/queens/native_kernels.cu": 208,  # the rows of a board
}

# The most registers of a thread, by kernel: a new one gets its line here. A multiprocessor has 65,536, so 64
# let 1,024 threads run at once, 32 all the 2,048 that it can hold. Instances of a template share a line.
# Kernels of libraries, such as those of Thrust in an example, have none.
LIBRARIES = ("cub::", "thrust::")
REGISTERS = {
    "bench::flag_kernel": 32,
    "bench::spin_kernel": 16,
    "fill_for_the_host": 16,
    "give_back": 16,
    "imbrex::detail::combine": 32,
    "imbrex::grid::detail::move_boxes_kernel": 24,
    "imbrex::resident::detail::resident_kernel": 120,  # with the entries of a program; at most 512 threads
    "imbrex::test::add_kernel": 16,
    "imbrex::test::append_kernel": 16,
    "jacobi2d::loop_kernel": 64,
    "jacobi2d::sweep_kernel": 64,
    "jacobi3d::pack_kernel": 32,
    "jacobi3d::unpack_kernel": 32,
    "jacobi3d::update_with_faces_kernel": 64,
    "jacobi3d::update_kernel": 64,  # two blocks of 512 threads; native_kernels.cu says what they are for
    "look_at_the_host": 16,
    "look_for_quiescence": 16,
    "minimd::advance_kernel": 32,
    "minimd::copy_images_kernel": 24,
    "minimd::eam_forces_and_sums_kernel": 64,
    "minimd::eam_forces_kernel": 56,
    "minimd::eam_slopes_kernel": 40,
    "minimd::kick_kernel": 24,
    "minimd::lj_forces_and_sums_kernel": 48,
    "minimd::lj_forces_kernel": 48,
    "minimd::pack_kernel": 24,
    "minimd::pack_slopes_kernel": 16,
    "minimd::unpack_kernel": 24,
    "minimd::unpack_slopes_kernel": 16,
    "poll_of_a_mailbox": 16,
    "publish": 16,
    "queens::search_kernel": 24,
    "send_of_8_bytes": 24,
    "send_across": 16,
    "send_to_a_neighbour": 24,
    "send_with_memory": 24,
    "signal": 16,
    "signal_across": 16,
    "take": 24,
    "take_across": 16,
    "take_back": 16,
    "take_of_a_neighbour": 16,
}

PROGRAMS = ["imbrex", "apps", "examples", "bench", "tests"]
SKIPPED = 77
SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")


@dataclass
class Usage:
    """The report of ptxas on one function: a kernel, or one that kernels call."""
    function: str
    registers: int = 0  # 0 for other functions: counted with their callers
    shared: int = 0     # bytes, where their number is known when compiling
    stack: int = 0
    spill_stores: int = 0
    spill_loads: int = 0
    is_kernel: bool = False


def readable(symbol):
    """The qualified name in a mangled one, without arguments and unnamed namespaces: nvcc may come without
    cu++filt."""
    nested = re.match(r"_ZN?K?", symbol)
    names = []
    at = nested.end() if nested else len(symbol)
    while number := re.compile(r"\d+").match(symbol, at):
        at = number.end() + int(number.group())
        names.append(symbol[number.end():at])
    names = [name for name in names if not name.startswith("_GLOBAL__N_")]
    if nested and not symbol.startswith("_ZN"):
        names = names[:1]  # types of arguments follow
    return "::".join(names) or symbol


def usages(said):
    """The output of `ptxas -v`, as one Usage for each function."""
    found = {}
    kernel = of = None
    for line in said.splitlines():
        if match := re.search(r"Compiling entry function '([^']+)'", line):
            kernel = of = found.setdefault(match[1], Usage(readable(match[1])))
            kernel.is_kernel = True
        elif match := re.search(r"Function properties for '?([^\s']+)", line):
            of = found.setdefault(match[1], Usage(readable(match[1])))
        elif match := SPILLS.search(line):
            of.stack, of.spill_stores, of.spill_loads = map(int, match.groups())
        elif match := re.search(r"Used (\d+) registers", line):
            kernel.registers = int(match[1])
            shared = re.search(r"(\d+)(?:\+\d+)? bytes smem", line)
            kernel.shared = int(shared[1]) if shared else 0
    return list(found.values())


def complaints(found, bounds, stack=STACK):
    """The complaints about these usages, one string each."""
    wrong = []
    for use in found:
        if use.function.startswith(LIBRARIES):
            continue
        if use.spill_stores or use.spill_loads:
            wrong.append(f"{use.function} spills: {use.spill_stores} bytes are stored, "
                         f"{use.spill_loads} loaded")
        if not use.is_kernel:
            continue
        if use.stack > stack:
            wrong.append(f"{use.function} has {use.stack} bytes of stack, more than {stack}")
        if use.registers == 0:
            wrong.append(f"{use.function}: ptxas did not say how many registers it uses")
        if use.function not in bounds:
            wrong.append(f"{use.function} uses {use.registers} registers: state a bound in {__file__}")
        elif use.registers > bounds[use.function]:
            wrong.append(f"{use.function} uses {use.registers} registers, more than {bounds[use.function]}")
    return wrong


def compile_file(nvcc, options, architecture, file, cubin):
    """The report of ptxas on a file's functions. Throws subprocess.CalledProcessError, with its output in `stdout`."""
    command = [nvcc, "-cubin", "-o", cubin, f"-arch={architecture}", "-Xptxas", "-v", *options, str(file)]
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout


def main(nvcc, root, *options):
    if not nvcc:
        print("skipped: no CUDA compiler was found. Put nvcc on the PATH and configure anew.")
        return SKIPPED
    root = pathlib.Path(root)
    files = [file for folder in PROGRAMS for file in sorted((root / folder).rglob("*.cu"))]
    instructions = Instructions(nvcc, root)
    wrong = []
    seen = set()
    print("registers  shared  stack  spills  kernel")
    for architecture in ARCHITECTURES:
        for file in files:
            where = f"{file.relative_to(root)}, {architecture}"
            print(where)
            with tempfile.TemporaryDirectory() as folder:
                cubin = f"{folder}/kernels.cubin"
                try:
                    found = usages(compile_file(nvcc, options, architecture, file, cubin))
                except subprocess.CalledProcessError as error:
                    wrong.append(f"{where}: does not compile\n{error.stdout}")
                    continue
                wrong += [f"{where}: {complaint}" for complaint in instructions.look_at(file, architecture, cubin)]
            for use in found:
                spills = use.spill_stores + use.spill_loads
                print(f"{use.registers:9}  {use.shared:6}  {use.stack:5}  {spills:6}  {use.function}")
            seen.update(use.function for use in found if use.is_kernel)
            stack = STACKS.get(str(file.relative_to(root)), STACK)
            wrong += [f"{where}: {complaint}" for complaint in complaints(found, REGISTERS, stack)]
    if not any("does not compile" in complaint for complaint in wrong):
        wrong += [f"{name} has a bound in {__file__}, but there is no such kernel"
                  for name in sorted(REGISTERS.keys() - seen)]
    for complaint in wrong:
        print(complaint, file=sys.stderr)
    if not instructions.disassembler:
        print("skipped: cuobjdump and nvdisasm were not found, so the instructions of operations were not looked at. "
              "Install nvidia-cuda-cuobjdump and nvidia-cuda-nvdisasm of PyPI.")
    return 1 if wrong else 0 if instructions.disassembler else SKIPPED


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
