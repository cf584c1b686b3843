#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 at random moments of jobs that go on from checkpoints: of a process, of several at once, of the launcher.

A job goes on to the result of an undisturbed run, or ends in words. It leaves no process, no memory and no file.
IMBREX_TEST_KILLS is the number of kills, and IMBREX_TEST_SEED the first seed.
"""
import os
import pathlib
import random
import re
import signal
import subprocess
import threading
import time

import jobs
from jobs import END_SECONDS, LIMIT, Job, descendants, has_ended, wait_until

STORM = os.environ["IMBREX_TEST_STORM"]
KILLS = int(os.environ.get("IMBREX_TEST_KILLS", "10"))
FIRST_SEED = int(os.environ.get("IMBREX_TEST_SEED", "1"))
PROGRAM = (STORM, "once", "1", "40", "5")
MOST_KILLS = 6  # of one job


def name_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


class Processes:
    """Notes all processes below a launcher, from now on."""

    def __init__(self, launcher):
        self.seen, self.ends, self.launcher = set(), threading.Event(), launcher
        self.thread = threading.Thread(target=self.look)
        self.thread.start()

    def look(self):
        while not self.ends.wait(0.01):
            self.seen.update(descendants(self.launcher))

    def stop(self):
        self.ends.set()
        self.thread.join()
        return self.seen


class KilledAtRandom(Job):
    """Each job has a seed, which chooses its kills."""

    @classmethod
    def setUpClass(cls):
        words = [*PROGRAM[:-1], "0", "--pes", "2", "--log", "error"]
        cls.expected = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, timeout=LIMIT).stdout
        assert cls.expected.startswith("steps ")

    def test_goes_on_or_ends_in_words(self):
        kills, outcomes = 0, {}
        seed = FIRST_SEED
        while kills < KILLS:
            with self.subTest(seed=seed):
                more, outcome = self.run_job(random.Random(seed))
                kills += max(more, 1)
                outcomes[outcome] = outcomes.get(outcome, 0) + 1
            if not self._outcome.success:
                break
            seed += 1
        print(f"{kills} kills in {seed - FIRST_SEED} jobs: {outcomes}")

    def run_job(self, dice):
        """Returns the number of kills, and how the job has ended."""
        self.pids.clear()
        folder = pathlib.Path(self.folder, f"saved{dice.random()}")
        in_memory = dice.random() < 0.5
        kept = ("--checkpoint-memory", "40ms") if in_memory else ("--checkpoint", folder, "--checkpoint-every", "40ms")
        job = self.start_command(jobs.IMBREX, "run", "-n", 3, "--restarts", 100, *kept, *PROGRAM, "--pes", 1)
        processes = Processes(job.pid)
        try:
            kills = self.disturb(job, dice)
            self.finish(job, LIMIT if job.returncode is None else END_SECONDS)
        finally:
            self.pids += processes.stop()
        self.assertTrue(wait_until(lambda: all(map(has_ended, self.pids)), END_SECONDS),
                        [(pid, name_of(pid)) for pid in self.pids if not has_ended(pid)])
        self.check_nothing_left()
        self.assertFalse(os.path.exists(f"/dev/shm/imbrex-checkpoints-{job.pid}"))
        return kills, self.outcome(job)

    def disturb(self, job, dice):
        kills = 0
        for _ in range(dice.randint(1, MOST_KILLS)):
            time.sleep(dice.choice((0.1, 0.5, 1.5)) * dice.random())
            below = [pid for pid in descendants(job.pid) if name_of(pid) != "imbrex-cleaner"]
            what = dice.random()
            if job.poll() is not None:
                break
            if what < 0.1:
                job.kill()
                job.wait()
                return kills + 1
            if what < 0.2:
                subprocess.run([jobs.IMBREX, "resize", str(job.pid), "-n", str(dice.randint(1, 4))],
                               stderr=subprocess.DEVNULL, timeout=LIMIT)
                continue
            victims = dice.sample(below, min(len(below), dice.choice((1, 1, 1, 2, 2, 3))))
            for pid in victims:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            kills += bool(victims)
        return kills

    def outcome(self, job):
        if job.returncode == -signal.SIGKILL:
            return "the launcher was killed"
        if job.returncode == 128 + signal.SIGKILL:
            self.assertIn("no new checkpoint has come between 3 deaths", self.err())
            return "given up"
        self.assertEqual(job.returncode, 0, self.out() + self.err())
        results = re.split(r"(?m)^(?=steps )", self.out())[1:]
        self.assertTrue(results, self.out() + self.err())
        for each in results:  # a process that was killed after its last line writes it again
            self.assertEqual(each, self.expected)
        return "went on"


if __name__ == "__main__":
    jobs.main()
