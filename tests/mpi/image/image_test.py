#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the programs of programs/ by each compiler that is found, and runs them as several copies in one process.

usage: image_test.py DRIVER_LIBRARY some|all [unittest's arguments]

some: a few compilers and options for each program, which see all of them together; all: each with each.
"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
COPIES = 4

# By language: compilers, the first of each family that is there.
COMPILERS = {".c": [["gcc"], ["clang-19", "clang"]], ".cpp": [["g++"], ["clang++-19", "clang++"]],
             ".f90": [["gfortran"]]}
LINKS = {"plain": [], "lto": ["-flto"], "now": ["-Wl,-z,now", "-Wl,-z,relro"], "stripped": ["-s"],
         "relr": ["-Wl,-z,pack-relative-relocs"], "lld": ["-fuse-ld=lld"], "exported": ["-rdynamic"]}
LEVELS = ["-O0", "-O1", "-O2", "-O3"]


def found(names):
    return next((shutil.which(name) for name in names if shutil.which(name)), None)


def fits(compiler, link):
    """Whether a compiler of this machine links so."""
    name = pathlib.Path(compiler).name
    if link == "lto":  # clang's needs the linker of its version
        return "clang" not in name or shutil.which("ld.lld-19") is not None
    return link != "lld" or ("clang" in name and shutil.which("ld.lld-19") is not None)


def options_of(compiler, link):
    lld = ["-fuse-ld=lld"] if link == "lto" and "clang" in pathlib.Path(compiler).name else []
    return LINKS[link] + lld


class Build:
    """Programs, each compiled when it is asked for first."""
    folder = None
    made = {}

    @classmethod
    def program(cls, source, compiler, *options):
        key = (source, compiler, *options)
        if key not in cls.made:
            output = cls.folder / f"{pathlib.Path(source).stem}-{len(cls.made)}"
            cls.made[key] = output
            command = [compiler, str(HERE / "programs" / source), f"-I{HERE}", "-o", str(output), *options,
                       str(DRIVER), f"-Wl,-rpath,{DRIVER.parent}", "-pthread"]
            done = subprocess.run(command, text=True, stderr=subprocess.PIPE)
            if done.returncode != 0:
                raise AssertionError(f"{' '.join(command)}: {done.stderr}")
        return cls.made[key]


def run(program, *arguments, copies=COPIES, threads=1, **environment):
    settings = {**os.environ, "IMAGE_COPIES": str(copies), "IMAGE_THREADS": str(threads),
                **{name: str(value) for name, value in environment.items()}}
    return subprocess.run([str(program), *arguments], env=settings, text=True, timeout=60, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def variants(source):
    """Of a program: compilers and options."""
    each = [(compiler, level, link) for names in COMPILERS[pathlib.Path(source).suffix] if (compiler := found(names))
            for level in LEVELS for link in LINKS if fits(compiler, link)]
    if WHICH == "all":
        return each
    # Each compiler with two levels, each link once.
    some, compilers = [], {}
    for compiler, level, link in each:
        compilers.setdefault(compiler, []).append((level, link))
    for number, (compiler, ways) in enumerate(compilers.items()):
        links = [link for link in LINKS if fits(compiler, link)]
        chosen = links[number::len(compilers)]
        some += [(compiler, LEVELS[(i + number) % len(LEVELS)], link) for i, link in enumerate(chosen)]
    return some


class Programs(unittest.TestCase):
    def check(self, source, lines, *arguments, **settings):
        """Each variant prints these lines, in some order, and nothing else."""
        ways = variants(source)
        if not ways:
            self.skipTest(f"no compiler for {source}")
        expected = lines(COPIES)

        def one(way):
            compiler, level, link = way
            program = Build.program(source, compiler, level, *options_of(compiler, link))
            return way, [run(program, *arguments, threads=threads, **settings) for threads in (1, 3)]

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for way, runs in pool.map(one, ways):
                for done in runs:
                    with self.subTest(way=way):
                        self.assertEqual(done.stderr, "")
                        self.assertEqual(sorted(done.stdout.splitlines()), sorted(expected))
                        self.assertEqual(done.returncode, 0)

    def test_globals(self):
        self.check("globals.c", lambda copies: [line for i in range(copies) for line in (
            f"copy {i} of {copies}", f"atexit 1 of copy {i}", f"destructor 1 of copy {i}")], "argument")


if __name__ == "__main__":
    DRIVER, WHICH = pathlib.Path(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        Build.folder = pathlib.Path(folder)
        unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
