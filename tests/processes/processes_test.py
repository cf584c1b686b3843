#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What happens to a job of several processes when something happens to one of them, or between them.

usage: processes_test.py IMBREX WORKER WORKER_OF_ANOTHER_BUILD LINK_RELAY [unittest's arguments]
LINK_RELAY may be empty; the tests of a link are skipped then.
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

IMBREX, WORKER, OTHER_WORKER, RELAY = sys.argv[1:5]
MPIRUN = shutil.which("mpirun")
LIMIT = 60            # seconds that nothing here takes unless it hangs
END_SECONDS = 10      # for all processes to end after a failure
SILENT_SECONDS = 30   # the same where nobody says that the link is down
STOP_SECONDS = float(os.environ.get("IMBREX_TEST_STOP_SECONDS", "3"))

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench/link"))
import network  # noqa: E402
from switched_hosts import SwitchedHosts  # noqa: E402
import options as link_options  # noqa: E402


def status_of(pid):
    """State and parent of a process; None if it has ended (a zombie that nobody has waited for has)."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else (fields[0], int(fields[1]))


def gone(pid):
    return status_of(pid) is None


def descendants(pid):
    """All processes below a process."""
    parents = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        if status := status_of(entry.name):
            parents.setdefault(status[1], []).append(int(entry.name))
    found, below = [], [pid]
    while below:
        below = [child for parent in below for child in parents.get(parent, [])]
        found += below
    return found


def wait_until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def segments_of(pids):
    """The System V segments that these processes have made."""
    lines = pathlib.Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
    return [line for line in lines if int(line.split()[4]) in pids]


def named_sockets_of(pids):
    """The sockets in the file system that these processes have open."""
    named = {}
    for line in pathlib.Path("/proc/net/unix").read_text().splitlines()[1:]:
        fields = line.split()
        if len(fields) > 7 and not fields[7].startswith("@"):
            named[f"socket:[{fields[6]}]"] = fields[7]
    found = []
    for pid in pids:
        try:
            files = os.listdir(f"/proc/{pid}/fd")
        except OSError:  # the process has ended
            continue
        for file in files:
            try:
                found += filter(None, [named.get(os.readlink(f"/proc/{pid}/fd/{file}"))])
            except OSError:
                pass
    return found


def sockets_of(pids):
    """The inodes of the sockets that these processes have open."""
    found = set()
    for pid in pids:
        for file in pathlib.Path(f"/proc/{pid}/fd").glob("*"):
            try:
                if match := re.fullmatch(r"socket:\[(\d+)\]", os.readlink(file)):
                    found.add(match[1])
            except OSError:  # closed meanwhile
                pass
    return found


def listeners_of(pids):
    """Where these processes, of one network namespace, listen by TCP: addresses as the kernel writes them."""
    own, found = sockets_of(pids), []
    for table in ("tcp", "tcp6"):
        for line in pathlib.Path(f"/proc/{pids[0]}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in own:
                found.append(fields[1].rpartition(":")[0])
    return found


def abstract_sockets_of(pids):
    """The names of these processes' Unix sockets that have no file."""
    own = sockets_of(pids)
    lines = pathlib.Path("/proc/net/unix").read_text().splitlines()[1:]
    return [fields[7][1:] for fields in map(str.split, lines)
            if len(fields) > 7 and fields[6] in own and fields[7].startswith("@")]


class Job(unittest.TestCase):
    """Starts jobs, and looks for what they leave behind."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="imbrex_processes_"))
        # UCX names its segments so that nobody can tell whose they are; so they get a folder of their own.
        self.segments = pathlib.Path(tempfile.mkdtemp(prefix="imbrex_processes_", dir="/dev/shm"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.addCleanup(shutil.rmtree, self.segments)
        self.pids = []

    def start(self, processes, *command, options=("--pes", "1"), environment=None):
        return self.start_command(IMBREX, "run", "-n", processes, *command, *options, environment=environment)

    def start_command(self, *arguments, environment=None, append=False):
        mode = "a" if append else "w"
        with (self.folder / "out").open(mode) as out, (self.folder / "err").open(mode) as err:
            job = subprocess.Popen(
                [str(argument) for argument in arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=out, stderr=err,
                env={**os.environ, "UCX_POSIX_DIR": str(self.segments), "TMPDIR": str(self.folder),
                     "IMBREX_OPTIONS": "--log error",  # not that PEs outnumber the processors here
                     **(environment or {})})

        def end():
            for pid in [job.pid, *descendants(job.pid), *self.pids]:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            job.wait()

        self.addCleanup(end)
        return job

    def out(self):
        return (self.folder / "out").read_text()

    def err(self):
        return (self.folder / "err").read_text()

    def started(self, job, processes):
        """Waits for all processes; their ids by rank."""
        def found():
            return {int(rank): int(pid) for rank, pid in re.findall(r"process (\d+) pid (\d+)", self.out())}
        self.assertTrue(wait_until(lambda: len(found()) == processes or job.poll() is not None, LIMIT),
                        f"the processes did not start: {self.out()}{self.err()}")
        self.assertIsNone(job.poll(), self.err())
        self.pids += descendants(job.pid)
        self.assertEqual(named_sockets_of([job.pid, *self.pids]), [])
        return [found()[rank] for rank in range(processes)]

    def wait_for(self, job, words, times=1):
        """Waits until processes have written that so often."""
        self.assertTrue(wait_until(lambda: self.out().count(words) == times or job.poll() is not None, LIMIT),
                        f"the processes did not write '{words}': {self.out()}{self.err()}")
        self.assertIsNone(job.poll(), self.err())

    def finish(self, job, seconds):
        """Waits for the launcher, which ends last; it must not take longer than that."""
        try:
            job.wait(seconds)
        except subprocess.TimeoutExpired:
            self.fail(f"the job still runs after {seconds} s: {[(p, status_of(p)) for p in self.pids]}"
                      f"{self.out()}{self.err()}")

    def check_nothing_left(self, seconds=1):
        self.assertTrue(wait_until(lambda: all(map(gone, self.pids)), seconds), "processes are left")
        # The kernel may end a process before it has taken its memory down.
        self.assertTrue(wait_until(lambda: not segments_of(self.pids), 2), segments_of(self.pids))
        self.assertEqual(list(self.segments.iterdir()), [])
        self.assertEqual([file for file in self.folder.rglob("*") if file.is_socket()], [])

    def kill(self, job, pids, victim):
        os.kill(pids[victim], signal.SIGKILL)
        self.finish(job, END_SECONDS)
        self.assertEqual(job.returncode, 128 + signal.SIGKILL, self.err())
        # A process whose entry does not return says so after as long a time as the launcher gives it.
        self.assertRegex(self.err(), rf"\Aimbrex run: rank {victim} \(pid {pids[victim]}\) "
                                     r"ended by signal 9 \(Killed\)\n"
                                     r"(imbrex: error: the run has ended, but PE \d is still busy with "
                                     r".*\n)*\Z")
        self.check_nothing_left()


class Killed(Job):
    """kill -9 of one process. The others hear of it from the launcher, and are not waited for until it ends them."""

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


class KilledParticles(Job):
    """The same while minimd's blocks exchange atoms, positions and forces."""

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


class KilledTransfers(Job):
    """The same while memory of devices is on its way between processes, or one asks where it shall land."""

    def check_transfers(self, mode, processes, victim, at_work, *options):
        job = self.start(processes, os.environ["IMBREX_TEST_DEVICE_WORKER"], mode, 50,
                         options=("--device", "emulated", *options))
        pids = self.started(job, processes)
        self.wait_for(job, "at work", at_work)
        self.kill(job, pids, victim)

    def test_in_the_middle(self):
        for path in ("any", "host"):
            for victim, pes in ((0, 1), (1, 2), (2, 1)):
                with self.subTest(path=path, victim=victim):
                    self.check_transfers("transfer", 3, victim, 3, "--pes", pes, "--gpu-path", path)

    def test_in_a_post(self):
        """Of who is asked, and of who lends."""
        for path in ("any", "host"):
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
        """Which are network namespaces. First nobody is killed."""
        if reason := network.missing_right():
            self.skipTest(reason)
        try:
            with SwitchedHosts(2) as hosts:
                for seconds, victim in ((1, None), (50, 0), (50, 1)):
                    with self.subTest(victim=victim):
                        self.check_two_hosts(hosts, seconds, victim)
        except network.Unavailable as error:
            self.skipTest(str(error))

    def check_two_hosts(self, hosts, seconds, victim):
        worker = os.environ["IMBREX_TEST_DEVICE_WORKER"]
        script = (f"[ $IMBREX_RANK = 0 ] && host={hosts.names[0]} || host={hosts.names[1]}; "
                  f"exec {network.tool('ip')} netns exec $host {worker} transfer {seconds} --device emulated --pes 1")
        job = self.start(2, "sh", "-c", script, options=())
        if victim is None:
            return self.check_to_the_end(job, 2)
        pids = self.started(job, 2)
        self.wait_for(job, "at work", 2)
        self.kill(job, pids, victim)


class ResidentGpus(Job):
    """Chares inside the GPUs of all processes."""

    def start_worker(self, mode, processes):
        device = os.environ.get("IMBREX_TEST_RESIDENT_DEVICE", "emulated")
        job = self.start(processes, os.environ["IMBREX_TEST_RESIDENT_WORKER"], mode,
                         options=("--device", device, "--pes", 1))
        return job, self.started(job, processes)

    def check_mode(self, mode, processes):
        job, _ = self.start_worker(mode, processes)
        self.finish(job, LIMIT)
        self.assertEqual((job.returncode, self.err()), (0, ""), self.out())
        self.assertIn("done: 0 wrong", self.out())
        self.check_nothing_left()

    def test_go_across(self):
        for processes in (1, 2, 3):
            with self.subTest(processes=processes):
                self.check_mode("all", processes)

    def test_another_program(self):
        for processes in (2, 3):
            with self.subTest(processes=processes):
                self.check_mode("other", processes)

    def test_slow(self):
        self.check_mode("slow", 2)

    def test_fails(self):
        for processes in (2, 3):
            with self.subTest(processes=processes):
                self.check_mode("fails", processes)

    def test_killed(self):
        for processes, victim in ((2, 0), (2, 1), (3, 2)):
            with self.subTest(processes=processes, victim=victim):
                job, pids = self.start_worker("ring", processes)
                self.wait_for(job, "at work", processes)
                self.kill(job, pids, victim)


class Strangers(Job):
    """Nobody else may speak to a run on one host, or end it."""

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
        """So many that they do not greet each other."""
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
                    except OSError:  # it takes no more, or is no such socket, or has gone
                        break

    def test_files_of_memory(self):
        job = self.start(2, WORKER, "exchange", 3, options=("--pes", "2"))
        pids = self.started(job, 2)
        files = [file for pid in pids for file in pathlib.Path(f"/proc/{pid}/fd").glob("*")
                 if os.readlink(file).startswith((str(self.segments), "/memfd:"))]
        self.assertNotEqual(files, [])
        self.assertEqual({oct(file.stat().st_mode & 0o777) for file in files}, {"0o600"})
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
        """One that does not know the secret, and one that speaks of something else, harm nobody, and are named."""
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
        self.assertRegex(self.err(), rf"{hosts.address(1)} port \d+ connected .* spoke of something else")


class Vanished(Job):
    """A process ends with status 0 in the middle of a run."""

    def test_each(self):
        for mode, victim in (("vanish", 0), ("vanish", 2), ("exit", 1)):
            with self.subTest(mode=mode, victim=victim):
                # Who leaves in the middle cannot give back what it has; and UCX's threads go on while exit() takes
                # its library apart.
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
        """A copy of the process must not tell the launcher, or its own original, that all is over."""
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
    """SIGSTOP, and SIGCONT some time later: nothing is lost, and nobody complains."""

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
        time.sleep(0.5)  # its answer may still be on the way
        os.kill(pids[1], signal.SIGSTOP)
        self.wait_for(job, "done")
        time.sleep(STOP_SECONDS)
        self.assertIsNone(job.poll(), self.err())
        os.kill(pids[1], signal.SIGCONT)
        self.finish(job, LIMIT)
        self.assertEqual((job.returncode, self.err()), (0, ""))
        self.check_nothing_left()


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
        """Packets are no longer passed on, and nobody says so."""
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
        """Nobody complains of a link that is only slow."""
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
        """What the first processes of the two hosts send each other is nothing but heartbeats."""
        self.check((0, 1, 2, 1, 1, 2, 2), "visit")

    def test_in_order(self):
        """Nobody complains of links that are well, also while the job ends."""
        with self.hosts() as hosts:
            job = self.start_on(hosts, (0, 1, 2, 1, 2), "exchange", 6, 3)
            self.finish(job, LIMIT)
        self.assertEqual((job.returncode, self.err()), (0, ""))
        self.check_nothing_left()


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
    """A run that fails by itself where others do not look up, or one of its processes that leaves it."""

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

    def test_at_the_start(self):
        """Of one alone: the others hear of it and end, too."""
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
    """What the traces of jobs say."""

    def report(self):
        done = subprocess.run([IMBREX, "trace", "report", "--json", str(self.folder / "trace")],
                              capture_output=True, text=True, timeout=LIMIT, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)["runs"][0]

    def clock_readings(self, process):
        """Of its file, as docs/trace-format.md has it: this clock, process 0's minus it, the round trip."""
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
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
