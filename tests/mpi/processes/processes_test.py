#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of MPI and the processes that their ranks share: how they are started, their children, their ends.

usage: processes_test.py BUILD_FOLDER [unittest's arguments]
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAMS = pathlib.Path(__file__).parent / "programs"
RING = pathlib.Path(__file__).parents[1] / "programs/globals.c"
BIN = BUILD / "bin"
LIMIT = 60  # seconds that nothing here takes unless it hangs
PLACES = {"one PE": ["--pes", "1"], "two PEs": ["--pes", "2"], "two processes": ["-n", "2", "--pes", "1"]}


def execute(*command, **more):
    environment = {name: value for name, value in os.environ.items() if name != "IMBREX_OPTIONS"}
    environment.update(more.pop("environment", {}))
    return subprocess.run([str(word) for word in command], text=True, timeout=LIMIT, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, **more)


class Processes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="imbrex_mpi_"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.built = {}

    def compile(self, output, *words, compiler=BIN / "imbrex-mpicc"):
        """A file of this test's folder; each is made once."""
        if output not in self.built:
            done = execute(compiler, "-O1", *words, "-o", self.folder / output)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.built[output] = self.folder / output
        return self.built[output]

    def program(self, name):
        return self.compile(f"{name}.out", PROGRAMS / f"{name}.c")

    def by_library(self):
        """A program that is linked with a library, which is linked with MPI."""
        source = PROGRAMS / "by_library.c"
        library = self.compile("libadd_up.so", source, "-DLIBRARY", "-shared", "-fPIC")
        return self.compile("by_library.out", source, library, f"-Wl,-rpath,{self.folder}", compiler="cc")

    def run_ranks(self, ranks, place, program, *arguments):
        return execute(BIN / "imbrex", "run", *place, "--ranks", ranks, program, *arguments, cwd=self.folder)

    def test_children_end_by_themselves(self):
        for name, place in PLACES.items():
            with self.subTest(place=name):
                done = self.run_ranks(4, place, self.program("children"))
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "right\n", ""))
        with self.subTest(place="no copies"):
            done = execute(BIN / "imbrex", "run", "-n", 2, self.program("children"), cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "right\n", ""))

    def test_children_are_no_ranks(self):
        done = self.run_ranks(2, PLACES["one PE"], self.program("children"), "calls MPI")
        self.assertEqual((done.returncode, done.stdout), (0, "right\n"), done.stderr)
        self.assertIn("a function of MPI was called in a child process of a rank", done.stderr)

    def test_descriptors_of_the_runtime_stay_open(self):
        for name, place in PLACES.items():
            with self.subTest(place=name):
                done = self.run_ranks(4, place, self.program("descriptors"))
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "right\n", ""))
        with self.subTest(place="no copies"):
            done = execute(BIN / "imbrex", "run", "-n", 2, self.program("descriptors"))
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "right\n", ""))

    def test_ranks_that_end_early_are_named(self):
        program = self.program("early_end")
        for name, place in PLACES.items():
            for how in ("exit", "exit 256", "_exit", "quick_exit", "return"):
                with self.subTest(place=name, how=how):
                    done = self.run_ranks(4, place, program, how)
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertIn("rank 1 has ended (status 0) before it called MPI_Finalize", done.stderr)
                    self.assertRegex(done.stderr, r"rank\(3\), .* waits for MPI_Barrier")
        # No rank waits for one that has ended.
        done = self.run_ranks(4, PLACES["two PEs"], program, "exit", "all")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_barriers_do_not_meet_the_end_of_mpi(self):
        for name, place in PLACES.items():
            with self.subTest(place=name):
                done = self.run_ranks(2, place, self.program("early_end"), "finalize")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr, r"rank\(0\), .* waits for MPI_Barrier in MPI_COMM_WORLD")
                self.assertRegex(done.stderr, r"rank\(1\), .* waits for MPI_Finalize")

    def test_pthread_exit_of_a_rank_is_told(self):
        for place in (PLACES["two PEs"], PLACES["two processes"]):
            done = self.run_ranks(4, place, self.program("early_end"), "pthread_exit")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("rank 1 has called pthread_exit", done.stderr)

    def test_ranks_do_not_leave_their_process(self):
        done = self.run_ranks(4, PLACES["two PEs"], self.program("early_end"), "daemon")
        self.assertIn("daemon() is refused", done.stderr)
        self.assertIn("rank 1 has ended (status 0)", done.stderr)

    def test_crashes_name_the_process(self):
        program = self.by_library()
        done = self.run_ranks(4, PLACES["two processes"], program, "crashes")
        self.assertEqual(done.returncode, 128 + 11, done.stderr)
        self.assertRegex(done.stderr, r"imbrex run: process 0 \(pid \d+, ranks 0 to 1\) ended by signal 11")
        done = execute(BIN / "imbrex", "run", "-n", 2, program, "crashes")
        self.assertRegex(done.stderr, r"imbrex run: process 1 \(pid \d+, rank 1\) ended by signal 11")

    def test_mpi_comes_by_a_library(self):
        program = self.by_library()
        for place in ([], ["-n", "3"], ["--ranks", "3", "--privatise", "libadd_up"]):
            with self.subTest(place=place):
                done = execute(BIN / "imbrex", "run", *place, program)
                ranks = 3 if place else 1
                self.assertEqual((done.returncode, sorted(done.stdout.splitlines())),
                                 (0, [f"rank {r}, sum {ranks * (ranks - 1) // 2}" for r in range(ranks)]), done.stderr)
        done = execute(program)  # the program knows no ranks
        self.assertEqual(done.returncode, 1)
        self.assertIn("start it by imbrex run --preload", done.stderr)

    def test_libraries_that_ranks_share_are_named(self):
        program = self.by_library()
        done = self.run_ranks(2, PLACES["one PE"], program, "crashes")
        self.assertEqual(done.stderr.count("a rank crashes, give each rank its own by --privatise libadd_up.so"), 1)
        self.assertIn("all ranks of a process share the variables of libadd_up.so, in which rank", done.stderr)
        done = self.run_ranks(2, PLACES["two processes"], program)
        self.assertNotIn("--privatise", done.stderr)

    def test_python_comes_to_mpi_by_itself(self):
        python = self.compile("python3", PROGRAMS.parents[1] / "programs/loaded_late.c", "-ldl", compiler="cc")
        library = self.compile("libadd_ranks.so", PROGRAMS.parents[1] / "programs/loaded_late.c", "-DLIBRARY",
                               "-shared", "-fPIC", "-Wl,-soname,libmpi4py.so")
        script = self.folder / "mpi4py.py"
        script.symlink_to(library)  # which names it
        for words in (["imbrex", "run", "-n", 2], ["imbrex-mpiexec", "-n", 2]):
            done = execute(BIN / words[0], *words[1:], python, script)
            self.assertEqual((done.returncode, sorted(done.stdout.splitlines())),
                             (0, ["rank 0, sum 1", "rank 1, sum 1"]), done.stderr)
        done = execute(BIN / "imbrex-mpiexec", "-n", 2, python, library)
        self.assertEqual(sorted(done.stdout.splitlines()), ["rank 0, sum 1", "rank 1, sum 1"], done.stderr)
        done = execute(BIN / "imbrex", "run", "-n", 2, "--ranks", 2, python, script)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--ranks 2: a program that loads MPI later", done.stderr)

    def test_mpiexec_takes_options_in_any_order(self):
        program = self.compile("globals.out", RING)
        for options in (["--rank-stack", "64MB", "-n", 4], ["-np", 4, "--rank-stack=64MB"], ["--pes", 2, "-n4"]):
            done = execute(BIN / "imbrex-mpiexec", *options, program)
            self.assertEqual((done.returncode, len(done.stdout.splitlines()), done.stderr), (0, 4, ""))

    def test_a_job_has_several_programs(self):
        first, second = (self.compile(f"{name}.out", PROGRAMS / "parts.c", f'-DNAME="{name}"')
                         for name in ("first", "second"))
        wanted = ([f"rank {r} of 6: first, number 0, sum 6, argument a, variable both, calls 1" for r in range(4)] +
                  [f"rank {r} of 6: second, number 1, sum 9, argument none, variable own, calls 1" for r in (4, 5)])
        programs = [first, "a", ":", "-n", 1, "-x", "OF_PARTS=own", second]
        for command in (["imbrex", "run", "-genv", "OF_PARTS", "both", "-n", 2, "--ranks", 6, *programs],
                        ["imbrex", "run", "-n", 2, "--ranks", 6, "--pes", 2, "-env", "OF_PARTS", "both", *programs],
                        ["imbrex-mpiexec", "-genv", "OF_PARTS", "both", "-n", 4, first, "a", ":",
                         "-n", 2, "-env", "OF_PARTS", "own", second]):
            with self.subTest(command=command):
                done = execute(BIN / command[0], *command[1:])
                self.assertEqual((done.returncode, sorted(done.stdout.splitlines())), (0, wanted), done.stderr)
        done = execute(BIN / "imbrex", "run", "-n", 1, first, ":", "-n", 1, second, ":", "-n", 1, first)
        self.assertEqual(sorted(line.partition(", sum")[0] for line in done.stdout.splitlines()),
                         ["rank 0 of 3: first, number 0", "rank 1 of 3: second, number 1",
                          "rank 2 of 3: first, number 2"], done.stderr)
        done = execute(BIN / "imbrex", "run", "-n", 1, first, ":", "-n", 1, "sh", "-c", "true")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("sh has no ranks of MPI: a job of several programs has ranks alone", done.stderr)

    def test_another_launcher_than_that_of_mpi_is_told_of(self):
        if not (BUILD / "lib/libimbrex_mpi_bootstrap.so").exists():
            self.skipTest("no MPI library but our own")
        # As under Hydra, whose MPI is another one than the bootstrap is built with.
        done = execute(self.compile("globals.out", RING), environment={"PMI_SIZE": "2", "PMI_RANK": "0"})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("the launcher has started 2 processes, and the MPI library that", done.stderr)

    def test_processes_without_ranks_are_told_of(self):
        done = execute(BIN / "imbrex", "run", "-n", 4, "--ranks", 1, "--pes", 1, self.compile("globals.out", RING))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("--ranks 1 is fewer than the 4 processes, of which 3 have no rank", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
