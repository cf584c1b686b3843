#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the programs of programs/ by each compiler that is found, and runs them as several copies in one process.

usage: image_test.py DRIVER_LIBRARY some|all [unittest's arguments]

some: a few compilers and options for each program, which see all of them together; all: each with each.
"""
import concurrent.futures
import itertools
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
    """Programs, each compiled at its first use."""
    folder = None
    made = {}
    numbers = itertools.count()

    @classmethod
    def program(cls, source, compiler, *options):
        key = (source, compiler, *options)
        if key not in cls.made:
            output = cls.folder / f"{pathlib.Path(source).stem}-{next(cls.numbers)}"
            command = [compiler, str(HERE / "programs" / source), f"-I{HERE}", "-o", str(output), *options,
                       str(DRIVER), f"-Wl,-rpath,{DRIVER.parent}", "-pthread"]
            files = pathlib.Path(f"{output}.files")  # where it and its compiler write files
            files.mkdir()
            done = subprocess.run(command, text=True, stderr=subprocess.PIPE, cwd=files)
            if done.returncode != 0:
                raise AssertionError(f"{' '.join(command)}: {done.stderr}")
            cls.made[key] = output
        return cls.made[key]


def run(program, *arguments, copies=COPIES, threads=1, **environment):
    settings = {**os.environ, "IMAGE_COPIES": str(copies), "IMAGE_THREADS": str(threads),
                **{name: str(value) for name, value in environment.items()}}
    return subprocess.run([str(program), *arguments], env=settings, text=True, timeout=60, stdin=subprocess.DEVNULL,
                          cwd=f"{program}.files", stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def variants(source):
    """Compilers and options of a program."""
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
    def check(self, source, lines, *arguments, options=(), **settings):
        """Each variant prints these lines, in some order, and nothing else."""
        ways = variants(source)
        if not ways:
            self.skipTest(f"no compiler for {source}")
        expected = lines(COPIES)

        def one(way):
            compiler, level, link = way
            program = Build.program(source, compiler, level, *options_of(compiler, link), *options)
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

    def test_objects_exceptions_and_thread_local_variables(self):
        self.check("objects.cpp", lambda copies: [line for i in range(copies) for line in (
            f"copy {i}: 255 is {'ff' if i % 2 else 255}, failures 0",
            f"thread_local of copy {i} ends as thread{i}", f"end of text {i} in copy {i}")])

    def test_state_of_the_c_library_and_whole_lines(self):
        self.check("library_state.c", lambda copies: [f"[{i}] {line}" for i in range(copies) for line in (
            f"copy {i} is done", "xy", "direct line")], "-ab", "file", "--size", "42", "-v", "-bv", "--", "-x",
                   options=("-rdynamic", "-lm"), IMAGE_PREFIX="on")

    def test_threads_of_copies(self):
        calls = [f"{call} of copy {i}" for i in range(COPIES) for call in ("puts", "printf", "write", "atexit")]
        self.check("threads.cpp", lambda copies: 4 * calls)

    def test_a_thread_that_exits_ends_the_process(self):
        if not (compiler := found(["g++"])):
            self.skipTest("no compiler of C++")
        done = run(Build.program("threads.cpp", compiler, "-O1"), "5")
        self.assertEqual((done.stderr, done.returncode), ("copy 1 has ended on a thread with the status 5\n", 5))

    def test_standard_outputs_of_copies(self):
        self.check("streams.cpp", lambda copies: [f"{part} {i}" for i in range(COPIES)
                                                  for part in ("first", "second", "third")])

    def test_fortran(self):
        self.check("units.f90", lambda copies: [f"copy {i} failures 0" for i in range(copies)])

    def test_four_thousand_copies(self):
        compiler = found(["gcc", "clang-19", "clang"])
        if not compiler:
            self.skipTest("no compiler of C")
        done = run(Build.program("globals.c", compiler, "-O2"), copies=4000)
        self.assertEqual(done.stderr, "")
        self.assertEqual(len(set(done.stdout.splitlines())), 3 * 4000)
        self.assertEqual(done.returncode, 0)

    def test_libraries_of_each_copy(self):
        for names in COMPILERS[".c"]:
            if not (compiler := found(names)):
                continue
            library = Build.folder / f"libcounter-{names[0]}.so"
            subprocess.run([compiler, "-shared", "-fPIC", str(HERE / "programs" / "counter.c"), "-o", str(library)],
                           check=True)
            program = Build.program("counts.c", compiler, str(library), f"-Wl,-rpath,{Build.folder}")
            with self.subTest(compiler=compiler):
                done = run(program, IMAGE_LIBRARIES=library.name)
                self.assertEqual(done.stderr, "")
                self.assertEqual(done.stdout.splitlines(),
                                 [f"copy {i} counts {10 * i + 1}, has {10 * i + 1}" for i in range(COPIES)])
        # gcc lays the library's variable into the program.
        if found(["gcc"]):
            self.assertEqual(run(Build.program("counts.c", found(["gcc"]), str(Build.folder / "libcounter-gcc.so"),
                                               f"-Wl,-rpath,{Build.folder}")).stderr, (
                "warning: each rank has its own variable counter, but not libcounter-gcc.so, whose variable it is: "
                "privatise that library too\n"))

    def test_libraries_that_copies_load(self):
        compiler = found(["gcc", "clang-19", "clang"])
        if not compiler:
            self.skipTest("no compiler of C")
        library = Build.folder / "libloaded.so"
        subprocess.run([compiler, "-shared", "-fPIC", str(HERE / "programs" / "counter.c"), "-o", str(library)],
                       check=True)
        program = Build.program("counts.c", compiler, "-DLOADED")
        own = [f"copy {i} counts {10 * i + 1}, has {10 * i + 1}" for i in range(COPIES)]
        done = run(program, str(library), IMAGE_LIBRARIES=str(library))
        self.assertEqual((done.stderr, done.stdout.splitlines()), ("", own))
        done = run(program, str(library))
        self.assertEqual(done.stderr, (
            f"imbrex: warning: ranks have loaded {library}, whose variables all ranks of a process share: if results "
            f"are wrong, or a rank crashes, give each rank its own by --privatise {library}\n"))
        self.assertNotEqual(done.stdout.splitlines(), own)

    def test_a_library_stands_before_the_c_library(self):
        compiler = found(["gcc", "clang-19", "clang"])
        if not compiler:
            self.skipTest("no compiler of C")
        library = Build.folder / "libbefore.so"
        source = HERE / "programs" / "stands_before.c"
        subprocess.run([compiler, "-shared", "-fPIC", "-fno-builtin", "-DLIBRARY", str(source), "-o", str(library)],
                       check=True)
        done = run(Build.program("stands_before.c", compiler, str(library), f"-Wl,-rpath,{Build.folder}"))
        self.assertEqual((done.stderr, done.stdout), ("", COPIES * "-4\n"))

    def test_a_debugger_knows_the_functions_of_copies(self):
        compiler, debugger = found(["gcc", "clang-19", "clang"]), shutil.which("gdb")
        if not compiler or not debugger:
            self.skipTest("no compiler of C, or no gdb")
        done = subprocess.run([debugger, "-q", "-nx", "-batch", "-ex", "set breakpoint pending on", "-ex",
                               "break copy_yield", "-ex", "run", "-ex", "continue 2", "-ex", "backtrace",
                               str(Build.program("globals.c", compiler, "-g"))],
                              env={**os.environ, "IMAGE_COPIES": "3"}, text=True, timeout=100,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertRegex(done.stdout, r"#0 .*copy_yield.*\n#1 +0x0*3[0-9a-f]+ in main \(argc=1,.*globals.c:\d+\n#2 ")


class Refusals(unittest.TestCase):
    def setUp(self):
        self.compiler = found(["gcc", "clang-19", "clang"])
        if not self.compiler:
            self.skipTest("no compiler of C")

    def refusal(self, *options, **settings):
        done = run(Build.program("globals.c", self.compiler, *options), **settings)
        self.assertEqual(done.returncode, 98)
        self.assertEqual(done.stdout, "")
        return done.stderr.strip()

    def test_a_program_for_one_place(self):
        self.assertEqual(self.refusal("-no-pie", "-fno-pie"), (
            "refused: the program is linked for a fixed address, so that it cannot have several ranks in a "
            "process: compile it with -fPIE and link it with -pie, or start a process for each rank"))

    def test_libraries_that_a_process_has_once(self):
        for name in ("libc.so.6", "c", "image_driver"):
            self.assertEqual(self.refusal(IMAGE_LIBRARIES=name),
                             f"refused: ranks cannot have a library {name} of their own each, as a process has it "
                             "once: leave it out of --privatise")

    def test_a_library_that_is_not_there(self):
        self.assertEqual(self.refusal(IMAGE_LIBRARIES="nosuch"), (
            "refused: the program does not use a library nosuch, of which each rank should have its own: leave it "
            "out of --privatise; if the program loads it by dlopen, name its file with the folder"))

    def test_the_original_runs_where_no_copies_are_asked_for(self):
        for options in ((), ("-no-pie", "-fno-pie")):
            done = run(Build.program("globals.c", self.compiler, *options), IMAGE_ORIGINAL="on")
            self.assertEqual(done.stdout.splitlines(),
                             ["copy -1 of 0", "atexit 1 of copy -1", "destructor 1 of copy -1"])
            self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    DRIVER, WHICH = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        Build.folder = pathlib.Path(folder)
        unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
