#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs that go on from their checkpoints after a death."""
import os
import pathlib
import re
import signal
import subprocess

import jobs
from jobs import END_SECONDS, LIMIT, Job, descendants, wait_until

SAVED_WORKER = os.environ["IMBREX_TEST_SAVED_WORKER"]


class Restarted(Job):
    """kill -9 of processes of a job that `imbrex run --restarts` starts anew."""

    def pids_of(self, starts, processes):
        """The ids of the processes of the latest of so many starts, by rank."""
        found = re.findall(r"process (\d+) pid (\d+)", self.out())
        return {int(rank): int(pid) for rank, pid in found[(starts - 1) * processes:]}

    def wait_until(self, condition, job):
        self.assertTrue(wait_until(lambda: condition() or job.poll() is not None, LIMIT), self.out() + self.err())
        self.assertIsNone(job.poll(), self.out() + self.err())

    def check(self, processes, victims, options, whole):
        """`whole`: the number of the newest whole checkpoint so far, by the launcher."""
        job = self.start_command(jobs.IMBREX, "run", "-n", processes, "--restarts", 5, *options, SAVED_WORKER, 700,
                                 "--pes", 1)
        for start, victim in enumerate(victims, 1):
            self.wait_until(lambda: len(self.pids_of(start, processes)) == processes, job)
            before = whole(job)
            self.wait_until(lambda: whole(job) > before, job)
            pids = self.pids_of(start, processes)
            self.pids += descendants(job.pid)
            for one in victim:
                os.kill(pids[one], signal.SIGKILL)
        self.finish(job, LIMIT)
        self.assertEqual(job.returncode, 0, self.out() + self.err())
        self.assertEqual(self.out().count("right"), 1, self.out())
        begins = [int(step) for step in re.findall(r"begins at step (\d+)", self.out())]
        self.assertEqual(begins[0], 0)
        self.assertEqual(len(begins), len(victims) + 1)
        self.assertTrue(all(step > 0 for step in begins[1:]), begins)
        self.assertEqual(len(re.findall(r"imbrex run: restart \d of 5, from ", self.err())), len(victims))
        self.check_nothing_left()

    def newest_in(self, folder):
        return max((int(m.parent.name) for m in pathlib.Path(folder).glob("*/manifest.json")), default=0)

    def test_from_memory(self):
        """Also after two deaths at once (charm#2576)."""
        memory = []

        def whole(job):
            memory[:] = [f"/dev/shm/imbrex-checkpoints-{job.pid}"]
            return self.newest_in(memory[0])
        self.check(3, ((1,), (0,), (2, 1)), ("--checkpoint-memory", "20"), whole)
        self.assertFalse(os.path.exists(memory[0]))

    def test_from_a_folder(self):
        self.check(2, ((1,),), ("--checkpoint", "saved", "--checkpoint-every", "30ms"),
                   lambda job: self.newest_in(self.folder / "saved"))

    def test_gives_up_where_no_checkpoint_comes(self):
        job = self.start_command(jobs.IMBREX, "run", "-n", 2, "--restarts", 9, "--checkpoint", "saved", SAVED_WORKER,
                                 1000000, "--pes", 1)
        for start in (1, 2, 3):
            self.wait_until(lambda: len(self.pids_of(start, 2)) == 2, job)
            os.kill(self.pids_of(start, 2)[1], signal.SIGKILL)
        self.finish(job, LIMIT)
        self.assertEqual(job.returncode, 128 + signal.SIGKILL)
        self.assertIn("no new checkpoint has come between 3 deaths", self.err())

    def test_goes_on_with_other_numbers_of_processes(self):
        job = self.start_command(jobs.IMBREX, "run", "-n", 3, "--restarts", 1, "--checkpoint-memory", "1h",
                                 SAVED_WORKER, 1500, "--pes", 1)

        def started():
            return re.findall(r"process \d+ pid (\d+)", self.out())
        for sum_of_processes, steps, then in ((3, 1, 2), (5, 2, 4)):
            self.wait_until(lambda: len(started()) == sum_of_processes and
                            self.out().count("begins at step") == steps, job)
            self.pids += descendants(job.pid)
            subprocess.run([jobs.IMBREX, "resize", str(job.pid), "-n", str(then)], check=True, timeout=LIMIT)
        self.finish(job, LIMIT)
        self.assertEqual(job.returncode, 0, self.out() + self.err())
        self.assertEqual(len(started()), 3 + 2 + 4)
        begins = [int(step) for step in re.findall(r"begins at step (\d+)", self.out())]
        self.assertTrue(0 == begins[0] < begins[1] < begins[2], begins)
        self.assertEqual(self.out().count("right"), 1, self.out())
        self.check_nothing_left()

    def test_goes_on_with_the_former_number_where_others_cannot_start(self):
        """Growing begins with the new processes; here the program refuses so many."""
        script = self.folder / "few"
        script.write_text(f'#!/bin/sh\n[ "$IMBREX_SIZE" -le 2 ] || exit 3\nexec {SAVED_WORKER} "$@"\n')
        script.chmod(0o755)
        job = self.start_command(jobs.IMBREX, "run", "-n", 2, "--restarts", 1, "--checkpoint", "saved", script, 900,
                                 "--pes", 1)
        self.wait_until(lambda: "begins at step 0" in self.out(), job)
        self.pids += descendants(job.pid)
        subprocess.run([jobs.IMBREX, "resize", str(job.pid), "-n", "5"], check=True, timeout=LIMIT)
        self.finish(job, LIMIT)
        self.assertEqual((job.returncode, self.out().count("right")), (0, 1), self.out() + self.err())
        self.assertIn("it goes on with those before", self.err())
        self.assertEqual(len(re.findall("begins at step", self.out())), 2, self.out())
        self.check_nothing_left()

    def test_a_resized_job_that_the_user_ends_is_not_started_anew(self):
        job = self.start_command(jobs.IMBREX, "run", "-n", 2, "--restarts", 1, "--checkpoint", "saved", SAVED_WORKER,
                                 1000000, "--pes", 1)
        self.wait_until(lambda: "begins at step" in self.out(), job)
        self.pids += descendants(job.pid)
        subprocess.run([jobs.IMBREX, "resize", str(job.pid), "-n", "1"], check=True, timeout=LIMIT)
        self.wait_until(lambda: self.out().count("begins at step") == 2, job)
        self.pids += descendants(job.pid)
        job.send_signal(signal.SIGTERM)
        self.finish(job, END_SECONDS)
        self.assertEqual(job.returncode, 128 + signal.SIGTERM, self.err())
        self.assertNotIn("goes on with those before", self.err())
        self.check_nothing_left()

    def foreign_launcher(self, name):
        """A launcher of that name in a folder of its own, which starts processes as `imbrex run` does."""
        folder = self.folder / "launchers"
        folder.mkdir(exist_ok=True)
        for program, text in ((name, f'exec {jobs.IMBREX} run "$@"'),
                              ("scontrol", 'echo "JobId=$5 NodeList=n1 NumNodes=1"')):
            (folder / program).write_text(f"#!/bin/sh\n{text}\n")
            (folder / program).chmod(0o755)
        return {"PATH": f"{folder}:{os.environ['PATH']}", "SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": "2"}

    def test_starts_another_launcher_anew(self):
        job = self.start_command(jobs.IMBREX, "run", "--restarts", 2, "--checkpoint", "saved", "--checkpoint-every", 5,
                                 "--", "mpirun", "-n", 3, SAVED_WORKER, 700, "--pes", 1,
                                 environment=self.foreign_launcher("mpirun"))
        for start in (1, 2):
            self.wait_until(lambda: len(self.pids_of(start, 3)) == 3, job)
            before = self.newest_in(self.folder / "saved")
            self.wait_until(lambda: self.newest_in(self.folder / "saved") > before, job)
            self.pids += descendants(job.pid)
            os.kill(self.pids_of(start, 3)[start - 1], signal.SIGKILL)
        self.finish(job, LIMIT)
        self.assertEqual((job.returncode, self.out().count("right")), (0, 1), self.out() + self.err())
        self.assertEqual(len(re.findall(r"restart \d of 2, from .*saved", self.err())), 2, self.err())
        self.check_nothing_left()

    def test_resizes_a_job_of_another_launcher(self):
        """By `imbrex resize`, and by SIGUSR2 after the nodes of Slurm have become fewer."""
        job = self.start_command(jobs.IMBREX, "run", "--restarts", 1, "--checkpoint", "saved", "--", "srun", "-n3",
                                 SAVED_WORKER, 1500, "--pes", 1, environment=self.foreign_launcher("srun"))
        ids = lambda: re.findall(r"process \d+ pid (\d+)", self.out())
        resize = [jobs.IMBREX, "resize", str(job.pid), "-n", "4"]
        for starts, total, ask in ((1, 3, lambda: subprocess.run(resize, check=True)),
                                   (2, 7, lambda: os.kill(job.pid, signal.SIGUSR2))):
            self.wait_until(lambda: len(ids()) == total and self.out().count("begins") == starts, job)
            self.pids += descendants(job.pid)
            ask()
        self.finish(job, LIMIT)
        self.assertEqual((job.returncode, self.out().count("right")), (0, 1), self.out() + self.err())
        self.assertEqual(len(ids()), 3 + 4 + 2)
        self.assertIn("going on with 2 processes from the newest checkpoint", self.err())
        self.assertNotIn("ended", self.err())
        self.check_nothing_left()

    def test_a_failure_of_the_program_starts_no_launcher_anew(self):
        (self.folder / "fails").write_text("#!/bin/sh\nexit 1\n")
        (self.folder / "fails").chmod(0o755)
        job = self.start_command(jobs.IMBREX, "run", "--restarts", 2, "--checkpoint", "saved", "--", "mpirun", "-n", 2,
                                 "./fails", environment=self.foreign_launcher("mpirun"))
        self.finish(job, LIMIT)
        self.assertEqual(job.returncode, 1)
        self.assertNotIn("restart 1", self.err())

    def test_removes_what_a_killed_launcher_has_left(self):
        """Its cleaner does, or the next launcher if that was killed, too."""
        words = (jobs.IMBREX, "run", "-n", 2, "--restarts", 9, "--checkpoint-memory", "5", SAVED_WORKER)
        for with_cleaner in (False, True):
            with self.subTest(with_cleaner=with_cleaner):
                job = self.start_command(*words, 1000000, "--pes", 1)
                left = pathlib.Path(f"/dev/shm/imbrex-checkpoints-{job.pid}")
                self.wait_until(lambda: self.newest_in(left) > 0 and len(self.pids_of(1, 2)) == 2, job)
                self.assertEqual(left.stat().st_mode & 0o777, 0o700)
                self.pids += descendants(job.pid)
                if with_cleaner:
                    os.kill(self.cleaner_of(job), signal.SIGKILL)
                job.kill()
                job.wait()
                self.assertTrue(wait_until(lambda: all(map(jobs.has_ended, self.pids)), LIMIT))
                self.assertEqual(left.exists(), with_cleaner)
                self.finish(self.start_command(*words, 10, "--pes", 1), LIMIT)
                self.assertFalse(left.exists())

    def cleaner_of(self, job):
        return next(pid for pid in descendants(job.pid)
                    if pathlib.Path(f"/proc/{pid}/comm").read_text() == "imbrex-cleaner\n")

    def test_begins_from_no_checkpoint_of_an_earlier_job(self):
        words = (jobs.IMBREX, "run", "-n", 2, "--restarts", 1, "--checkpoint", "saved", "--checkpoint-every")
        self.finish(self.start_command(*words, "5", SAVED_WORKER, 50, "--pes", 1), LIMIT)
        self.assertGreater(self.newest_in(self.folder / "saved"), 0)
        job = self.start_command(*words, "1h", SAVED_WORKER, 200, "--pes", 1)
        self.wait_until(lambda: "begins at step 0" in self.out(), job)
        os.kill(self.pids_of(1, 2)[1], signal.SIGKILL)
        self.finish(job, LIMIT)
        self.assertEqual((job.returncode, self.out().count("begins at step 0")), (0, 2), self.out() + self.err())
        self.assertIn("restart 1 of 1, from the beginning", self.err())

    def test_the_time_of_all_starts_is_limited(self):
        job = self.start_command(jobs.IMBREX, "run", "-n", 1, "--restarts", 2, "--checkpoint", "saved", "--timeout", 3,
                                 "sh", "-c", "echo starts; sleep 2; kill -9 $$")
        self.finish(job, LIMIT)
        self.assertEqual((job.returncode, self.out().count("starts")), (124, 2), self.out() + self.err())

    def test_takes_both_signals_of_a_batch_system(self):
        """As a warning, SIGUSR1 ends no process from the first moment on; SIGTERM ends the job in any state."""
        words = (jobs.IMBREX, "run", "-n", 2, "--restarts", 1, "--checkpoint", "saved", SAVED_WORKER, 1000000,
                 "--pes", 1)
        for has_begun in (False, True):
            with self.subTest(has_begun=has_begun):
                job = self.start_command(*words)
                self.assertTrue(wait_until(lambda: len(descendants(job.pid)) == 3, LIMIT))
                job.send_signal(signal.SIGUSR1)
                self.wait_until(lambda: "begins at step" in self.out(), job)
                self.pids += descendants(job.pid)
                before = self.newest_in(self.folder / "saved")
                job.send_signal(signal.SIGUSR1)
                if has_begun:
                    self.wait_until(lambda: self.newest_in(self.folder / "saved") > before, job)
                    job.send_signal(signal.SIGUSR1)
                job.send_signal(signal.SIGTERM)
                self.finish(job, END_SECONDS)
                self.assertEqual(job.returncode, 128 + signal.SIGTERM, self.err())
                self.assertNotIn("restart", self.err())
                self.check_nothing_left()

    def test_a_process_that_dies_of_the_request_to_end_is_not_started_anew(self):
        job = self.start_command(jobs.IMBREX, "run", "-n", 2, "--restarts", 2, "--checkpoint", "saved",
                                 "sh", "-c", "trap 'kill -9 $$' TERM; echo starts; while :; do sleep 0.1; done")
        self.wait_for(job, "starts", 2)
        job.send_signal(signal.SIGTERM)
        self.finish(job, LIMIT)
        self.assertNotIn("restart", self.err())

    def test_resizes_from_the_first_moment_on(self):
        """A process that does not know the signal yet must not end of it."""
        job = self.start_command(jobs.IMBREX, "run", "-n", 1, "--restarts", 1, "--checkpoint-memory", "1h",
                                 SAVED_WORKER, 3000, "--pes", 1)
        self.assertTrue(wait_until(lambda: len(descendants(job.pid)) == 2, LIMIT))
        subprocess.run([jobs.IMBREX, "resize", str(job.pid), "-n", "2"], check=True, timeout=LIMIT)
        self.wait_until(lambda: self.out().count("begins at step") == 2, job)
        self.pids += descendants(job.pid)
        job.send_signal(signal.SIGTERM)
        self.finish(job, LIMIT)
        self.assertNotIn("restart", self.err())
        self.check_nothing_left()

    def test_remembers_a_request_to_resize_after_a_death(self):
        job = self.start_command(jobs.IMBREX, "run", "-n", 2, "--restarts", 1, "--checkpoint-memory", "1h",
                                 SAVED_WORKER, 100, "--pes", 1)
        self.wait_until(lambda: "begins at step 0" in self.out(), job)
        victim = self.pids_of(1, 2)[1]
        os.kill(victim, signal.SIGSTOP)  # so that no checkpoint comes
        subprocess.run([jobs.IMBREX, "resize", str(job.pid), "-n", "3"], check=True, timeout=LIMIT)
        self.wait_until(lambda: "going on with 3 processes" in self.err(), job)
        os.kill(victim, signal.SIGKILL)
        self.finish(job, LIMIT)
        self.assertEqual(job.returncode, 0, self.out() + self.err())
        self.assertEqual(len(re.findall(r"process \d+ pid", self.out())), 2 + 3)

    def test_a_user_ends_the_job(self):
        job = self.start_command(jobs.IMBREX, "run", "-n", 2, "--restarts", 9, "--checkpoint-memory", "5",
                                 SAVED_WORKER, 1000000, "--pes", 1)
        self.wait_until(lambda: len(self.pids_of(1, 2)) == 2, job)
        self.pids += descendants(job.pid)
        job.send_signal(signal.SIGTERM)
        self.finish(job, LIMIT)
        self.assertEqual(job.returncode, 128 + signal.SIGTERM)
        self.assertNotIn("restart", self.err())
        self.assertFalse(os.path.exists(f"/dev/shm/imbrex-checkpoints-{job.pid}"))


if __name__ == "__main__":
    jobs.main()
