#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs of odd shapes, and jobs that end in the middle of what they do; traces of jobs."""
import json
import os
import signal
import struct
import subprocess
import time

import jobs
from jobs import END_SECONDS, IMBREX, LIMIT, RELAY, STOP_SECONDS, WORKER, Job, wait_until
import network
import options as link_options


class Shapes(Job):
    """Numbers of processes and PEs that do not divide each other, and more threads than processors."""

    def test_exchange(self):
        for processes, pes in ((7, 2), (3, 3), (5, 1)):
            for options in ((), ("--comm-thread",), ("--shuffle", 3), ("--comm-thread", "--net-latency", "200us")):
                with self.subTest(processes=processes, pes=pes, options=options):
                    job = self.start(processes, WORKER, "exchange", "0.5", options=("--pes", pes, *options))
                    self.finish(job, LIMIT)
                    self.assertEqual((job.returncode, self.err()), (0, ""))
                    self.assertRegex(self.out(), r"done: \d+ rounds")
                    self.check_nothing_left()


class Left(Job):
    """Runs that end at once."""

    def test_with_messages_under_way(self):
        for transport in ("tcp,self", "all"):
            for turn in range(10):
                with self.subTest(transport=transport, turn=turn):
                    job = self.start(3, WORKER, "leave", 0, options=("--pes", 2), environment={"UCX_TLS": transport})
                    self.finish(job, LIMIT)
                    self.assertEqual((job.returncode, self.err()), (0, ""))
                    self.check_nothing_left()


class Failed(Job):
    """A run that fails by itself while other processes do not poll, or one of its processes that leaves it."""

    def check(self, processes, status, message, *command, options=("--pes", "1")):
        job = self.start(processes, WORKER, *command, options=options)
        self.started(job, processes)
        self.finish(job, END_SECONDS)
        self.assertEqual(job.returncode, status, self.err())
        self.assertRegex(self.err(), message)
        self.check_nothing_left()

    def test_while_another_computes_for_ever(self):
        for processes, pes in ((2, 1), (4, 1), (2, 2)):
            with self.subTest(processes=processes, pes=pes):
                self.check(processes, 3, r"\Aimbrex: error: the run has ended, but PE \d is still busy with "
                                         r"member::compute\w* that does not return; .*\n"
                                         r"imbrex run: rank \d \(pid \d+\) ended with status 3\n\Z",
                           "fail", (processes - 1) * pes, options=("--pes", pes))

    def test_while_rank_0_computes_for_ever(self):
        self.check(3, 1, r"\Aimbrex: error: .*an entry failed\n"
                         r"imbrex: error: the run has ended, but PE 0 is still busy with member::compute\w* .*\n"
                         r"imbrex run: rank \d \(pid \d+\) ended with status 1\n\Z", "fail", 0)

    def test_a_run_within_the_run(self):
        job = self.start(2, WORKER, "nested", 0)
        self.finish(job, END_SECONDS)
        self.assertEqual(job.returncode, 1)
        self.assertRegex(self.err(), r"\Aimbrex: error: one run at a time: .*\n\Z")
        self.check_nothing_left()

    def test_balanced_without_an_element_that_can_move(self):
        for options in (("--balance", "auto"), ("--balance-record", "loads.imb")):
            job = self.start(2, WORKER, "idle", 0, options=("--pes", 1, *options))
            self.finish(job, END_SECONDS)
            self.assertEqual(job.returncode, 2, self.err())
            self.assertRegex(self.err(), rf"\Aimbrex: error: {' '.join(options)}: this program creates no arrays, "
                                         r".*\n\Z")
            self.check_nothing_left()

    def test_at_the_start(self):
        """A failure of one process alone: the others are notified and end, too."""
        for victim in (0, 1, 2):
            with self.subTest(victim=victim):
                trace = f"trace-{victim}"
                blocked = self.folder / (f"{trace}.{victim}" if victim else trace)
                (blocked / "x").mkdir(parents=True)
                job = self.start(3, WORKER, "idle", 50, options=("--pes", 1, "--trace", trace))
                self.finish(job, END_SECONDS)
                self.assertEqual(job.returncode, 1)
                self.assertRegex(self.err(), rf"\Aimbrex: error: cannot write the trace {blocked.name}: .*\n\Z")
                self.check_nothing_left()


class Ended(Job):
    """A run that has ended well while an entry of another process does not return."""

    def test_in_an_entry_for_ever(self):
        for pes in (1, 2):
            with self.subTest(pes=pes):
                began = time.monotonic()
                job = self.start(3, WORKER, "end", 1000, options=("--pes", pes))
                self.started(job, 3)
                self.finish(job, LIMIT)
                self.assertGreater(time.monotonic() - began, 30)
                self.assertEqual(job.returncode, 1, self.err())
                self.assertRegex(self.err(), rf"\Aimbrex: error: the run has ended, but PE {3 * pes - 1} is still busy "
                                             r"with member::compute\w* that does not return; .*\n"
                                             r"imbrex run: rank 2 \(pid \d+\) ended with status 1\n\Z")
                self.check_nothing_left()

    def test_in_an_entry_that_was_stopped(self):
        """The time that its process could not run is none that it was given."""
        job = self.start(2, WORKER, "end", STOP_SECONDS + 5)
        pids = self.started(job, 2)
        self.wait_for(job, "done")
        os.kill(pids[1], signal.SIGSTOP)
        time.sleep(STOP_SECONDS)
        os.kill(pids[1], signal.SIGCONT)
        self.finish(job, LIMIT)
        self.assertEqual((job.returncode, self.err()), (0, ""))
        self.check_nothing_left()


class Traced(Job):
    """The contents of traces of jobs."""

    def report(self):
        done = subprocess.run([IMBREX, "trace", "report", "--json", str(self.folder / "trace")],
                              capture_output=True, text=True, timeout=LIMIT, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)["runs"][0]

    def clock_readings(self, process):
        """The clock readings of a file, as docs/trace-format.md defines them: this clock, process 0's minus it, the
        round trip."""
        content = (self.folder / f"trace.{process}").read_bytes()
        at, readings = 64, []
        while at < len(content):
            mark, kind, _, size = struct.unpack_from("<4sIII", content, at)
            self.assertEqual(mark, b"chnk")
            at += 16
            if kind == 3:
                readings.append(struct.unpack_from("<QqQ", content, at))
            at += size
        return readings

    def check_messages(self, report, processes):
        self.assertEqual((report["processes"], report["warnings"]), (processes, []))
        messages = report["messages"]
        self.assertGreater(messages["between_processes"], 100)
        self.assertEqual((messages["unknown"], messages["arrived_before_sent"]), (0, 0))

    def test_all_processes_in_one(self):
        for options in ((), ("--comm-thread",)):
            with self.subTest(options):
                job = self.start(3, WORKER, "exchange", "0.5", options=("--pes", "2", "--trace", "trace", *options))
                self.finish(job, LIMIT)
                self.assertEqual((job.returncode, self.err()), (0, ""))
                self.check_messages(self.report(), 3)

    def test_two_hosts(self):
        """Both have the same clock, which they cannot know: so what they find must be 0, give or take."""
        if reason := "the relay was not built" if not RELAY else network.missing_right():
            self.skipTest(reason)
        link = link_options.Link(delay_ns=200_000, rate=10**9, mtu=1500, queue=1000)
        with network.Network(link, "tun", RELAY) as hosts:
            script = (f"[ $IMBREX_RANK = 0 ] && host={hosts.names[0]} || host={hosts.names[1]}; exec "
                      f"{network.tool('ip')} netns exec $host {WORKER} exchange 2 --pes 1 --trace {self.folder}/trace")
            job = self.start(2, "sh", "-c", script, options=(), environment={"UCX_TLS": "tcp,self"})
            self.finish(job, LIMIT)
            self.assertEqual((job.returncode, self.err()), (0, ""))
        readings = self.clock_readings(1)
        self.assertGreater(len(readings), 0)
        for _, ahead, round_trip in readings:
            self.assertGreater(round_trip, 400_000)
            self.assertLessEqual(abs(ahead), round_trip // 2)
        self.check_messages(self.report(), 2)

    def test_killed(self):
        job = self.start(2, WORKER, "exchange", "60", options=("--pes", "1", "--trace", "trace"))
        pids = self.started(job, 2)
        files = [self.folder / "trace", self.folder / "trace.1"]
        self.assertTrue(wait_until(lambda: all(f.exists() and f.stat().st_size > 100_000 for f in files)))
        os.kill(pids[1], signal.SIGKILL)
        self.finish(job, END_SECONDS)
        report = self.report()
        self.assertRegex("\n".join(report["warnings"]), "the run has not ended, or was killed")
        self.assertGreater(report["records"], 1000)


if __name__ == "__main__":
    jobs.main()
