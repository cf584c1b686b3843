#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranks of MPI in checkpoints that they ask for, and in jobs that go on after deaths.

usage: checkpoints_test.py BUILD_FOLDER [unittest's arguments]
IMBREX_TEST_KILLS is the number of kills at random moments, and IMBREX_TEST_SEED their seed.
"""
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

from program_runs import BIN, LIMIT, ProgramCase, execute

KILLS = int(os.environ.get("IMBREX_TEST_KILLS", "6"))
SEED = int(os.environ.get("IMBREX_TEST_SEED", "1"))
TWO = ["-n", "2", "--pes", "1", "--migratable"]
OTHER_PLACES = (["-n", "1", "--pes", "2"], ["-n", "3", "--pes", "1"])


def processes_of(job):
    """The ids of the processes of ranks, below their launcher."""
    below = pathlib.Path(f"/proc/{job.pid}/task/{job.pid}/children").read_text().split()
    found = []
    for pid in below:
        try:
            if pathlib.Path(f"/proc/{pid}/comm").read_text().strip() != "imbrex-cleaner":
                found.append(int(pid))
        except OSError:  # it has ended
            pass
    return found


class Checkpoints(ProgramCase):
    def setUp(self):
        self.program = self.build("saves.c")
        for file in ("die", "hold"):
            (self.folder / file).unlink(missing_ok=True)

    def result(self, *arguments):
        """The lines of an undisturbed run."""
        done = self.run_ranks(3, TWO, self.program, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_a_killed_job_goes_on_elsewhere_from_what_its_ranks_have_saved(self):
        whole = self.result(40, 10, "undisturbed")
        self.assertTrue(whole.startswith("4 checkpoints, sum "), whole)
        (self.folder / "die").touch()
        done = self.run_ranks(3, TWO, self.program, 40, 10, "own")
        self.assertEqual((done.returncode, done.stdout), (128 + signal.SIGKILL, ""), done.stderr)
        self.assertEqual([m.parent.name for m in (self.folder / "own").glob("*/manifest.json")], ["000001"])
        shutil.copytree(self.folder / "own", self.folder / "kept")  # later checkpoints remove it
        for place in OTHER_PLACES:
            with self.subTest(place=place):
                done = self.run_ranks(3, [*place, "--migratable", "--restart", "kept"], self.program, 40, 10, "own")
                self.assertEqual((done.returncode, done.stdout), (0, whole), done.stderr)

    def test_ranks_of_fortran_hop_and_go_on_elsewhere(self):
        if not (BIN / "imbrex-mpifort").exists():
            self.skipTest("this build has no Fortran")
        whole = "a line with its end; faults 0, sum 168300.0\n"
        for name, options in (("mpi", ()), ("mpi_f08", ("-DF08",))):
            program = self.build("hops.F90", "-fcheck=all", *options)
            done = self.run_ranks(3, TWO, program, 2, 100, name)
            self.assertEqual((done.returncode, done.stdout), (0, whole), done.stderr)
            shutil.copytree(self.folder / name, self.folder / f"kept_{name}")
            for place in OTHER_PLACES:
                with self.subTest(module=name, place=place):
                    done = self.run_ranks(3, [*place, "--migratable", "--restart", f"kept_{name}/000004"], program, 2,
                                          100, name)
                    self.assertEqual((done.returncode, done.stdout), (0, whole), done.stderr)

    def test_checkpoints_may_have_several_folders(self):
        done = self.run_ranks(3, [*TWO, "--checkpoint", "often", "--checkpoint-every", "1"], self.program, 100, 10,
                              "seldom")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("10 checkpoints", done.stdout)
        self.assertEqual(len(list((self.folder / "seldom").glob("*/manifest.json"))), 2)
        done = self.run_ranks(3, [*TWO, "--checkpoint", "given"], self.program, 20, 10, "null")
        self.assertIn("2 checkpoints", done.stdout)
        self.assertEqual(len(list((self.folder / "given").glob("*/manifest.json"))), 2)
        done = self.run_ranks(3, TWO, self.program, 20, 10, "hint:to_file=hinted")
        self.assertIn("2 checkpoints", done.stdout)
        self.assertEqual(len(list((self.folder / "hinted").glob("*/manifest.json"))), 2)

    def test_an_error_names_what_stands_in_the_way(self):
        cases = (
            (TWO, ("saved", "stream"),
             "another error: rank 1 cannot be saved: it has an open stream, of the descriptor "),
            (TWO, ("saved", "other"),
             "invalid argument: the ranks have named different folders; let all name the same one"),
            (TWO, ("null",), "the folder is empty; name one, or start the job with --checkpoint DIR"),
            (TWO, ("hint:in_memory",), "the folder is empty; name one, or start the job with --checkpoint DIR"),
            (TWO, ("hint:disk",), 'the value of "ampi_checkpoint" is "disk"; it is to_file=DIR, in_memory or false'),
            (TWO, ("/proc/saved",), 'the folder "/proc/saved" cannot be made: '),
            (["-n", "2", "--pes", "1"], ("saved",),
             "unsupported operation: ranks are saved in jobs of imbrex run --migratable alone; start the job"))
        for place, arguments, words in cases:
            with self.subTest(words=words):
                done = self.run_ranks(2, place, self.program, 10, 10, *arguments)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(words, done.stdout)
                self.assertIn("0 checkpoints, sum ", done.stdout)

    def test_a_rank_that_does_not_call_it_is_named(self):
        done = self.run_ranks(2, TWO, self.program, 20, 10, "saved", "none")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("rank(0), entry run, on PE 0 waits for MPIX_Checkpoint", done.stderr)
        self.assertIn("rank(1), entry run, on PE 1 waits for MPI_Sendrecv", done.stderr)

    def test_a_job_goes_on_by_itself(self):
        whole = self.result(40, 10, "undisturbed")
        for kept, folder in ((["--checkpoint-memory", "1h"], "null"), (["--checkpoint", "itself"], "null"),
                             (["--checkpoint-memory", "1h"], "hint:in_memory")):
            with self.subTest(kept=kept, folder=folder):
                (self.folder / "die").touch()
                done = self.run_ranks(3, [*TWO, "--restarts", "2", *kept], self.program, 40, 10, folder)
                self.assertEqual((done.returncode, done.stdout), (0, whole), done.stderr)
                self.assertRegex(done.stderr, "imbrex run: restart 1 of 2, from .*/000001\n")
                memory = re.search("from (/dev/shm/.*)/000001", done.stderr)
                self.assertFalse(memory and os.path.exists(memory[1]), done.stderr)

    def begin(self, *command):
        """A job with its output in files; it is ended at the test's end."""
        with open(self.folder / "out", "w") as out, open(self.folder / "err", "w") as err:
            job = subprocess.Popen([str(word) for word in (BIN / "imbrex", "run", *command)], stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=err, cwd=self.folder)
        self.addCleanup(job.wait)
        self.addCleanup(job.kill)
        return job

    def texts(self):
        return (self.folder / "out").read_text(), (self.folder / "err").read_text()

    def wait_until(self, condition, job):
        end = time.monotonic() + LIMIT
        while not condition():
            self.assertLess(time.monotonic(), end, self.texts())
            self.assertIsNone(job.poll(), self.texts())
            time.sleep(0.002)

    def test_kills_at_random_moments(self):
        """Also while a checkpoint is being written: then there is a folder without a manifest."""
        whole = self.result(200, 50, "undisturbed")
        (self.folder / "hold").touch()
        dice = random.Random(SEED)
        job = self.begin(*TWO, "--ranks", 3, "--restarts", 10 * KILLS, "--checkpoint-memory", "1", self.program, 200,
                         50, "null")
        memory = pathlib.Path(f"/dev/shm/imbrex-checkpoints-{job.pid}")
        in_checkpoints = 0

        def newest():
            return max((int(m.parent.name) for m in memory.glob("*/manifest.json")), default=0)
        for _ in range(KILLS):
            # A job that dies three times without a new checkpoint is given up.
            before = newest()
            self.wait_until(lambda: newest() > before, job)
            if dice.random() < 0.5:
                self.wait_until(lambda: any(not (each / "manifest.json").exists() for each in memory.glob("0*")), job)
                in_checkpoints += 1
            else:
                time.sleep(0.1 * dice.random())
            starts = self.texts()[1].count("imbrex run: restart ")
            running = processes_of(job)
            for pid in dice.sample(running, min(len(running), dice.choice((1, 1, 2)))):
                os.kill(pid, signal.SIGKILL)
            self.wait_until(lambda: self.texts()[1].count("imbrex run: restart ") > starts, job)
        (self.folder / "hold").unlink()
        self.assertEqual(job.wait(LIMIT), 0, self.texts())
        self.assertEqual(self.texts()[0], whole)
        self.assertFalse(memory.exists())
        print(f"{KILLS} kills, {in_checkpoints} of them in checkpoints")

    def test_a_job_is_resized(self):
        whole = self.result(40, 10, "undisturbed")
        (self.folder / "hold").touch()
        job = self.begin(*TWO, "--ranks", 3, "--restarts", 1, "--checkpoint-memory", "1h", self.program, 40, 10, "null")
        memory = pathlib.Path(f"/dev/shm/imbrex-checkpoints-{job.pid}")
        for number in (3, 1):
            self.wait_until(lambda: list(memory.glob("*/manifest.json")) and processes_of(job), job)
            execute(BIN / "imbrex", "resize", job.pid, "-n", number)
            self.wait_until(lambda: len(processes_of(job)) == number, job)
        (self.folder / "hold").unlink()
        self.assertEqual(job.wait(LIMIT), 0, self.texts())
        self.assertEqual(self.texts()[0], whole, self.texts()[1])

    def test_ranks_that_cannot_be_saved_are_refused_before_they_begin(self):
        only_migratable = "in jobs of imbrex run --migratable alone; add that option"
        for command, words in (
                (["run", "-n", 2, "--ranks", 3, "--checkpoint", "no"],
                 f"--checkpoint: ranks of MPI are saved {only_migratable}"),
                (["run", "-n", 2, "--ranks", 3, "--restart", "no"],
                 f"--restart: ranks of MPI are saved {only_migratable}"),
                (["run", "-n", 2, "--ranks", 3, "--checkpoint", "no", "--restarts", 3],
                 f"--restarts 3: ranks of MPI go on from checkpoints {only_migratable}"),
                (["run", "-n", 2, "--ranks", 3, "--checkpoint-memory", "10s", "--restarts", 3], only_migratable),
                (["run", "-n", 2, "--migratable", "--checkpoint-memory", "10s"],
                 "checkpoints in memory end with the job; give --restarts N, too"),
                (["run", "-n", 2, "--migratable", "--restarts", "2"],
                 "--restarts 2: the job writes no checkpoints; give --checkpoint DIR or --checkpoint-memory PERIOD"),
                (["run", "-n", 2, "--migratable", "--checkpoint-every", "2"],
                 "--checkpoint-every: the run has no folder for checkpoints; give --checkpoint DIR"),
                (["run", "--ranks", 2, "--machine", "deterministic", "--fault", "pe 0 at event 500"],
                 "--fault: ranks of MPI cannot begin anew in their process"),
                (["run", "-n", 2, "--ranks", 3, "--migratable", "--restart", "no"], '"no" '),
                (["mpiexec", "-n", 3, "--restarts", 3, "--checkpoint", "no"], only_migratable)):
            with self.subTest(command=command):
                done = execute(BIN / "imbrex", *command, self.program, 10, 10, "saved", cwd=self.folder)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(words, done.stderr)
        self.assertFalse((self.folder / "no").exists())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
