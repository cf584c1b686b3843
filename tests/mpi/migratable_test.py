#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranks of MPI that go to other processes: what travels with them, and what keeps them in their process.

usage: migratable_test.py BUILD_FOLDER [unittest's arguments]
"""
import os
import sys
import unittest

from program_runs import BIN, ProgramCase, execute

TWO_PROCESSES = ["-n", "2", "--pes", "1", "--migratable"]
# What a rank has, and the words about it.
OBSTACLES = {
    "stream": "it has an open stream, of the descriptor ",
    "temporary stream": "it has an open stream, of the descriptor ",
    "descriptor": "it has the open descriptor ",
    "socket": " (a socket)",
    "pipe": " (a pipe)",
    "event": " (an event)",
    "epoll": " (a list of epoll)",
    "clock": " (a timer)",
    "signals": " (a descriptor of signals)",
    "inotify": " (a watch of inotify)",
    "memfd": " (memory of memfd_create)",
    "temporary": " (stays_",
    "folder": " (.)",
    "duplicate": " (a duplicate)",
    "duplicate of fcntl": " (a duplicate)",
    "memory": "it has mapped memory by mmap or shmat",
    "timer": "it has timers",
    "locale": "it has set a locale",
    "table": "it has a table of hcreate",
    "library": "it has loaded the library libm.so.6 by dlopen",
    "child": "it has the child process ",
    "spawned": "it has the child process ",
    "output": "its standard output is a file",
    "thread": "it has started threads",
    "window": "it has windows; free them by MPI_Win_free",
    "file": "it has files open; close them by MPI_File_close",
    "persistent": "it has persistent requests; free them by MPI_Request_free",
    "probed": "it has found a message by MPI_Mprobe and not received it",
}
# Obstacles with other words about a move and about a checkpoint, or of a move alone.
OBSTACLES_OF_MOVES = {
    "request": ("a request of this rank is under way; complete it, as by MPI_Wait, before the rank moves",
                "a request of it is under way; complete it, as by MPI_Wait"),
    "none": ("PE 99 is none of this job, which has the PEs 0 to 1", "success"),
    "callback": ("it runs a function that MPI has called", "success"),
}


class Migratable(ProgramCase):
    def test_all_that_a_program_has_goes_along(self):
        program = self.build("hops.cpp")
        places = (("one process", ["--pes", "2"], 2, 100), ("two processes", ["-n", "2", "--pes", "1"], 2, 300),
                  ("three processes of two PEs", ["-n", "3", "--pes", "2"], 6, 200))
        for name, place, pes, hops in places:
            with self.subTest(place=name):
                done = self.run_ranks(5, place + ["--migratable"], program, pes, hops)
                lines = ["part of a line, and its end", "ff", f"0 faults in {hops} hops of 5 ranks"]
                self.assertEqual((done.returncode, done.stdout.splitlines()), (0, lines), done.stderr)

    def test_guards_of_stack_frames_are_equal_in_all_processes(self):
        program = self.build("hops.cpp", "-fstack-protector-all", "-D_FORTIFY_SOURCE=2", links=("-O2",))
        done = self.run_ranks(3, TWO_PROCESSES, program, 2, 100, 2_000_000)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("0 faults", done.stdout)

    def test_a_balancer_moves_ranks_to_other_processes(self):
        done = self.run_ranks(4, TWO_PROCESSES + ["--balance", "greedy", "--balance-every", "2"],
                              self.build("balanced.c"))
        self.assertEqual((done.returncode, done.stdout), (0, "the heavy ranks are apart\n"), done.stderr)
        done = self.run_ranks(4, TWO_PROCESSES + ["--balance", "auto"], self.build("uneven.c"))
        self.assertEqual((done.returncode, done.stdout), (0, "the heavy ranks are apart, sum 6\n"), done.stderr)

    def test_ranks_move_by_themselves_and_by_a_balancer(self):
        place = ["-n", "2", "--pes", "2", "--migratable", "--balance", "random", "--balance-every", "1"]
        done = self.run_ranks(5, place, self.build("hops.cpp"), 4, 200)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("0 faults in 200 hops of 5 ranks", done.stdout)

    def test_ranks_go_on_from_a_checkpoint_on_other_processes(self):
        program = self.build("hops.cpp")
        whole = ["part of a line, and its end", "ff", "0 faults in 600 hops of 3 ranks"]
        every = ["--checkpoint", "saved", "--checkpoint-every", "1"]
        done = self.run_ranks(3, TWO_PROCESSES + every, program, 2, 600)
        self.assertEqual((done.returncode, done.stdout.splitlines()), (0, whole), done.stderr)
        self.assertTrue(list((self.folder / "saved").glob("*/manifest.json")), done.stderr)
        for place in (["-n", "2", "--pes", "1"], ["-n", "1", "--pes", "2"], ["-n", "2", "--pes", "3"]):
            with self.subTest(place=place):
                done = self.run_ranks(3, place + ["--migratable", "--restart", "saved"], program, 2, 600)
                self.assertEqual((done.returncode, done.stdout.splitlines()), (0, whole), done.stderr)
        done = self.run_ranks(4, TWO_PROCESSES + ["--restart", "saved"], program, 2, 600)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--migratable: the ranks of the checkpoint had other addresses than in this run", done.stderr)

    def test_a_rank_with_something_of_its_process_is_not_saved(self):
        every = ["--checkpoint", "none", "--checkpoint-every", "10"]
        done = self.run_ranks(2, TWO_PROCESSES + every, self.build("stays.c"), "stream", "400")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("rank(0) cannot be saved: ", done.stderr)
        self.assertIn("it has an open stream, of the descriptor ", done.stderr)
        done = self.run_ranks(2, ["-n", "2", "--pes", "1", "--checkpoint", "none"], self.build("stays.c"), "nothing")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("ranks of MPI are saved in jobs of imbrex run --migratable alone; add that option", done.stderr)

    def test_a_rank_with_something_of_its_process_stays(self):
        program = self.build("stays.c")
        cases = [(what, words, words) for what, words in OBSTACLES.items()]
        cases += [(what, *words) for what, words in OBSTACLES_OF_MOVES.items()]
        for what, move, checkpoint in cases:
            with self.subTest(what=what):
                done = self.run_ranks(2, TWO_PROCESSES, program, what)
                self.assertEqual(done.returncode, 0, done.stderr)
                of_move, of_checkpoint = done.stderr.splitlines()
                for line, words in ((of_move, move), (of_checkpoint, checkpoint)):
                    self.assertTrue(line.startswith("on PE 0: "), line)
                    self.assertIn(words, line)
        for what in ("nothing", "closed"):
            with self.subTest(what=what):
                done = self.run_ranks(2, TWO_PROCESSES, program, what)
                self.assertEqual((done.returncode, done.stderr), (0, 2 * "on PE 1: success\n"))

    def test_without_the_option_ranks_stay_and_say_why(self):
        done = self.run_ranks(2, ["-n", "2", "--pes", "1"], self.build("stays.c"), "nothing")
        self.assertIn("this rank cannot leave its own: the job was not started by imbrex run --migratable", done.stderr)

    def test_impossible_starts_are_refused(self):
        program = self.build("stays.c")
        starts = (
            ([BIN / "imbrex", "run", "-n", 2, "--migratable", "true"], {},
             "--migratable: true is no program of MPI; chares with serialize migrate without this option"),
            ([program], {"IMBREX_OPTIONS": "--migratable --ranks 2"},
             "--migratable: this process has random addresses, and ranks could not go to others; start the program by "
             "imbrex run --migratable"),
            ([BIN / "imbrex", "run", "--ranks", 200_000, "--migratable", program], {},
             "there are no addresses for the heaps of 200000 ranks, 256 MiB each"))
        for command, environment, words in starts:
            with self.subTest(command=command):
                done = execute(*command, environment=environment)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(words, done.stderr)

    def test_sanitizers_with_a_malloc_of_their_own_are_refused(self):
        for option, name in (("address", "AddressSanitizer"), ("thread", "ThreadSanitizer"),
                             ("leak", "LeakSanitizer")):
            with self.subTest(option=option):
                program = self.build("saves.c", f"-fsanitize={option}")
                done = self.run_ranks(2, TWO_PROCESSES, program, 10, 10, "sanitized")
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(f" is built with {name}, which has a malloc of its own, ", done.stderr)
        done = self.run_ranks(2, TWO_PROCESSES, self.build("saves.c", "-fsanitize=undefined"), 10, 10, "sanitized")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("1 checkpoints, sum ", done.stdout)

    def test_processes_with_other_addresses_are_refused(self):
        script = self.folder / "other_addresses.sh"
        script.write_text("#!/bin/sh\n[ \"$IMBREX_RANK\" = 1 ] && ulimit -s unlimited\nexec \"$@\"\n")
        script.chmod(0o755)
        done = self.run_ranks(2, TWO_PROCESSES, script, self.build("stays.c"), "nothing")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--migratable: the processes have libraries at different addresses", done.stderr)

    def test_programs_run_as_before(self):
        for source, ranks in (("globals.c", 4), ("ring.c", 4), ("pi.cpp", 3)):
            program = self.build(source)
            for place in (["--pes", "2"], ["-n", "2", "--pes", "1"]):
                with self.subTest(source=source, place=place):
                    plain = self.run_ranks(ranks, place, program)
                    done = self.run_ranks(ranks, place + ["--migratable"], program)
                    self.assertEqual((done.returncode, sorted(done.stdout.splitlines()), done.stderr),
                                     (plain.returncode, sorted(plain.stdout.splitlines()), plain.stderr))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
