#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks at the instructions of kernels that take orders of memory into their own hands, for check_kernels.py.

No instruction may be all zeros: into that nvcc 13.0 assembles, without a word, what the architecture does not have,
such as fence.acquire for less than sm_90. And each operation of a mailbox inside a GPU must be the instructions that
it is meant to be, so that a change of the compiler's output is seen; that needs cuobjdump and nvdisasm (of PyPI:
nvidia-cuda-cuobjdump, nvidia-cuda-nvdisasm) on the PATH, beside nvcc or among this Python's packages.
"""
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sysconfig

OPERATIONS = "imbrex/resident/transport/instructions.test.cu"

LOAD_128 = r"LDG\.E\.128\.STRONG\.GPU"
LOAD = r"LDG\.E\.STRONG\.GPU"  # where a stamp alone is looked at, ptxas loads no more than that
STORE_128 = r"STG\.E\.128\.STRONG\.GPU"
STORE = r"STG\.E\.STRONG\.GPU"
ADD = r"ATOMG\.E\.ADD\.STRONG\.GPU"
COMPARE = r"ATOMG\.E\.CAS\.STRONG\.GPU"
EXCHANGE = r"ATOMG\.E\.EXCH\.STRONG\.GPU"
LOAD_128_HOST = r"LDG\.E\.128\.STRONG\.SYS"
STORE_128_HOST = r"STG\.E\.128\.STRONG\.SYS"
LOAD_HOST = r"LDG\.E\.STRONG\.SYS"
STORE_HOST = r"STG\.E\.STRONG\.SYS"
RELEASE_HOST = r"MEMBAR\.ALL\.SYS"
RELEASE = r"MEMBAR\.ALL\.GPU"
ACQUIRE = r"CCTL\.IVALL"
ALL = [LOAD_128, LOAD, STORE_128, STORE, ADD, COMPARE, EXCHANGE, RELEASE, ACQUIRE, LOAD_128_HOST, LOAD_HOST,
       STORE_128_HOST, STORE_HOST, RELEASE_HOST]

# For each operation, the number of these instructions in it; others of them must not occur, and none may be MEMBAR.SC.
EXPECTED = {
    "poll_of_a_mailbox": {LOAD_128: 1},
    "send_of_8_bytes": {LOAD: 2, ADD: 1, STORE_128: 1},  # a look beside the draw; another if that was for another slot
    "send_with_memory": {LOAD: 2, ADD: 1, STORE_128: 1, RELEASE: 1},
    # To another GPU: how far its receiver is, and a store.
    "send_across": {LOAD_HOST: 1, STORE_128_HOST: 1},
    "signal_across": {LOAD_HOST: 1, STORE_128_HOST: 1, RELEASE_HOST: 1},
    "take_across": {LOAD_128_HOST: 1, ACQUIRE: 1, STORE_HOST: 1},
    "take": {LOAD_128: 1, STORE_128: 1, ACQUIRE: 1},
    "give_back": {LOAD: 1, COMPARE: 1, RELEASE: 1},
    "take_back": {LOAD: 1, EXCHANGE: 1, ACQUIRE: 1},
    "signal": {ADD: 1, STORE: 1, RELEASE: 1, ACQUIRE: 1},
    "publish": {STORE: 1, RELEASE: 1},
    "look_for_quiescence": {LOAD: 2, ACQUIRE: 1},
    "look_at_the_host": {LOAD_HOST: 1, ACQUIRE: 1},
    "fill_for_the_host": {LOAD_HOST: 1, ACQUIRE: 1, STORE_HOST: 1, RELEASE_HOST: 1},
}


# Operations between blocks of a cluster, on architectures that have clusters: an asynchronous store into the other's
# shared memory, polls of barriers, and their arrivals. No fence, and no access to the memory of the GPU.
CLUSTERS_FROM = 90
STORE_NEAR = r"STAS\.128"
LOOK_NEAR = r"SYNCS\.PHASECHK"
ARRIVE_NEAR = r"SYNCS\.ARRIVE"
LOAD_NEAR = r"LDS\.128"
ALL_NEAR = [STORE_NEAR, LOOK_NEAR, ARRIVE_NEAR, LOAD_NEAR]
EXPECTED_OF_CLUSTERS = {
    "send_to_a_neighbour": {STORE_NEAR: 1, LOOK_NEAR: 1},
    "take_of_a_neighbour": {LOOK_NEAR: 1, LOAD_NEAR: 1, ARRIVE_NEAR: 2, ACQUIRE: 1},  # the last of ordered items
}


def sections(cubin):
    """The name and the bytes of each section of an ELF file of 64 bits."""
    offset = struct.unpack_from("<Q", cubin, 0x28)[0]
    size, count, names = struct.unpack_from("<HHH", cubin, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", cubin, offset + n * size) for n in range(count)]
    table = headers[names][4]
    for name, _, _, _, at, length in headers:
        start = table + name
        yield cubin[start:cubin.index(b"\0", start)].decode(), cubin[at:at + length]


def illegal_instructions(cubin):
    """The functions that have an instruction of sixteen zero bytes."""
    return [name.removeprefix(".text.") for name, code in sections(cubin) if name.startswith(".text.")
            and any(not any(code[at:at + 16]) for at in range(0, len(code) - 15, 16))]


def functions(disassembled):
    """The text of each function in what `cuobjdump -sass` says."""
    parts = re.split(r"^\s*Function : (\S+)$", disassembled, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def complaints(found, architecture):
    """The differences from EXPECTED in these functions, one string each."""
    wrong = []
    for function, expected in (EXPECTED | (EXPECTED_OF_CLUSTERS if architecture >= CLUSTERS_FROM else {})).items():
        text = found.get(function)
        if text is None:
            wrong.append(f"there is no function {function}")
            continue
        for pattern in ALL + ALL_NEAR:
            count = expected.get(pattern, 0)
            if (seen := len(re.findall(pattern + r"(?=[ .;])", text))) != count:
                wrong.append(f"{function} has {seen} of {pattern}, not {count}")
        if "MEMBAR.SC" in text:
            wrong.append(f"{function} has a sequentially consistent fence")
    return wrong


def tool(name, nvcc):
    """Where a tool is: on the PATH, beside nvcc or among Python's packages; None if nowhere."""
    packages = pathlib.Path(sysconfig.get_path("purelib")).glob("nvidia/*/bin")
    folders = [str(folder) for folder in (pathlib.Path(nvcc).resolve().parent, *packages)]
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(folders))


class Instructions:
    """Looks at the compiled kernels of the repository at `root`."""

    def __init__(self, nvcc, root):
        self.root = root
        self.disassembler = tool("cuobjdump", nvcc) if tool("nvdisasm", nvcc) else None
        if self.disassembler:
            folder = pathlib.Path(tool("nvdisasm", nvcc)).parent
            self.environment = {**os.environ, "PATH": f"{os.environ['PATH']}:{folder}"}

    def look_at(self, file, architecture, cubin):
        """The complaints about a file that was compiled for an architecture, such as "sm_90"; one string each."""
        if "imbrex/resident/" not in file.read_text():
            return []
        wrong = [f"{function} has an illegal instruction"
                 for function in illegal_instructions(pathlib.Path(cubin).read_bytes())]
        if self.disassembler and str(file.relative_to(self.root)) == OPERATIONS:
            text = subprocess.run([self.disassembler, "-sass", cubin], check=True, capture_output=True, text=True,
                                  env=self.environment).stdout
            wrong += complaints(functions(text), int(architecture.removeprefix("sm_")))
        return wrong
