#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles and links relay.cpp, as CUDA, against NVSHMEM, for each architecture: the kernel of chares inside GPUs with
their heap in its memory. Nothing is run: that needs GPUs. Skipped (status 77) where there is no nvcc or no NVSHMEM.

usage: link_test.py NVCC NVSHMEM REPOSITORY [option of nvcc...]; NVSHMEM is the folder that has include and lib
"""
import pathlib
import subprocess
import sys
import tempfile

ARCHITECTURES = [80, 90]
SKIPPED = 77


def main():
    nvcc, nvshmem, root, *options = sys.argv[1:]
    for found, name in ((nvcc, "nvcc"), (nvshmem, "NVSHMEM (of PyPI: nvidia-nvshmem-cu13, or -cu12)")):
        if not found:
            print(f"skipped: {name} was not found")
            return SKIPPED
    libraries = pathlib.Path(nvshmem) / "lib"
    host = next(iter(sorted(libraries.glob("libnvshmem_host.so*"))), None)
    if host is None:
        print(f"skipped: {libraries} has no libnvshmem_host.so")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        for architecture in ARCHITECTURES:
            command = [nvcc, "-x", "cu", "-std=c++17", "-rdc=true", f"-arch=sm_{architecture}", *options,
                       f"-I{nvshmem}/include", f"{root}/tests/nvshmem/relay.cpp", f"-L{libraries}", "-lnvshmem_device",
                       "-Xlinker", str(host), "-o", f"{folder}/relay"]
            made = subprocess.run(command, capture_output=True, text=True, check=False)
            print(made.stdout + made.stderr, end="")
            if made.returncode != 0:
                print(f"sm_{architecture}: it cannot be compiled or linked")
                return 1
            print(f"sm_{architecture}: compiled and linked")
    return 0


if __name__ == "__main__":
    sys.exit(main())
