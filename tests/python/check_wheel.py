# SPDX-License-Identifier: Apache-2.0
"""The wheel that pip builds works in an empty virtual environment: programs alone and in processes, with memory of
devices, those of charm4py, sessions, tests of pytest, and find_package.

usage: check_wheel.py SOURCE [pip's options for the build]"""
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = """
import imbrex as ix

class Cell(ix.Chare):
    @ix.entry
    async def number(self):
        return self.where

async def main():
    print(await ix.array(Cell, 10).number.reduce(ix.sum))

ix.run(main)
"""
DEVICES = """
import numpy as np
import imbrex as ix

class Cell(ix.Chare):
    @ix.entry
    async def doubled(self, array):
        return ix.give(ix.device_array(2 * await array.copy_to_host()))

async def main():
    array = await ix.array(Cell, 3)[2].doubled.call(ix.device_array(np.arange(10)))
    print((await array.copy_to_host()).sum())

ix.run(main)
"""
SESSION = """
import imbrex as ix

class Cell(ix.Chare):
    @ix.entry
    def number(self):
        return self.where

with ix.start(processes=2):
    print(ix.array(Cell, 10).number.reduce(ix.sum).result())
"""
CHARM4PY = """
from charm4py import charm

def main(args):
    print(charm.numPes())
    exit()

charm.start(main)
"""
TEST = """
import pytest
import imbrex as ix

@pytest.mark.imbrex(processes=2, seeds=2)
async def test_pes():
    assert ix.num_pes() == 2
"""
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(imbrex REQUIRED)
add_executable(user main.cpp)
target_link_libraries(user PRIVATE imbrex::imbrex)
"""
SOURCE = """
#include <imbrex/imbrex.hpp>
int main(int argc, char** argv) {
  return imbrex::run(argc, argv, []() -> imbrex::task<> { co_return; });
}
"""


def run(*words, **options):
    done = subprocess.run([str(w) for w in words], text=True, stdout=subprocess.PIPE, **options)
    if done.returncode != 0:
        sys.exit(f"{words} ended with status {done.returncode}\n{done.stdout}")
    return done.stdout


def main(source, *options):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", *options, "-w", folder, source)
        [wheel] = folder.glob("*.whl")
        run(sys.executable, "-m", "venv", folder / "venv")
        bin = folder / "venv/bin"
        run(bin / "pip", "install", "-q", f"{wheel}[charm4py,sessions]", "pytest")
        names = "prog", "devices", "session", "charm", "test_pes"
        program, devices, session, charm4py, test = (folder / f"{name}.py" for name in names)
        for file, text in ((program, PROGRAM), (devices, DEVICES), (session, SESSION), (charm4py, CHARM4PY),
                           (test, TEST)):
            file.write_text(text)
        assert run(bin / "python", program, cwd=folder) == "45\n"
        assert run(bin / "imbrex", "run", "-n", "2", bin / "python", program, cwd=folder) == "45\n"
        of_devices = devices, "--device", "emulated"
        assert run(bin / "python", *of_devices, cwd=folder) == "90\n"
        assert run(bin / "imbrex", "run", "-n", "2", bin / "python", *of_devices, cwd=folder) == "90\n"
        assert run(bin / "python", session, cwd=folder) == "45\n"
        assert run(bin / "python", "-m", "imbrex.charm4py", charm4py, "+p2", cwd=folder) == "2\n"
        assert "3 passed" in run(bin / "python", "-m", "pytest", "-q", test, cwd=folder)
        cmake_dir = run(bin / "python", "-m", "imbrex", "--cmake-dir", cwd=folder).strip()
        (folder / "CMakeLists.txt").write_text(PROJECT)
        (folder / "main.cpp").write_text(SOURCE)
        run("cmake", "-S", folder, "-B", folder / "build", f"-Dimbrex_DIR={cmake_dir}", "-DCMAKE_BUILD_TYPE=Release",
            "-DCMAKE_CXX_COMPILER=clang++-19")
        run("cmake", "--build", folder / "build")
        run(folder / "build/user", "--pes", "2")
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")


main(*sys.argv[1:])
