#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""link.py itself: usage: link_test.py RELAY Options|Links|Times; status 77 where links cannot be made."""
import ctypes
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

PROGRAM = [sys.executable, str(pathlib.Path(__file__).resolve().with_name("link.py")), "--relay", sys.argv[1]]
SKIPPED = 77
PATIENCE_SECONDS = 30
PR_CAPBSET_DROP = 24
CAPABILITIES = 41
SYSTEM = ctypes.CDLL(None)

WAITING = "echo here $$; sleep 1000"
EXCHANGE = """
import os, socket
s = socket.socket(type=socket.SOCK_DGRAM)
s.settimeout(20)
s.bind((os.environ["LINK_ADDRESS"], 7000))
if os.environ["LINK_RANK"] == "0":
    s.settimeout(0.1)
    answer = None
    while not answer:
        try:
            s.sendto(b"ping", (os.environ["LINK_PEER"], 7000))
            answer = s.recv(100)
        except (TimeoutError, ConnectionRefusedError):
            pass
    print(answer.decode())
else:
    data, sender = s.recvfrom(100)
    s.sendto(data + b" from " + sender[0].encode(), sender)
"""


def run(*arguments, **options):
    """Runs link.py to its end."""
    return subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True, timeout=120, check=False,
                          **options)


def drop_rights():
    """To be called before exec: the program is root, and may do nothing special."""
    for capability in range(CAPABILITIES):
        SYSTEM.prctl(PR_CAPBSET_DROP, capability)


def namespaces_of(pid):
    """The namespaces of a run."""
    return list(pathlib.Path("/run/netns").glob(f"imbrex-link-{pid}-*"))


def is_alive(pid):
    """Whether there is such a process that has not ended."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Options(unittest.TestCase):
    def refused(self, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_bad_values_are_named(self):
        command = ["--", "true"]
        self.assertIn("--delay: 'x' is no duration; write", self.refused("--delay", "x", *command))
        self.assertIn("--delay: '200' is no duration", self.refused("--delay", "200", *command))
        self.assertIn("--delay: '11s' is too long", self.refused("--delay", "11s", *command))
        self.assertIn("--rate: '1Gb' is no rate; write", self.refused("--rate", "1Gb", *command))
        self.assertIn("--rate: '0bit/s' is out of range", self.refused("--rate", "0bit/s", *command))
        self.assertIn("--mtu: '20' is not a whole number from 576", self.refused("--mtu", "20", *command))
        self.assertIn("--queue: '-1' is not", self.refused("--queue=-1", *command))
        self.assertIn("--method: invalid choice: 'magic'", self.refused("--method", "magic", *command))

    def test_bad_command_lines(self):
        self.assertIn("write -- and a command", self.refused("--delay", "1ms"))
        self.assertIn("unrecognized arguments: true", self.refused("true"))
        self.assertIn("no program '/no/such'", self.refused("--", "/no/such"))
        self.assertIn("leave out COMMAND", self.refused("--clean", "--", "true"))
        self.assertIn("--relay: there is no program", self.refused("--relay", "/no/such", "--", "true"))

    def test_units(self):
        from options import duration, rate
        self.assertEqual([duration(text) for text in ("0", "7ns", "200us", "1.5ms", "2s")],
                         [0, 7, 200_000, 1_500_000, 2_000_000_000])
        self.assertEqual([rate(text) for text in ("10000bit/s", "2.5Gbit/s", "125MB/s", "10kbit/s")],
                         [10_000, 2_500_000_000, 1_000_000_000, 10_000])

    def test_without_rights(self):
        done = run("--", "true", preexec_fn=drop_rights)
        self.assertEqual(done.returncode, SKIPPED)
        self.assertRegex(done.stderr, r"\Alink.py: skipped: .+\n\Z")


class WithRights(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = run("--method", "tun", "--", "true")
        if done.returncode == SKIPPED:
            print(done.stderr, file=sys.stderr)
            sys.exit(SKIPPED)


class Links(WithRights):
    def start(self, *arguments):
        """Starts link.py; returns it and its processes when each command has written "here PID"."""
        process = subprocess.Popen([*PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        pids = [int(re.fullmatch(r"here (\d+)\n", process.stdout.readline())[1]) for _ in range(2)]
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        self.assertEqual(len(namespaces_of(process.pid)), 2)
        return process, {*pids, *map(int, children)}

    def assert_ended(self, pids):
        end = time.monotonic() + PATIENCE_SECONDS
        while any(map(is_alive, pids)) and time.monotonic() < end:
            time.sleep(0.01)
        self.assertEqual([pid for pid in pids if is_alive(pid)], [])

    def assert_gone(self, process, pids):
        self.assert_ended(pids)
        self.assertEqual(namespaces_of(process.pid), [])

    def test_what_a_command_knows(self):
        done = run("--", "sh", "-c", "echo {rank} {size} {address} {peer} {other}; "
                                     "echo $LINK_RANK $LINK_SIZE $LINK_ADDRESS $LINK_PEER {other}")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sorted(done.stdout.splitlines()), ["0 2 10.77.0.1 10.77.0.2 {other}"] * 2 +
                         ["1 2 10.77.0.2 10.77.0.1 {other}"] * 2)

    def test_packets_cross(self):
        done = run("--delay", "1ms", "--", sys.executable, "-c", EXCHANGE)
        self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", "ping from 10.77.0.1\n"))

    def test_drops_are_reported(self):
        script = "import os, socket; s = socket.socket(type=socket.SOCK_DGRAM); " \
                 "[s.sendto(bytes(1000), (os.environ['LINK_PEER'], 7000)) for _ in range(100)]"
        done = run("--method", "tun", "--rate", "100kbit/s", "--queue", "5", "--",
                   sys.executable, "-c", script)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"link.py: \d+ of \d+ packets were dropped: more than 5 waited")

    def test_there_is_no_way_out(self):
        done = run("--", "sh", "-c", "ip route; ip -6 route show default; ls /sys/class/net")
        self.assertEqual({line.split()[0] for line in done.stdout.splitlines()},
                         {"10.77.0.0/30", "link0", "lo"})

    def test_netem_is_there_or_the_reason_is_the_kernel(self):
        done = run("--method", "netem", "--", "true")
        if done.returncode != 0:
            self.assertEqual(done.returncode, SKIPPED)
            self.assertRegex(done.stderr, r"\Alink.py: skipped: no netem here: .*"
                                          r"(kind is unknown|no program tc).*\n\Z")

    def test_lines_stay_whole(self):
        script = "for n in $(seq 200); do printf 'first half '; printf 'second half\\n'; done; printf end"
        done = run("--", "sh", "-c", script)
        self.assertEqual(sorted(done.stdout.splitlines()), ["end"] * 2 + ["first half second half"] * 400)

    def test_the_first_failure_is_the_status(self):
        for script, status in (("test {rank} = 0 || exit 7", 7),
                               ("test {rank} = 0 || { sleep 1; exit 7; }; exit 8", 8),
                               ("test {rank} = 1 || kill -9 $$", 128 + signal.SIGKILL)):
            self.assertEqual(run("--", "sh", "-c", script).returncode, status)

    def test_a_command_that_does_not_notice_is_ended(self):
        done = run("--", "sh", "-c", "test {rank} = 0 && exit 3; trap '' TERM; sleep 1000; sleep 1000")
        self.assertEqual(done.returncode, 3)
        self.assertIn("the other still runs", done.stderr)

    def test_background_processes_end(self):
        process, pids = self.start("--", "sh", "-c", "sleep 1000 & echo here $!; sleep 0.5")
        process.wait(PATIENCE_SECONDS)
        self.assert_gone(process, pids)

    def test_end_by_signal(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            process, pids = self.start("--method", "tun", "--", "sh", "-c", WAITING)
            self.assertEqual(len(pids), 3)  # the commands and the relay
            process.send_signal(number)
            self.assertEqual(process.wait(PATIENCE_SECONDS), 128 + number)
            self.assert_gone(process, pids)

    def test_a_killed_run_is_cleaned_up_after(self):
        for arguments in (["--", "true"], ["--clean"]):
            process, pids = self.start("--", "sh", "-c", "sleep 1000 & echo here $!; wait")
            process.kill()
            process.wait()
            self.assertEqual(len(namespaces_of(process.pid)), 2)
            self.assertEqual(run(*arguments).returncode, 0)
            self.assert_gone(process, pids)

    def test_commands_and_relay_die_with_a_killed_run(self):
        process, pids = self.start("--", "sh", "-c", "echo here $$; exec sleep 1000")
        process.kill()
        process.wait()
        self.assert_ended(pids)
        self.assertEqual(run("--clean").returncode, 0)

    def test_ends_when_nobody_reads_its_output(self):
        process, pids = self.start("--", "sh", "-c", "echo here $$; while sleep 0.1; do echo; done")
        process.stdout.close()
        self.assertEqual(process.wait(PATIENCE_SECONDS), 128 + signal.SIGPIPE)
        self.assertEqual(process.stderr.read(), "")
        self.assert_gone(process, pids)

    def test_runs_do_not_meet(self):
        one, one_pids = self.start("--", "sh", "-c", WAITING)
        self.assertEqual(run("--", sys.executable, "-c", EXCHANGE).returncode, 0)
        self.assertEqual(run("--clean").returncode, 0)
        self.assertTrue(all(map(is_alive, one_pids)))
        one.terminate()
        one.wait(PATIENCE_SECONDS)
        self.assert_gone(one, one_pids)

    def test_a_lost_relay_is_an_error(self):
        process, pids = self.start("--method", "tun", "--", "sh", "-c", WAITING)
        relay = next(pid for pid in pids if pathlib.Path(f"/proc/{pid}/comm").read_text() == "link_relay\n")
        subprocess.run(["kill", "-9", str(relay)], check=True)
        self.assertEqual(process.wait(PATIENCE_SECONDS), 1)
        self.assertIn("the relay ended", process.stderr.read())
        self.assert_gone(process, pids)

    def test_a_device_may_be_taken_down(self):
        script = "ip link set dev link0 down; sleep 0.2; ip link set dev link0 up; exec \"$0\" -c \"$1\""
        done = run("--", "sh", "-c", script, sys.executable, EXCHANGE)
        self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", "ping from 10.77.0.1\n"))


class Times(WithRights):
    """Runs alone."""

    def test_the_delay_is_about_what_was_asked(self):
        # The machine may be busy; so three attempts, and any that is right proves the link right.
        for _ in range(3):
            done = run("--delay", "1ms", "--probe")
            self.assertEqual(done.returncode, 0, done.stderr)
            median = float(re.search(r"median .* us +([0-9.]+) us", done.stdout)[1])
            self.assertGreaterEqual(median, 2000)
            if median <= 4000:
                return
        self.fail(done.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
