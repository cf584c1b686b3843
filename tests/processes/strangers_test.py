#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Foreign senders: other programs that send to a job, bytes that are no message, another build."""
import contextlib
import ctypes
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys

import jobs
from jobs import (END_SECONDS, LIMIT, OTHER_WORKER, WORKER, Job, abstract_sockets_of, descendants, listeners_of,
                 listening_sockets_of, segments_of, wait_until)
from switched_hosts import SwitchedHosts
import network


class Strangers(Job):
    """No other user may send to a run on one host, or end it."""

    def test_one_host(self):
        for options in (("--pes", "3"), ("--pes", "2", "--comm-thread")):
            with self.subTest(options=options):
                job = self.start(2, WORKER, "idle", 2, options=options)
                pids = self.started(job, 2)
                self.assertEqual(listeners_of(pids), [])
                self.assertEqual(segments_of(pids), [])
                self.send_to_all(pids, b"")
                self.send_to_all(pids, b"what is this?")
                self.finish(job, LIMIT)
                self.assertEqual((job.returncode, self.err()), (0, ""))
                self.check_nothing_left()

    def test_many_ports(self):
        """Enough processes that they do not greet each other."""
        job = self.start(2, WORKER, "idle", 2, options=("--pes", "20"))
        self.send_to_all(self.started(job, 2), b"")
        self.finish(job, LIMIT)
        self.assertEqual((job.returncode, self.err()), (0, ""))

    def test_from_the_start(self):
        job = self.start(2, WORKER, "idle", 1, options=("--pes", "20"))
        self.assertTrue(wait_until(lambda: descendants(job.pid), LIMIT))
        while len(self.out().splitlines()) < 2 and job.poll() is None:
            self.send_to_all(descendants(job.pid), b"")
        self.finish(job, LIMIT)
        self.assertEqual((job.returncode, self.err()), (0, ""))

    @staticmethod
    def send_to_all(pids, datagram):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as stranger:
            stranger.setblocking(False)
            for name in abstract_sockets_of(pids):
                for _ in range(20):
                    try:
                        stranger.sendto(datagram, b"\0" + name.encode())
                    except OSError:  # the socket takes no more, or is of another kind, or has been closed
                        break

    def test_files_of_memory(self):
        job = self.start(2, WORKER, "exchange", 3, options=("--pes", "2"))
        pids = self.started(job, 2)
        modes = []
        for file in (file for pid in pids for file in pathlib.Path(f"/proc/{pid}/fd").glob("*")):
            with contextlib.suppress(FileNotFoundError):  # closed meanwhile
                if os.readlink(file).startswith((str(self.segments), "/memfd:")):
                    modes.append(oct(file.stat().st_mode & 0o777))
        self.assertEqual(set(modes), {"0o600"})
        self.finish(job, LIMIT)
        self.assertEqual((job.returncode, self.err()), (0, ""))
        self.check_nothing_left()

    def test_two_hosts(self):
        """Each listens only where the other one is."""
        if reason := network.missing_right():
            self.skipTest(reason)
        try:
            with SwitchedHosts(2) as hosts:
                for name in hosts.names:
                    network.run_tool("ip", "-n", name, "link", "add", "unused", "type", "veth", "peer", "name", "end")
                    network.run_tool("ip", "-n", name, "address", "add", f"10.88.{name[-1]}.1/24", "dev", "unused")
                    network.run_tool("ip", "-n", name, "link", "set", "dev", "unused", "up")
                self.check_two(hosts)
        except network.Unavailable as error:
            self.skipTest(str(error))

    def check_two(self, hosts):
        script = (f"[ $IMBREX_RANK = 0 ] && host={hosts.names[0]} || host={hosts.names[1]}; "
                  f"exec {network.tool('ip')} netns exec $host {WORKER} exchange 2 --pes 1")
        job = self.start(2, "sh", "-c", script, options=())
        pids = self.started(job, 2)
        for rank, pid in enumerate(pids):
            wanted = struct.pack("=I", int.from_bytes(socket.inet_aton(hosts.address(rank)), sys.byteorder))
            wanted = f"{int.from_bytes(wanted, sys.byteorder):08X}"
            self.assertEqual(set(listeners_of([pid])), {wanted})
        self.assertEqual(segments_of(pids), [])
        self.finish(job, LIMIT)
        self.assertEqual((job.returncode, self.err()), (0, ""))
        self.check_nothing_left()


class OnTcp(Job):
    """Bytes of a stranger to the TCP ports of UCX."""

    GREETING = bytes.fromhex("78563412bebafeca")
    REQUEST = (GREETING + b"\x20" + struct.pack("<I", 29) + b"\x01" + bytes(12) + b"\x02\0\x82\x83" +
               socket.inet_aton("127.0.0.1") + bytes(8))
    NOISE = bytes(7 * i * i % 251 for i in range(200))
    HARMLESS = {"silence": [], "noise": [NOISE], "http": [b"GET / HTTP/1.0\r\n\r\n"], "request": [REQUEST]}
    # Messages that end a run with an older UCX, as docs/launch.md lists them.
    SINCE_1_22 = {"greeting": [GREETING + NOISE], "length": [GREETING + b"\x00\xff\xff\xff\x7f"],
                  "message": [REQUEST, b"\x0b" + struct.pack("<I", 24) + bytes(24)],
                  "long message": [REQUEST, b"\0" + struct.pack("<I", 0x7FFFFFFF) + b"x" * 20000]}

    @staticmethod
    def ucx_version():
        numbers = [ctypes.c_uint() for _ in range(3)]
        ctypes.CDLL("libucp.so.0").ucp_get_version(*map(ctypes.byref, numbers))
        return tuple(number.value for number in numbers)

    def test_strangers(self):
        kinds = self.HARMLESS if self.ucx_version() < (1, 22, 0) else {**self.HARMLESS, **self.SINCE_1_22}
        job = self.start(2, WORKER, "idle", 2, environment={"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo"})
        ports = [int(port, 16) for _, port in listening_sockets_of(self.started(job, 2))]
        self.assertGreater(len(ports), 0)
        with contextlib.ExitStack() as held:
            for port in ports:
                for parts in kinds.values():
                    stranger = held.enter_context(socket.create_connection(("127.0.0.1", port), LIMIT))
                    with contextlib.suppress(ConnectionError):  # UCX has closed the connection
                        for part in parts:
                            stranger.sendall(part)
            self.finish(job, LIMIT)
        self.assertEqual((job.returncode, self.err()), (0, ""))


class Numbered(Job):
    """Processes that a launcher has numbered as torchrun does, and which find each other by themselves."""

    PORT = 29500 + os.getpid() % 2000

    def start_all(self, commands, address="127.0.0.1", environment=None):
        jobs = []
        for rank, command in enumerate(commands):
            jobs.append(self.start_command(
                *command, append=True,
                environment={"RANK": str(rank), "WORLD_SIZE": str(len(commands)), "MASTER_ADDR": address,
                             "MASTER_PORT": str(self.PORT), "LOCAL_WORLD_SIZE": str(len(commands)),
                             **(environment or {})}))
        return jobs

    def finish_all(self, jobs, seconds=LIMIT):
        for job in jobs:
            self.finish(job, seconds)
        return [job.returncode for job in jobs]

    def test_one_host(self):
        jobs = self.start_all([(WORKER, "exchange", 1, "--pes", 1)] * 3)
        self.assertEqual((self.finish_all(jobs), self.err()), ([0, 0, 0], ""))
        self.assertRegex(self.out(), "done: ")

    def test_one_is_killed(self):
        for begun, victim in ((3, 0), (6, 2)):
            with self.subTest(victim=victim):
                jobs = self.start_all([(WORKER, "idle", 50, "--pes", 1)] * 3)
                self.assertTrue(wait_until(lambda: self.out().count("pid") == begun, LIMIT), self.err())
                jobs[victim].kill()
                self.assertEqual(sorted(self.finish_all(jobs, END_SECONDS)), [-signal.SIGKILL, 1, 1])
                self.assertRegex(self.err(), f"process {victim} has gone")

    def test_one_does_not_come(self):
        jobs = self.start_all([(WORKER, "idle", 50, "--pes", 1)] * 2 + [("sleep", 3)],
                              environment={"IMBREX_PATIENCE": "1"})
        self.assertEqual(self.finish_all(jobs), [1, 1, 0])
        self.assertRegex(self.err(), "have not come to process 0: 2")

    def test_two_hosts_without_secret(self):
        jobs = self.start_all([(WORKER, "idle", 50, "--pes", 1)] * 2, environment={"LOCAL_WORLD_SIZE": "1"})
        self.assertEqual(self.finish_all(jobs), [2, 2])
        self.assertEqual(self.err().count("IMBREX_SECRET_FILE"), 1)

    def test_two_hosts(self):
        if reason := network.missing_right():
            self.skipTest(reason)
        secret = self.folder / "secret"
        secret.write_bytes(os.urandom(32))
        secret.chmod(0o600)
        wrong = self.folder / "wrong"
        wrong.write_bytes(os.urandom(32))
        wrong.chmod(0o600)
        try:
            with SwitchedHosts(2) as hosts:
                self.check_hosts(hosts, secret)
                self.check_strangers(hosts, secret, wrong)
        except network.Unavailable as error:
            self.skipTest(str(error))

    @staticmethod
    def on(hosts, host, *command):
        return (network.tool("ip"), "netns", "exec", hosts.names[host], *command)

    def check_hosts(self, hosts, secret):
        jobs = self.start_all([self.on(hosts, host, WORKER, "exchange", 1, "--pes", 1) for host in (0, 1, 1)],
                              address=hosts.address(0),
                              environment={"LOCAL_WORLD_SIZE": "1", "IMBREX_SECRET_FILE": str(secret)})
        self.assertEqual((self.finish_all(jobs), self.err()), ([0, 0, 0], ""))

    def check_strangers(self, hosts, secret, wrong):
        """A peer without the secret, and one that sends other data, do no harm, and are named."""
        here = {"LOCAL_WORLD_SIZE": "1", "IMBREX_SECRET_FILE": str(secret), "RANK": "0", "WORLD_SIZE": "2",
                "MASTER_ADDR": hosts.address(0), "MASTER_PORT": str(self.PORT)}
        first = self.start_command(*self.on(hosts, 0, WORKER, "idle", 1, "--pes", 1), environment=here)
        thief = self.start_command(*self.on(hosts, 1, WORKER, "idle", 1, "--pes", 1), append=True,
                                   environment={**here, "RANK": "1", "IMBREX_SECRET_FILE": str(wrong),
                                                "IMBREX_PATIENCE": "1"})
        self.finish(thief, LIMIT)
        self.assertEqual(thief.returncode, 1)
        speak = (f"import socket; s = socket.create_connection(('{hosts.address(0)}', {self.PORT + 1})); "
                 "s.sendall(b'GET / HTTP/1.0\\r\\n\\r\\n'); s.recv(1)")
        subprocess.run(self.on(hosts, 1, sys.executable, "-c", speak), check=True)
        second = self.start_command(*self.on(hosts, 1, WORKER, "idle", 1, "--pes", 1), append=True,
                                    environment={**here, "RANK": "1"})
        self.assertEqual(self.finish_all([first, second]), [0, 0])
        self.assertRegex(self.err(),
                         rf"{hosts.address(1)} port \d+ connected .* did not prove that it knows the secret")
        self.assertRegex(self.err(), rf"{hosts.address(1)} port \d+ connected .* spoke another protocol")


class Garbage(Job):
    """Bytes that are no message, from another process."""

    def check(self, kind, expected):
        for processes in (2, 3):
            with self.subTest(kind=kind, processes=processes):
                job = self.start(processes, WORKER, "garbage", kind)
                self.finish(job, END_SECONDS)
                self.assertEqual(job.returncode, 1, self.err())
                self.assertRegex(self.err(), rf"\Aimbrex: error: on PE 0: .*{expected}.*\n\Z")
                self.check_nothing_left()

    def test_an_item(self):
        self.check("item", "malformed message")

    def test_a_truncated_item(self):
        self.check("truncated", "malformed message: a length of 2040 elements of at least 4 bytes, 8155 bytes left")

    def test_a_notice(self):
        self.check("notice", "does not expect: kind 77")


class Builds(Job):
    """Processes of different programs."""

    def test_two_builds(self):
        for others, expected in (("1", "process 1 runs"), ("[12]", "processes 1 and 2 run"),
                                 ("0", "processes 1 and 2 run")):
            with self.subTest(others=others):
                script = (f"case $IMBREX_RANK in {others}) exec {OTHER_WORKER} idle 50 --pes 1;; "
                          f"*) exec {WORKER} idle 50 --pes 1;; esac")
                job = self.start(3, "sh", "-c", script, options=())
                self.finish(job, END_SECONDS)
                self.assertEqual(job.returncode, 1, self.err())
                self.assertRegex(self.err(), rf"\Aimbrex: error: .*{expected} another program than process 0"
                                             r".*start the same build everywhere\n\Z")
                self.check_nothing_left()


if __name__ == "__main__":
    jobs.main()
