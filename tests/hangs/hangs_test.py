#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reports of programs that hang: by SIGQUIT, and by `imbrex who`.

usage: hangs_test.py IMBREX WORKER [unittest's arguments]
"""
import json
import os
import random
import pathlib
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

IMBREX, WORKER = sys.argv[1:3]
signal.signal(signal.SIGQUIT, signal.SIG_DFL)  # a shell lets commands in the background ignore it
LIMIT = 30  # seconds that nothing here takes unless it hangs
GAP = 2.1   # seconds after which another SIGQUIT asks for another report
MACHINES = (("--pes", 2), ("--pes", 2, "--machine", "deterministic"), ("--pes", 2, "--machine", "simulated"))
GDB_SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "imbrex/tools/imbrex_gdb.py"
MPICC = os.environ.get("IMBREX_TEST_MPICC")
REPORTS = int(os.environ.get("IMBREX_TEST_REPORTS", "6"))
STRANGERS = int(os.environ.get("IMBREX_TEST_STRANGERS", "200"))


class Program:
    """A program that runs, and its output so far."""

    def __init__(self, *command, prefix=(), program=WORKER):
        words = [*prefix, program, *command]
        self.process = subprocess.Popen([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, start_new_session=True)
        self.texts = {"out": "", "err": ""}
        self.changed = threading.Condition()
        self.readers = [threading.Thread(target=self.read, args=(name, pipe)) for name, pipe in
                        (("out", self.process.stdout), ("err", self.process.stderr))]
        for reader in self.readers:
            reader.start()

    def read(self, name, pipe):
        for line in pipe:
            with self.changed:
                self.texts[name] += line
                self.changed.notify_all()

    def wait_for(self, name, pattern, times=1):
        """Waits until an output has a pattern so many times, and returns the output."""
        def has_come():
            return len(re.findall(pattern, self.texts[name], re.DOTALL)) >= times
        with self.changed:
            if not self.changed.wait_for(has_come, LIMIT):
                raise AssertionError(f"{name} has no {pattern!r}:\n{self.texts}")
            return self.texts[name]

    def begun(self, times=1):
        self.wait_for("out", "begun\n", times)
        return self

    def quit(self):
        self.process.send_signal(signal.SIGQUIT)

    def end(self):
        status = self.process.wait(LIMIT)
        for reader in self.readers:
            reader.join(LIMIT)
        return status

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.end()
        self.process.stdout.close()
        self.process.stderr.close()


def who(*words, status=0):
    """The output of `imbrex who`, and its errors."""
    done = subprocess.run([IMBREX, "who", *map(str, words)], capture_output=True, text=True, timeout=LIMIT)
    if done.returncode != status:
        raise AssertionError(f"imbrex who {words} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done.stdout, done.stderr


def http_get(port, secret=None):
    """The status and the text of a reply of `imbrex run --metrics`."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}/metrics")
    if secret:
        request.add_header("Authorization", f"Bearer {secret}")
    try:
        with urllib.request.urlopen(request, timeout=LIMIT) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code, refusal.read().decode()


WAITS = (r"Waiting:.*block\(\d\), entry tick, on PE \d waits for the end of a sleep of 1\.0+ s.*"
         r"block\(\d\), entry run, on PE \d waits for halo with reference 4")


def settled(program, pattern=WAITS):
    """The program, once all of its entries wait: `imbrex who` has the pattern."""
    end = time.monotonic() + LIMIT
    while not re.search(pattern, out := who(program.begun().process.pid)[0], re.DOTALL):
        if time.monotonic() > end:
            raise AssertionError(f"imbrex who has no {pattern!r}:\n{out}")
    return program


class BySignal(unittest.TestCase):
    """SIGQUIT writes a report, and the run goes on."""

    def test_names_who_waits_on_each_machine(self):
        for machine in MACHINES:
            with self.subTest(machine=machine), Program("wait", *machine) as program:
                settled(program).quit()
                text = program.wait_for("err", WAITS)
                self.assertRegex(text, r"imbrex: report of process 0 of 1 \(pid \d+\):\n  PE 0 .*\n  PE 1 ")
                self.assertIn("the main task waits for", text)
                self.assertIsNone(program.process.poll())

    def test_comes_from_all_processes_of_a_job(self):
        prefix = (IMBREX, "run", "-n", 3)
        with Program("wait", "--pes", 1, prefix=prefix) as program:
            settled(program, "entry run, on PE 2 waits").quit()
            text = program.wait_for("err", r"report of process \d of 3", 3)
            program.wait_for("err", r"entry run, on PE \d waits for halo with reference 4", 3)
            for process in range(3):
                self.assertIn(f"report of process {process} of 3", text)
            self.assertIsNone(program.process.poll())

    def test_names_a_busy_entry(self):
        with Program("spin", 100, "--pes", 2) as program:
            program.begun().quit()
            text = program.wait_for("err", r"PE \d has run block::spin for at least \d\.\d s")
            self.assertRegex(text, r"PE 0 .*; it has 2 chares and ")

    def test_names_a_busy_entry_on_a_single_thread(self):
        with Program("spin", 3, "--pes", 2, "--machine", "deterministic") as program:
            program.begun().quit()
            program.wait_for("err", r"imbrex: PE \d runs block::spin; the report of all PEs comes when that returns")
            program.wait_for("err", r"report of process 0 of 1")
            self.assertEqual(program.end(), 0)

    def test_in_a_constructor(self):
        for machine in MACHINES:
            with self.subTest(machine=machine), Program("construct", 2, *machine) as program:
                program.begun().quit()
                program.wait_for("err", r"report of process 0 of 1")
                self.assertEqual(program.end(), 0)

    def test_while_only_a_thread_could_go_on(self):
        for machine in MACHINES:
            with self.subTest(machine=machine), Program("thread", 3, *machine) as program:
                program.begun().quit()
                program.wait_for("err", r"Waiting:\n  the main task waits for the result of a promise")
                self.assertEqual(program.end(), 0)

    def test_with_a_long_message_under_way(self):
        with Program("much", 1 << 28, "--pes", 2, prefix=(IMBREX, "run", "-n", 2)) as program:
            program.begun().quit()
            program.wait_for("err", r"report of process \d of 2", 2)
            self.assertEqual(program.end(), 0)
            self.assertIn(f"kept {1 << 28}\n", program.texts["out"])

    def test_before_the_run_ends_the_program(self):
        with Program("before", 100) as program:
            program.begun().quit()
            self.assertEqual(program.end(), -signal.SIGQUIT)

    def test_after_the_run_ends_nothing(self):
        with Program("after", 3) as program:
            program.begun().quit()
            program.wait_for("err", r"imbrex: no run goes on in process \d+, so there is nothing to report")
            self.assertEqual(program.end(), 0)

    def test_twice_ends_the_program(self):
        for prefix, status in (((), -signal.SIGQUIT), ((IMBREX, "run", "-n", 2), 128 + signal.SIGQUIT)):
            with self.subTest(prefix=prefix), Program("wait", "--pes", 1, prefix=prefix) as program:
                program.begun().quit()
                program.wait_for("err", "report of process")
                program.quit()
                self.assertEqual(program.end(), status)

    def test_at_random_moments(self):
        """Reports at random moments of random traffic change nothing; many programs share the waits."""
        generator = random.Random(3)
        seconds = GAP * (REPORTS / 6 * 1.25 + 3)  # with room for a loaded host
        commands = [("hop", seconds, *machine) for machine in (*MACHINES, ("--pes", 3, "--shuffle", 2))]
        prefixes = [(), (), (), ()] + [(IMBREX, "run", "-n", 2)] * 2
        programs = [Program(*command, prefix=prefix)
                    for command, prefix in zip([*commands, commands[0], commands[3]], prefixes)]
        try:
            for program in programs:
                program.begun()
            for turn in range(REPORTS // 6):
                time.sleep(GAP)  # the moments are what is tested
                for program in programs:
                    time.sleep(generator.random() / 100)
                    program.quit()
            for program in programs:
                self.assertEqual(program.end(), 0, program.texts["err"])
                self.assertGreaterEqual(program.texts["err"].count("report of process"), REPORTS // 6)
        finally:
            for program in programs:
                program.__exit__()


class ByCommand(unittest.TestCase):
    """`imbrex who` asks running programs."""

    def test_prints_the_report(self):
        for machine in MACHINES:
            with self.subTest(machine=machine), Program("wait", *machine) as program:
                out, err = who(settled(program).process.pid)
                self.assertRegex(out, re.compile(WAITS, re.DOTALL))
                self.assertEqual(err, "")
                self.assertEqual(program.texts["err"], "")
                self.assertIsNone(program.process.poll())

    def test_prints_json(self):
        with Program("wait", "--pes", 1, prefix=(IMBREX, "run", "-n", 2)) as program:
            settled(program)
            document = json.loads(who(program.process.pid, "--json")[0])
        self.assertEqual(document["silent"], [])
        self.assertEqual(sorted(p["process"] for p in document["processes"]), [0, 1])
        pes = [pe for p in document["processes"] for pe in p["pes"]]
        self.assertEqual(sorted(pe["pe"] for pe in pes), [0, 1])
        waits = [w for pe in pes for w in pe["waits"]]
        self.assertIn("halo with reference 4", [w["what"] for w in waits])
        self.assertIn("the main task", [w["who"] for w in waits])

    def test_alone_asks_all(self):
        with Program("wait", "--pes", 1) as one, Program("wait", "--pes", 1) as other:
            one.begun()
            other.begun()
            out = who()[0]
            for program in (one, other):
                self.assertIn(f"(pid {program.process.pid})", out)

    def test_two_at_once(self):
        with Program("wait", "--pes", 1) as program:
            settled(program)
            both = [subprocess.Popen([IMBREX, "who", str(program.process.pid)], stdout=subprocess.PIPE, text=True)
                    for _ in range(2)]
            for one in both:
                self.assertIn("halo with reference 4", one.communicate(timeout=LIMIT)[0])

    def test_refuses_what_is_no_process_id(self):
        for words in (("x",), ("0",), ("-1",), ("1", "2"), ("99999999999999",)):
            with self.subTest(words=words):
                self.assertNotEqual(who(*words, status=2)[1], "")

    def test_of_processes_that_cannot_answer(self):
        sleeper = subprocess.Popen(["sleep", "100"])
        try:
            self.assertRegex(who(sleeper.pid, status=1)[1], r"process \d+ is in no run of Imbrex")
        finally:
            sleeper.kill()
            sleeper.wait()
        self.assertRegex(who(sleeper.pid, status=1)[1], r"there is no process \d+ on this host")
        if os.geteuid() != 0:
            self.assertRegex(who(1, status=1)[1], r"process 1 belongs to user 0")

    def test_of_a_stopped_process(self):
        with Program("wait", "--pes", 1) as program:
            settled(program).process.send_signal(signal.SIGSTOP)
            begin = time.monotonic()
            self.assertRegex(who(program.process.pid, status=1)[1], r"process \d+ is stopped.*kill -CONT")
            self.assertLess(time.monotonic() - begin, LIMIT / 2)
            program.process.send_signal(signal.SIGCONT)
            self.assertIn("halo with reference 4", who(program.process.pid)[0])

    def test_strangers_hinder_nobody(self):
        """Connections that say nothing, garbage, or too much, and those that do not read."""
        with Program("hop", 4, "--pes", 2) as program:
            name = f"\0imbrex/report/{program.begun().process.pid}"
            for said in (b"", b"\xff\n", b"x" * 100_000):
                with socket.socket(socket.AF_UNIX) as one:
                    one.connect(name)
                    try:
                        one.sendall(said)
                    except ConnectionError:
                        pass
            self.assertIn("report of process", who(program.process.pid)[0])
            self.assertEqual(program.end(), 0)


@unittest.skipUnless(MPICC, "there are no programs of MPI")
class Ranks(unittest.TestCase):
    """Ranks of MPI in one process name the functions that they wait in."""

    def test_name_their_functions(self):
        with tempfile.TemporaryDirectory() as folder:
            program = f"{folder}/ranks"
            subprocess.run([MPICC, "-o", program, pathlib.Path(__file__).with_name("ranks.c")], check=True,
                           timeout=2 * LIMIT)
            with Program(prefix=(IMBREX, "mpiexec", "-n", 3), program=program) as ranks:
                asked = settled(ranks, "MPI_Recv from rank 2.*MPI_Recv from rank 0").process.pid
                ranks.quit()
                for text in (ranks.wait_for("err", "MPI_Recv from rank 2.*MPI_Recv from rank 0"), who(asked)[0]):
                    self.assertRegex(text, r"rank\(0\), entry run, on PE \d waits for MPI_Recv from rank 2, tag 98")
                    self.assertRegex(text, r"rank\(1\), entry run, on PE \d waits for MPI_Recv from rank 0, tag 99")


@unittest.skipUnless(shutil.which("gdb"), "there is no gdb")
class InDebugger(unittest.TestCase):
    """The commands of gdb, with a process and with a core file of it."""

    def gdb(self, *words):
        done = subprocess.run(["gdb", "-q", "-batch", "-nx", "-x", GDB_SCRIPT, *map(str, words)], capture_output=True,
                              text=True, timeout=2 * LIMIT)
        return done.stdout + done.stderr

    def check(self, text):
        self.assertRegex(text, r"PE 1\n  block\(2\) at \(.*block \*\) 0x")
        self.assertRegex(text, r"0 the main task waits for the end of all block::run")
        self.assertRegex(text, r"\d block\(3\), block::run, on PE 1 waits for halo with reference 4")
        self.assertRegex(text, r"\d block\(0\), block::tick, on PE 0 waits for the end of a sleep of 1 s")
        self.assertRegex(text, r"block::run\(\)\n  \*this = \{(.|\n)*\n  got = ")

    def test_show_chares_waits_and_variables(self):
        commands = [word for command in ("chares", "waits", "frame 1") for word in ("-ex", f"imbrex {command}")]
        with Program("wait", "--pes", 2) as program, tempfile.TemporaryDirectory() as folder:
            settled(program, r"block\(3\), entry run")
            core = f"{folder}/core"
            live = self.gdb("-p", program.process.pid, *commands, "-ex", f"generate-core-file {core}")
            if "ptrace: Operation not permitted" in live:
                self.skipTest("this user may not attach to processes")
            self.check(live)
            self.check(self.gdb(WORKER, core, *commands))

    def test_refuse_numbers_and_programs_without_a_run(self):
        self.assertIn("no run goes on in this process", self.gdb("true", "-ex", "imbrex chares"))
        with Program("wait", "--pes", 2) as program:
            text = self.gdb("-p", program.begun().process.pid, "-ex", "imbrex frame 99", "-ex", "imbrex frame x")
            self.assertEqual(text.count("imbrex frame: give a number of `imbrex waits`"), 2, text)


class Figures(unittest.TestCase):
    """`imbrex top` and `imbrex metrics`."""

    def run_command(self, *words):
        return subprocess.run([IMBREX, *map(str, words)], capture_output=True, text=True, timeout=LIMIT)

    def test_top(self):
        with Program("wait", "--pes", 2) as program:
            tops = [subprocess.Popen([IMBREX, "top", "-n", "2", str(settled(program).process.pid)],
                                     stdout=subprocess.PIPE, text=True) for _ in range(2)]
            for top in tops:
                text = top.communicate(timeout=LIMIT)[0]
                self.assertEqual(top.returncode, 0)
                self.assertEqual(text.count("    PE    queued    chares  runs\n"), 2)
                self.assertIn("halo with reference 4\n", text)

    def test_metrics(self):
        with Program("wait", "--pes", 2) as program:
            done = self.run_command("metrics", settled(program, r"block\(3\), entry run").process.pid)
            self.assertEqual(done.returncode, 0)
            label = rf'{{pid="{program.process.pid}",process="0",pe="1"}}'
            self.assertIn(f"imbrex_pe_chares{label} 2\n", done.stdout)
            self.assertIn(f"imbrex_pe_waits{label} 2\n", done.stdout)

    def test_metrics_over_http(self):
        prefix = (IMBREX, "run", "-n", 2, "--metrics", "127.0.0.1:0")
        with Program("wait", "--pes", 1, prefix=prefix) as program:
            said = program.wait_for("err", r"figures at http://127.0.0.1:\d+/metrics for who sends the secret in \S+\n")
            port, file = re.search(r":(\d+)/metrics .* in (\S+)\n", said).groups()
            self.assertEqual(stat.S_IMODE(os.stat(file).st_mode), 0o600)
            secret = pathlib.Path(file).read_text()
            settled(program, "entry run, on PE 1 waits")
            self.assertEqual(http_get(port)[0], 401)
            self.assertEqual(http_get(port, "f" * len(secret))[0], 401)
            status, text = http_get(port, secret)
            self.assertEqual(status, 200)
            for process in range(2):
                self.assertRegex(text, rf'imbrex_pe_chares{{pid="\d+",process="{process}",pe="{process}"}} 2\n')

            for number in range(STRANGERS):  # who say garbage, and go
                with socket.create_connection(("127.0.0.1", int(port)), LIMIT) as stranger:
                    try:
                        stranger.sendall(random.Random(number).randbytes(number % 20_000))
                    except ConnectionError:  # after the answer to the first bytes nobody reads the others
                        pass
            self.assertEqual(http_get(port, secret)[0], 200)
            self.assertIsNone(program.process.poll())

            place = f"127.0.0.1:{port}"
            done = self.run_command("run", "-n", 1, "--metrics", place, "true")
            self.assertEqual(done.returncode, 0)
            self.assertEqual(done.stderr, f"imbrex run: --metrics {place}: nobody can listen there: Address already in "
                                          "use; choose another port, or 0 for one that is free; the job runs without "
                                          "figures\n")
            program.process.terminate()
            program.end()
            self.assertFalse(os.path.exists(file))

    def test_metrics_at_no_place(self):
        done = self.run_command("run", "-n", 1, "--metrics", "9100", "true")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "imbrex run: --metrics 9100: the port is missing; write HOST:PORT, such as --metrics "
                             "127.0.0.1:9100\n"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
