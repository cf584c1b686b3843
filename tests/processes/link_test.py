#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The link between two hosts goes silent or is taken down."""
import contextlib
import signal
import time

import jobs
from jobs import LIMIT, RELAY, SILENT_SECONDS, WORKER, Job
from switched_hosts import SwitchedHosts
import network
import options as link_options


class LinkDown(Job):
    """Two hosts, which are network namespaces; the link between them goes silent or is taken down."""

    def check(self, mode, take_down, pes=1):
        if reason := "the relay was not built" if not RELAY else network.missing_right():
            self.skipTest(reason)
        link = link_options.Link(delay_ns=100_000, rate=10**9, mtu=1500, queue=1000)
        try:
            self.run_over(network.Network(link, "tun", RELAY), mode, take_down, pes)
        except network.Unavailable as error:
            self.skipTest(str(error))

    def run_over(self, hosts, mode, take_down, pes):
        with hosts:
            script = (f"[ $IMBREX_RANK = 0 ] && host={hosts.names[0]} || host={hosts.names[1]}; "
                      f"exec {network.tool('ip')} netns exec $host {WORKER} {mode} 100 --pes {pes}")
            job = self.start(3, "sh", "-c", script, options=(),
                             environment={"UCX_TLS": "tcp,self", "IMBREX_SILENCE": "10"})
            self.started(job, 3)
            time.sleep(1)
            take_down(hosts)
            self.finish(job, SILENT_SECONDS)
            self.assertEqual(job.returncode, 1, self.err())
            self.assertRegex(self.err(), r"\Aimbrex run: process \d can no longer be reached from process \d "
                                         r".* the link to it is down\n"
                                         r"(imbrex: error: the run has ended, but PE \d is still busy .*\n)*\Z")
            self.check_nothing_left()
            hosts.relay.send_signal(signal.SIGCONT)

    @staticmethod
    def silence(hosts):
        """Packets are dropped silently."""
        hosts.relay.send_signal(signal.SIGSTOP)

    @staticmethod
    def unplug(hosts):
        network.run_tool("ip", "-n", hosts.names[1], "link", "set", "dev", network.DEVICE, "down")

    def test_silent_while_exchanging(self):
        self.check("exchange", self.silence)

    def test_silent_while_idle(self):
        self.check("idle", self.silence)

    def test_silent_while_computing(self):
        self.check("compute", self.silence)

    def test_unplugged_while_exchanging(self):
        self.check("exchange", self.unplug, pes=2)

    def test_in_order(self):
        """A link that is only slow causes no error."""
        if reason := "the relay was not built" if not RELAY else network.missing_right():
            self.skipTest(reason)
        link = link_options.Link(delay_ns=20_000_000, rate=10**8, mtu=1500, queue=1000)
        with network.Network(link, "tun", RELAY) as hosts:
            script = (f"[ $IMBREX_RANK = 0 ] && host={hosts.names[0]} || host={hosts.names[1]}; "
                      f"exec {network.tool('ip')} netns exec $host {WORKER} exchange 6 --pes 1")
            job = self.start(3, "sh", "-c", script, options=(),
                             environment={"UCX_TLS": "tcp,self", "IMBREX_SILENCE": "3"})
            self.finish(job, LIMIT)
            self.assertEqual((job.returncode, self.err()), (0, ""))
            self.check_nothing_left()


class SecondaryLinkDown(Job):
    """The link between two hosts goes silent neither of which has process 0."""

    def start_on(self, hosts, host_of_rank, mode, seconds, silence):
        cases = " ".join(f"{rank}) host={hosts.names[host]};;" for rank, host in enumerate(host_of_rank))
        script = (f"case $IMBREX_RANK in {cases} esac; "
                  f"exec {network.tool('ip')} netns exec $host {WORKER} {mode} {seconds} --pes 1")
        return self.start(len(host_of_rank), "sh", "-c", script, options=(),
                          environment={"UCX_TLS": "tcp,self", "IMBREX_SILENCE": str(silence)})

    def check(self, host_of_rank, mode, is_cut_from_the_start=False):
        with self.hosts() as hosts:
            if is_cut_from_the_start:
                hosts.cut(1, 2)
            job = self.start_on(hosts, host_of_rank, mode, 100, 10)
            if not is_cut_from_the_start:
                self.started(job, len(host_of_rank))
                time.sleep(1)
                hosts.cut(1, 2)
            self.finish(job, SILENT_SECONDS)
        self.assertEqual(job.returncode, 1, self.err())
        self.assertRegex(self.err(), r"\Aimbrex run: process (1 can no longer be reached from process 2|"
                                     r"2 can no longer be reached from process 1) .* the link to it is down\n"
                                     r"(imbrex: error: the run has ended, but PE \d is still busy .*\n)*\Z")
        self.check_nothing_left()

    @contextlib.contextmanager
    def hosts(self):
        if reason := network.missing_right():
            self.skipTest(reason)
        try:
            with SwitchedHosts(3) as hosts:
                yield hosts
        except network.Unavailable as error:
            self.skipTest(str(error))

    def test_between_first_processes(self):
        self.check((0, 1, 2), "exchange")

    def test_from_the_start(self):
        self.check((0, 1, 2), "exchange", is_cut_from_the_start=True)

    def test_between_others(self):
        """The first processes of the two hosts send each other heartbeats only."""
        self.check((0, 1, 2, 1, 1, 2, 2), "visit")

    def test_in_order(self):
        """Working links cause no error, also while the job ends."""
        with self.hosts() as hosts:
            job = self.start_on(hosts, (0, 1, 2, 1, 2), "exchange", 6, 3)
            self.finish(job, LIMIT)
        self.assertEqual((job.returncode, self.err()), (0, ""))
        self.check_nothing_left()


if __name__ == "__main__":
    jobs.main()
