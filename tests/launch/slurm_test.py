#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs under a real Slurm, started in all the ways that srun has, and ended in some.

usage: slurm_test.py WORKER SAVED_WORKER IMBREX [unittest's arguments]
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from slurm import Slurm, Unavailable  # noqa: E402

WORKER, SAVED_WORKER, IMBREX = sys.argv[1:4]
LIMIT = 60


class Steps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="imbrex_slurm_"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.cluster = Slurm(cls.folder)
        try:
            cls.enterClassContext(cls.cluster) if hasattr(cls, "enterClassContext") else cls.cluster.__enter__()
        except Unavailable as error:
            raise unittest.SkipTest(str(error)) from error
        if not hasattr(cls, "enterClassContext"):
            cls.addClassCleanup(cls.cluster.__exit__)
        cls.plugins = cls.run_tool("srun", "--mpi=list").stderr + cls.run_tool("srun", "--mpi=list").stdout

    @classmethod
    def run_tool(cls, *command, environment=None):
        return subprocess.run([str(word) for word in command], text=True, capture_output=True, timeout=LIMIT,
                              env={**cls.cluster.environment, **(environment or {})})

    def check_meets(self, *options, environment=None):
        ended = self.run_tool("srun", *options, WORKER, "exchange", 1, "--pes", 1, environment=environment)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(len(re.findall(r"process \d+ pid \d+", ended.stdout)), int(options[1]), ended.stdout)
        self.assertEqual(ended.stdout.count("done: "), 1, ended.stdout)

    def secret(self):
        file = self.folder / "secret"
        file.touch(0o600)
        file.write_bytes(os.urandom(32))
        return {"IMBREX_SECRET_FILE": str(file)}

    def test_pmix(self):
        if "pmix" not in self.plugins:
            self.skipTest("this Slurm has no plugin for PMIx")
        self.check_meets("-n", 3, "-N", 2, "--mpi=pmix")

    def test_none_on_one_host(self):
        self.check_meets("-n", 3, "-N", 1, "--mpi=none")

    def test_none_on_two_hosts(self):
        self.check_meets("-n", 3, "-N", 2, "--mpi=none", environment=self.secret())

    def test_none_on_two_hosts_without_secret(self):
        ended = self.run_tool("srun", "-n", 2, "-N", 2, "--mpi=none", WORKER, "idle", 50, "--pes", 1)
        self.assertNotEqual(ended.returncode, 0)
        self.assertEqual(ended.stderr.count("IMBREX_SECRET_FILE=FILE"), 1, ended.stderr)

    def test_pmi2_names_what_helps(self):
        ended = self.run_tool("srun", "-n", 2, "-N", 1, "--mpi=pmi2", WORKER, "idle", 50, "--pes", 1,
                              environment={"IMBREX_MPI_BOOTSTRAP": "/nonexistent/module.so"})
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("srun --mpi=pmix", ended.stderr)
        self.assertIn("srun --mpi=none", ended.stderr)

    def test_one_task_and_a_script_are_by_themselves(self):
        self.check_meets("-n", 1, "--mpi=none")
        script = self.folder / "script.sh"
        script.write_text(f"#!/bin/sh\nexec {WORKER} exchange 1 --pes 1\n")
        ended = self.run_tool("sbatch", "--wait", "-n", 2, "-N", 1, "-o", self.folder / "out", script)
        self.assertEqual(ended.returncode, 0, (self.folder / "out").read_text())
        self.assertIn("done: ", (self.folder / "out").read_text())

    def start(self, *options):
        step = subprocess.Popen(["srun", *map(str, options), WORKER, "idle", "50", "--pes", "1"], text=True,
                                env=self.cluster.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        pids = {}
        while len(pids) < int(options[1]):
            line = step.stdout.readline()
            self.assertTrue(line, "the step has ended")
            if match := re.match(r"process (\d+) pid (\d+)", line):
                pids[int(match[1])] = int(match[2])
        return step, pids

    def finish(self, step, pids):
        try:
            out, err = step.communicate(timeout=LIMIT)
        finally:
            step.kill()
        end = time.monotonic() + 10
        while any(pathlib.Path(f"/proc/{pid}").exists() for pid in pids.values()) and time.monotonic() < end:
            time.sleep(0.05)
        self.assertFalse([pid for pid in pids.values() if pathlib.Path(f"/proc/{pid}").exists()], out + err)
        return err

    def test_a_task_is_killed(self):
        for victim in (0, 1):
            with self.subTest(victim=victim):
                step, pids = self.start("-n", 3, "-N", 1, "--mpi=none")
                os.kill(pids[victim], signal.SIGKILL)
                err = self.finish(step, pids)
                self.assertNotEqual(step.returncode, 0)
                self.assertIn(f"process {victim} has gone", err)

    def test_cancel(self):
        step, pids = self.start("-n", 2, "-N", 1, "--mpi=none")
        self.run_tool("scancel", "--user=root")
        self.finish(step, pids)
        self.assertNotEqual(step.returncode, 0)

    def test_starts_a_step_anew_after_a_death(self):
        """Then its nodes become fewer, and it goes on with the processes of the others."""
        if "pmix" not in self.plugins:
            self.skipTest("this Slurm has no plugin for PMIx")
        saved = self.folder / "saved"
        job = subprocess.Popen(["salloc", "-N", "2", "-n", "4", IMBREX, "run", "--restarts", "2", "--checkpoint",
                                str(saved), "--checkpoint-every", "20", "--", "srun", "-N", "2", "-n", "4",
                                "--mpi=pmix", SAVED_WORKER, "3000", "--pes", "1"], text=True,
                               env=self.cluster.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        text = ""

        def read_until(count):
            nonlocal text
            while text.count("begins at step") < count:
                line = job.stdout.readline()
                self.assertTrue(line, text)
                text += line

        def wait_for_checkpoint(after):
            end = time.monotonic() + LIMIT
            numbers = lambda: [int(each.parent.name) for each in saved.glob("*/manifest.json")]
            while max(numbers(), default=0) <= after and time.monotonic() < end:
                time.sleep(0.05)
            return max(numbers(), default=0)
        try:
            read_until(1)
            newest = wait_for_checkpoint(0)
            os.kill(int(re.findall(r"process 1 pid (\d+)", text)[-1]), signal.SIGKILL)
            read_until(2)
            wait_for_checkpoint(newest)
            number = re.search(r"Granted job allocation (\d+)", text)[1]
            self.run_tool("scontrol", "update", f"JobId={number}", "NumNodes=1")
            launcher = int(self.run_tool("pgrep", "-of", f"^{IMBREX} run --restarts").stdout)
            os.kill(launcher, signal.SIGUSR2)
            text += job.communicate(timeout=LIMIT)[0]
        finally:
            job.kill()
        self.assertEqual(job.returncode, 0, text)
        self.assertEqual((text.count("right"), text.count("begins at step 0")), (1, 1), text)
        self.assertIn("restart 1 of 2, from ", text)
        self.assertEqual(len(re.findall(r"process \d+ pid", text)), 4 + 4 + 2, text)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
