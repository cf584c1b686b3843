#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a process has once is each rank's own: its threads, its standard streams, its timers and signals.

usage: process_state_test.py BUILD_FOLDER [unittest's arguments]
"""
import itertools
import pathlib
import shutil
import sys
import tempfile
import unittest

from program_runs import BIN, PLACES, ProgramCase, execute

# By compiler: how it compiles OpenMP. clang's library may be of another version than clang.
OPENMP = {"gcc": ("gcc", ["-fopenmp"]), "clang-19": ("clang-19", ["-fopenmp=libomp"])}


class Threads(ProgramCase):
    def openmp(self, compiler):
        command, options = OPENMP[compiler]
        if not shutil.which(command):
            self.skipTest(f"no {command}")
        library = next(iter(sorted(pathlib.Path("/usr/lib").glob("llvm-*/lib/libomp.so"))), None)
        header = next(iter(sorted(pathlib.Path("/usr/lib").glob("llvm-*/lib/clang/*/include/omp.h"))), None)
        if "clang" in command:
            if not library or not header:
                self.skipTest("no libomp")
            include = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
            shutil.copy(header, include)  # the folder has headers of another version of clang
            options = [*options, f"-I{include}", f"-L{library.parent}", f"-Wl,-rpath,{library.parent}"]
        return self.build("openmp.c", *options, name=f"openmp-{compiler}", environment={"IMBREX_MPICC": command})

    def test_openmp(self):
        for compiler in OPENMP:
            with self.subTest(compiler=compiler):
                for lines in self.everywhere(4, self.openmp(compiler)):
                    self.assertEqual(sorted(lines), [f"thread {t} of rank {r}" for t, r in itertools.product(
                        range(2), range(4))] + ["wrong: 0"])

    def test_openmp_of_each_rank(self):
        program = self.openmp("gcc")
        for _ in range(8):
            done = self.run_ranks(3, [*PLACES["two PEs"], "--privatise", "libgomp"], program)
            self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 7), done.stderr)

    def test_threads_of_cpp(self):
        tbb = pathlib.Path("/usr/include/tbb/parallel_for.h").exists()
        options, libraries = (["-DWITH_TBB"], ["-ltbb"]) if tbb else ([], [])
        program = self.build("threads.cpp", *options, links=("-O2", *libraries))
        parts = range(40 if tbb else 2)
        wanted = sorted([f"part {p} of rank {r}" for p in parts for r in range(4)] + ["got 1"])
        for lines in self.everywhere(4, program):
            self.assertEqual(sorted(lines), wanted)

    def test_a_thread_that_exits_ends_the_run(self):
        program = self.build("threads.cpp", name="exits")
        for status, seen in (("3", 3), ("0", 1)):
            for place in ("two PEs", "two processes"):
                done = self.run_ranks(3, PLACES[place], program, status)
                self.assertIn(f"rank 1 has ended with the status {status} on a thread that it has started", done.stderr)
                self.assertEqual(done.returncode, seen)


class Waits(ProgramCase):
    def test_a_rank_that_waits_lets_others_run(self):
        program = self.build("waits.cpp")
        for name, place in PLACES.items():
            with self.subTest(place=name), tempfile.TemporaryDirectory() as files:
                time = "machine" if name == "deterministic" else "real"
                done = self.run_ranks(4, place, program, files, time)
                self.assertEqual((done.returncode, done.stdout), (0, "wrong: 0\n"), done.stderr)

    def test_timers_and_signals(self):
        program = self.build("signals.c")
        for lines in self.everywhere(4, program):
            self.assertEqual(lines, ["wrong: 0"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
