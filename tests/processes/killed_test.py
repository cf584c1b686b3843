#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A process of a job, or its launcher, is killed, stopped or ended by a signal."""
import os
import signal
import subprocess
import sys
import time

import jobs
from jobs import END_SECONDS, LIMIT, MPIRUN, STOP_SECONDS, WORKER, Job, descendants, wait_until
from switched_hosts import SwitchedHosts
import network


class Killed(Job):
    """kill -9 of one process. The launcher notifies the others, and does not wait until it must end them."""

    def check(self, mode, processes, victim, pes=1):
        job = self.start(processes, WORKER, mode, 50, options=("--pes", pes))
        pids = self.started(job, processes)
        if mode == "end":
            self.wait_for(job, "done")
        elif mode != "idle":
            self.wait_for(job, "at work", processes)
        self.kill(job, pids, victim)

    def test_rank_0_while_computing(self):
        self.check("compute", 3, 0)

    def test_another_while_computing(self):
        self.check("compute", 3, 2)

    def test_rank_0_while_idle(self):
        self.check("idle", 3, 0)

    def test_another_while_idle(self):
        self.check("idle", 3, 1, pes=2)

    def test_rank_0_while_exchanging(self):
        self.check("exchange", 3, 0)

    def test_another_while_exchanging(self):
        self.check("exchange", 3, 1, pes=2)

    def test_at_the_end(self):
        """The main task has returned, the last process computes on, and the others wait for it."""
        for victim in (0, 2):
            with self.subTest(victim=victim):
                self.check("end", 3, victim)

    def test_at_the_start(self):
        """Before the others have come."""
        for victim in (0, 1):
            with self.subTest(victim=victim):
                script = ("echo process $IMBREX_RANK pid $$; "
                          f"[ $IMBREX_RANK != {1 - victim} ] || exec sleep 50; "
                          f"exec {WORKER} idle 50 --pes 1")
                job = self.start(3, "sh", "-c", script, options=())
                self.kill(job, self.started(job, 3), victim)

    def test_during_the_start(self):
        """At any time while the processes meet."""
        for wait in (0.0, 0.01, 0.03, 0.06, 0.1):
            with self.subTest(wait=wait):
                script = f"echo process $IMBREX_RANK pid $$; exec {WORKER} idle 50 --pes 1"
                job = self.start(3, "sh", "-c", script, options=())
                pids = self.started(job, 3)
                time.sleep(wait)
                self.kill(job, pids, 1)


    def test_one_that_takes_long_to_end(self):
        """As all processors are busy, and the others fail meanwhile."""
        processor = min(os.sched_getaffinity(0))
        script = ("echo process $IMBREX_RANK pid $$; "
                  "[ $IMBREX_RANK != 1 ] || { while [ ! -e failed ]; do sleep 0.01; done; exit 3; }; "
                  f"exec {WORKER} idle 50 --pes 1")
        job = self.start(2, "sh", "-c", script, options=())
        pids = self.started(job, 2)
        busy = subprocess.Popen([sys.executable, "-c", "while True: pass"],
                                preexec_fn=lambda: os.sched_setaffinity(0, {processor}))
        self.addCleanup(busy.wait)
        self.addCleanup(busy.kill)
        for thread in os.listdir(f"/proc/{pids[0]}/task"):
            os.sched_setaffinity(int(thread), {processor})
            os.sched_setscheduler(int(thread), os.SCHED_IDLE, os.sched_param(0))
        os.kill(pids[0], signal.SIGKILL)
        (self.folder / "failed").touch()
        self.finish(job, END_SECONDS)
        self.assertEqual(job.returncode, 128 + signal.SIGKILL, self.err())
        self.assertRegex(self.err(), r"\Aimbrex run: rank 0 .* ended by signal 9 \(Killed\)\n\Z")


class KilledParticles(Job):
    """A kill while minimd's blocks exchange atoms, positions and forces."""

    def check_program(self, victim, *options):
        script = f"echo process $IMBREX_RANK pid $$; exec {os.environ['IMBREX_TEST_MINIMD']} {' '.join(options)}"
        job = self.start(3, "sh", "-c", script, options=())
        pids = self.started(job, 3)
        self.assertTrue(wait_until(lambda: "        40 " in self.out() or job.poll() is not None,
                                   LIMIT), self.out() + self.err())
        self.assertIsNone(job.poll(), self.err())
        self.kill(job, pids, victim)

    def test_in_the_middle(self):
        common = ("--size", "6", "--pes", "1", "--odf", "4", "--steps", "100000000", "--thermo", "20")
        for victim, more in ((0, ()), (2, ("--lists", "half"))):
            with self.subTest(victim=victim):
                self.check_program(victim, *common, *more)


class KilledBalanced(Job):
    """A kill while a balancer moves hotspot's cells."""

    def test_in_the_middle(self):
        options = ("--cells", "4,4,3", "--steps", "100000000", "--time", "100us", "--pes", "1", "--balance", "random",
                   "--balance-every", "1", "--balance-record", "loads.imb")
        script = f"echo process $IMBREX_RANK pid $$; exec {os.environ['IMBREX_TEST_HOTSPOT']} {' '.join(options)}"
        for victim in (0, 2):
            with self.subTest(victim=victim):
                record = self.folder / "loads.imb"
                record.unlink(missing_ok=True)
                job = self.start(3, "sh", "-c", script, options=())
                pids = self.started(job, 3)
                self.assertTrue(wait_until(lambda: record.exists() and record.stat().st_size > 50000 or
                                           job.poll() is not None, LIMIT), self.out() + self.err())
                self.assertIsNone(job.poll(), self.err())
                self.kill(job, pids, victim)


class KilledTransfers(Job):
    """A kill while device memory is in transit between processes, or a process requests its destination."""

    def check_transfers(self, mode, processes, victim, at_work, *options):
        job = self.start(processes, os.environ["IMBREX_TEST_DEVICE_WORKER"], mode, 50,
                         options=("--device", "emulated", *options))
        pids = self.started(job, processes)
        self.wait_for(job, "at work", at_work)
        self.kill(job, pids, victim)

    def test_in_the_middle(self):
        for path in ("any", "host", "network"):
            for victim, pes in ((0, 1), (1, 2), (2, 1)):
                with self.subTest(path=path, victim=victim):
                    self.check_transfers("transfer", 3, victim, 3, "--pes", pes, "--gpu-path", path)

    def test_in_a_post(self):
        """Kills of the process that receives the request, and of the one that lends memory."""
        for path in ("any", "host", "network"):
            for victim in (0, 1):
                with self.subTest(path=path, victim=victim):
                    self.check_transfers("post", 2, victim, 1, "--pes", 1, "--gpu-path", path)

    def test_of_nobody(self):
        self.check_to_the_end(self.start(3, os.environ["IMBREX_TEST_DEVICE_WORKER"], "transfer", 1,
                                         options=("--device", "emulated", "--pes", 1)), 3)

    def check_to_the_end(self, job, processes):
        self.started(job, processes)
        self.finish(job, LIMIT)
        self.assertEqual((job.returncode, self.err()), (0, ""))
        self.assertIn("done: ", self.out())
        self.check_nothing_left()

    def test_between_two_hosts(self):
        """Hosts that are network namespaces. The first run is without a kill."""
        if reason := network.missing_right():
            self.skipTest(reason)
        try:
            with SwitchedHosts(2) as hosts:
                for path in ("any", "network"):
                    for seconds, victim in ((1, None), (50, 0), (50, 1)):
                        with self.subTest(path=path, victim=victim):
                            self.check_two_hosts(hosts, path, seconds, victim)
        except network.Unavailable as error:
            self.skipTest(str(error))

    def check_two_hosts(self, hosts, path, seconds, victim):
        worker = os.environ["IMBREX_TEST_DEVICE_WORKER"]
        script = (f"[ $IMBREX_RANK = 0 ] && host={hosts.names[0]} || host={hosts.names[1]}; "
                  f"exec {network.tool('ip')} netns exec $host {worker} transfer {seconds} --device emulated "
                  f"--gpu-path {path} --pes 1")
        job = self.start(2, "sh", "-c", script, options=())
        if victim is None:
            return self.check_to_the_end(job, 2)
        pids = self.started(job, 2)
        self.wait_for(job, "at work", 2)
        self.kill(job, pids, victim)


class Vanished(Job):
    """A process ends with status 0 in the middle of a run."""

    def test_each(self):
        for mode, victim in (("vanish", 0), ("vanish", 2), ("exit", 1)):
            with self.subTest(mode=mode, victim=victim):
                # A process that leaves in the middle cannot return its memory. UCX's threads continue while exit()
                # destroys its library.
                job = self.start(3, WORKER, mode, victim,
                                 environment={"ASAN_OPTIONS": "detect_leaks=0", "TSAN_OPTIONS": "report_bugs=0"})
                pids = self.started(job, 3)
                self.finish(job, END_SECONDS)
                self.assertEqual(job.returncode, 1, self.err())
                self.assertRegex(self.err(), rf"\Aimbrex run: rank {victim} \(pid {pids[victim]}\) "
                                             r"ended with status 0 in the middle of a run\n\Z")
                self.check_nothing_left()


class LauncherKilled(Job):
    """kill -9 of `imbrex run`."""

    def check(self, *command, options=("--pes", "1"), environment=None):
        job = self.start(3, *command, options=options, environment=environment)
        self.started(job, 3)
        job.kill()
        job.wait()
        self.check_nothing_left(END_SECONDS)

    def test_while_computing(self):
        self.check(WORKER, "compute", 50)

    def test_while_idle(self):
        self.check(WORKER, "idle", 50)

    def test_while_exchanging(self):
        self.check(WORKER, "exchange", 50, options=("--pes", "2"))

    def test_behind_a_shell(self):
        """The kernel ends what the launcher has started itself; the others look to themselves."""
        for mode in ("idle", "compute"):
            with self.subTest(mode=mode):
                self.check("sh", "-c", f"{WORKER} {mode} 50 --pes 1; exit", options=())

    def test_after_children_have_ended_by_exit(self):
        """A copy of the process must not announce the end to the launcher, or to its own original."""
        self.check("sh", "-c", f"{WORKER} fork 50 --pes 1; exit", options=(),
                   environment={"ASAN_OPTIONS": "detect_leaks=0", "TSAN_OPTIONS": "die_after_fork=0:report_bugs=0"})

    def test_during_the_start(self):
        """At any time while the processes meet, and UCX makes its memory."""
        for run in (f"exec {WORKER} idle 50 --pes 1", f"{WORKER} idle 50 --pes 1; exit"):
            for wait in range(0, 100, 8):
                with self.subTest(run=run, milliseconds=wait):
                    self.pids.clear()
                    script = f"echo process $IMBREX_RANK pid $$; {run}"
                    job = self.start(3, "sh", "-c", script, options=())
                    self.started(job, 3)
                    time.sleep(wait / 1000)
                    self.pids += descendants(job.pid)
                    job.kill()
                    job.wait()
                    self.check_nothing_left(END_SECONDS)


class Signalled(Job):
    """A signal to the launcher ends processes that do nothing about it, whatever UCX does with signals."""

    def test_each(self):
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number):
                job = self.start(2, WORKER, "idle", 50)
                self.started(job, 2)
                job.send_signal(number)
                self.finish(job, END_SECONDS)
                self.assertEqual((job.returncode, self.err()), (128 + number, ""))
                self.check_nothing_left()


class HungUp(Job):
    """SIGHUP to processes that `imbrex run` has not started."""

    def start_by(self, *command):
        return self.start_command(*command, WORKER, "idle", 3, "--pes", 1)

    def test_one_by_itself(self):
        job = self.start_by()
        self.started(job, 1)
        job.send_signal(signal.SIGHUP)
        self.finish(job, END_SECONDS)
        self.assertEqual(job.returncode, -signal.SIGHUP)

    def test_one_that_ignores_it(self):
        job = self.start_by("nohup")
        self.started(job, 1)
        job.send_signal(signal.SIGHUP)
        self.finish(job, LIMIT)
        self.assertEqual(job.returncode, 0, self.err())
        self.assertIn("done: 1 rounds", self.out())

    def test_under_mpirun(self):
        if not MPIRUN:
            self.skipTest("there is no mpirun")
        job = self.start_by(MPIRUN, "--allow-run-as-root", "--oversubscribe", "-n", 2)
        pids = self.started(job, 2)
        os.kill(pids[1], signal.SIGHUP)
        self.finish(job, LIMIT)
        self.assertNotEqual(job.returncode, 0)
        self.assertRegex(self.err(), r"rank 1 .*exited on\s+signal 1 \(Hangup\)")
        self.check_nothing_left()


class Stopped(Job):
    """SIGSTOP, and SIGCONT some time later: nothing is lost, and no process reports an error."""

    def check(self, mode, processes, victim, pes=1):
        job = self.start(processes, WORKER, mode, STOP_SECONDS + 2, options=("--pes", pes))
        pids = self.started(job, processes)
        time.sleep(0.5)
        os.kill(pids[victim], signal.SIGSTOP)
        time.sleep(STOP_SECONDS)
        self.assertIsNone(job.poll(), self.err())
        os.kill(pids[victim], signal.SIGCONT)
        self.finish(job, LIMIT)
        self.assertEqual((job.returncode, self.err()), (0, ""))
        self.assertRegex(self.out(), r"done: \d+ rounds")
        self.check_nothing_left()

    def test_rank_0_while_exchanging(self):
        self.check("exchange", 3, 0)

    def test_another_while_exchanging(self):
        self.check("exchange", 3, 1, pes=2)

    def test_at_the_end(self):
        """The others are done and wait for the one that is stopped."""
        job = self.start(2, WORKER, "idle", 3)
        pids = self.started(job, 2)
        time.sleep(0.5)  # its reply may still be in transit
        os.kill(pids[1], signal.SIGSTOP)
        self.wait_for(job, "done")
        time.sleep(STOP_SECONDS)
        self.assertIsNone(job.poll(), self.err())
        os.kill(pids[1], signal.SIGCONT)
        self.finish(job, LIMIT)
        self.assertEqual((job.returncode, self.err()), (0, ""))
        self.check_nothing_left()


if __name__ == "__main__":
    jobs.main()
