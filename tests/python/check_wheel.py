# SPDX-License-Identifier: Apache-2.0
"""The wheel that pip builds works in an empty virtual environment: programs alone and in processes, and find_package.

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
        run(bin / "pip", "install", "-q", wheel)
        program = folder / "prog.py"
        program.write_text(PROGRAM)
        assert run(bin / "python", program, cwd=folder) == "45\n"
        assert run(bin / "imbrex", "run", "-n", "2", bin / "python", program, cwd=folder) == "45\n"
        cmake_dir = run(bin / "python", "-m", "imbrex", "--cmake-dir", cwd=folder).strip()
        (folder / "CMakeLists.txt").write_text(PROJECT)
        (folder / "main.cpp").write_text(SOURCE)
        run("cmake", "-S", folder, "-B", folder / "build", f"-Dimbrex_DIR={cmake_dir}",
            "-DCMAKE_CXX_COMPILER=clang++-19")
        run("cmake", "--build", folder / "build")
        run(folder / "build/user", "--pes", "2")
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")


main(*sys.argv[1:])
