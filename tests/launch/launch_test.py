#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs of several processes: by `imbrex run`, by mpirun with PMIx, by mpirun with MPI.

usage: launch_test.py IMBREX PROBE MPIRUN MPI_MODULE [unittest's arguments]
MPIRUN and MPI_MODULE may be empty; the tests that need them are skipped then.
"""
import collections
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from host_processes import has_ended, wait_until

IMBREX, PROBE, MPIRUN, MPI_MODULE = sys.argv[1:5]
LIMIT = 50  # seconds that nothing here takes unless it hangs


class Launch(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="imbrex_launch_"))
        self.addCleanup(shutil.rmtree, self.folder)

    def start(self, *arguments, environment=None, **options):
        job = subprocess.Popen([str(argument) for argument in arguments], cwd=self.folder, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env={**os.environ, **(environment or {})}, **options)

        def end():
            job.kill()
            job.wait()
            job.stdout.close()
            job.stderr.close()

        self.addCleanup(end)
        return job

    def finish(self, job, text=None):
        out, err = job.communicate(text, timeout=LIMIT)
        job.out, job.err = out, err
        return job

    def run_job(self, processes, *command, options=(), text="", environment=None):
        return self.finish(self.start(IMBREX, "run", "-n", processes, *options, *command,
                                      environment=environment, stdin=subprocess.PIPE), text)

    def shell(self, processes, script, **more):
        return self.run_job(processes, "sh", "-c", script, **more)

    def started_shells(self, processes, script, before=()):
        """A job whose shells have each written their process id to a file; the job and the ids by rank."""
        ready = "echo $$ >new.$IMBREX_RANK; mv new.$IMBREX_RANK pid.$IMBREX_RANK"
        job = self.start(*before, IMBREX, "run", "-n", processes, "sh", "-c", script.replace("READY", ready))
        files = [self.folder / f"pid.{rank}" for rank in range(processes)]
        started = wait_until(lambda: all(file.exists() for file in files))
        self.assertTrue(started, "the processes did not start")
        return job, [int(file.read_text()) for file in files]

    def check_exchange(self, job, processes):
        self.assertEqual(job.returncode, 0, job.err)
        self.assertEqual(sorted(job.out.splitlines()),
                         [f"process {rank} of {processes}: 6 rounds" for rank in range(processes)])


class Exchange(Launch):
    def test_all_sizes(self):
        for processes in (1, 2, 3, 7):
            with self.subTest(processes=processes):
                job = self.run_job(processes, PROBE, "exchange")
                self.check_exchange(job, processes)
                self.assertEqual(job.err, "")

    def test_absent(self):
        job = self.run_job(3, PROBE, "absent", 1, environment={"IMBREX_PATIENCE": "0.5"})
        self.assertEqual(job.returncode, 1)
        self.assertRegex(job.err,
                         r"after 0\.5 s only 2 of 3 processes had come; missing: rank 1 \(pid \d+\)\.")

    def test_one_that_ends_is_not_waited_for(self):
        began = time.monotonic()
        job = self.shell(2, f"[ $IMBREX_RANK = 1 ] || exec {PROBE} exchange")
        self.assertEqual(job.returncode, 1)
        self.assertRegex(job.err, r"rank 1 \(pid \d+\) has ended with status 0 and will not come")
        self.assertLess(time.monotonic() - began, 20)

    def test_wrong_patience(self):
        job = self.run_job(1, PROBE, "exchange", environment={"IMBREX_PATIENCE": "long"})
        self.assertIn("IMBREX_PATIENCE=long", job.err)

    def test_what_is_not_the_protocol(self):
        script = ("import os, sys, time\n"
                  "if os.environ['IMBREX_RANK'] == '0': os.execv(sys.argv[1], sys.argv[1:])\n"
                  "os.write(int(os.environ['IMBREX_BOOTSTRAP_FD']), b'what is this, and what for?')\n"
                  "time.sleep(60)")
        job = self.run_job(2, sys.executable, "-c", script, PROBE, "exchange",
                           environment={"IMBREX_PATIENCE": "1"})
        self.assertEqual(job.returncode, 1)
        self.assertRegex(job.err, r"rank 1 \(pid \d+\), which sent bytes that are not of the protocol")

    def test_closed_descriptors(self):
        script = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:], close_fds=True).returncode)"
        job = self.run_job(2, sys.executable, "-c", script, PROBE, "exchange")
        self.assertEqual(job.returncode, 1)
        self.assertIn("has closed the inherited descriptors", job.err)


class Status(Launch):
    def test_closed_standard_descriptors(self):
        for command in (["info"], ["run", "-n", "1", "true"]):
            for closed in ("<&-", "<&- >&-", "<&- >&- 2>&-"):
                job = self.finish(self.start("sh", "-c", f'exec "$@" {closed}', "sh", IMBREX, *command))
                self.assertEqual((job.returncode, job.err), (0, ""), (command, closed))

    def test_success(self):
        self.assertEqual(self.shell(3, "exit 0").returncode, 0)

    def test_status_of_the_failed(self):
        job = self.shell(3, "[ $IMBREX_RANK != 1 ] || exit 7; sleep 0.5")
        self.assertEqual(job.returncode, 7)
        self.assertRegex(job.err, r"\Aimbrex run: rank 1 \(pid \d+\) ended with status 7\n\Z")

    def test_signal(self):
        job = self.shell(3, "if [ $IMBREX_RANK = 2 ]; then kill -9 $$; fi; sleep 0.5; exit 1")
        self.assertEqual(job.returncode, 128 + 9)
        self.assertRegex(job.err, r"\Aimbrex run: rank 2 \(pid \d+\) ended by signal 9 \(Killed\)\n\Z")

    def test_announced(self):
        for status, seen in ((5, 5), (-1, 255), (300, 44)):
            with self.subTest(status=status):
                job = self.run_job(3, PROBE, "end", 1, status)
                self.assertEqual((job.returncode, job.err), (seen, ""))
                self.assertEqual(sorted(job.out.splitlines()),
                                 ["process 0 of 3: to the end", "process 2 of 3: to the end"])

    def test_success_in_the_middle_of_a_run(self):
        began = time.monotonic()
        job = self.run_job(3, PROBE, "vanish", 1)
        self.assertEqual(job.returncode, 1)
        self.assertRegex(job.err, r"\Aimbrex run: rank 1 \(pid \d+\) ended with status 0 in the middle of a run\n\Z")
        self.assertLess(time.monotonic() - began, 20)

    def test_success_after_runs(self):
        """A process that has left its last run may end without another message."""
        job = self.run_job(3, PROBE, "runs")
        self.assertEqual((job.returncode, job.err), (0, ""))

    def test_one_program_after_another(self):
        job = self.shell(2, f"{PROBE} exchange; {PROBE} exchange")
        self.assertEqual((job.returncode, job.err), (0, ""))
        self.assertEqual(len(job.out.splitlines()), 4)

    def test_timeout(self):
        job = self.shell(2, "exec sleep 60", options=("--timeout", "0.3"))
        self.assertEqual(job.returncode, 124)
        self.assertRegex(job.err, r"\Aimbrex run: .*--timeout.*\n\Z")

    def test_timeout_of_who_reads_the_output(self):
        for script, status in (("exec yes", 124), ("head -c 500000 /dev/zero | tr '\\0' x", 124)):
            with self.subTest(script=script):
                began = time.monotonic()
                job = self.start(IMBREX, "run", "-n", 1, "--timeout", 1, "sh", "-c", script)
                self.assertEqual(job.wait(LIMIT), status)  # the test reads none of the output
                self.assertLess(time.monotonic() - began, 20)
                self.assertIn("dropping the rest", job.stderr.read())

    def test_wrong_command_lines(self):
        for arguments, expected in ((["-n", "0", "true"], "-n 0"), (["-n", "x", "true"], "-n x"),
                                    (["-n", "2"], "no program"), (["true"], "-n is missing"),
                                    (["-n", "2", "--prefx", "true"], "did you mean --prefix?"),
                                    (["-n", "2", "there-is-no-such-program"], "there-is-no-such-program"),
                                    (["-n", "2", "./missing"], "./missing"),
                                    (["-n", "2", "/"], "cannot run '/'")):
            with self.subTest(arguments=arguments):
                job = self.finish(self.start(IMBREX, "run", *arguments))
                self.assertEqual(job.returncode, 2)
                self.assertEqual(len(job.err.splitlines()), 1, job.err)
                self.assertIn(expected, job.err)

    def test_help_that_cannot_be_written(self):
        with open("/dev/full", "w") as full:
            job = subprocess.run([IMBREX, "run", "--help"], stdout=full, stderr=subprocess.PIPE, text=True,
                                 timeout=LIMIT)
        self.assertEqual(job.returncode, 1)
        self.assertRegex(job.stderr, r"\Aimbrex run: the standard output cannot be written: .*\n\Z")

    def test_control_characters_are_shown_escaped(self):
        for arguments in (["run", "-n", "1", "no\x1b[31m such"], ["no\x1b[31m such"], ["run", "-n", "\x1b[31m", "x"]):
            job = self.finish(self.start(IMBREX, *arguments))
            self.assertNotEqual(job.returncode, 0)
            self.assertIn("\\x1b[31m", job.err)
            self.assertNotIn("\x1b", job.err)

    def test_not_executable(self):
        (self.folder / "text").write_text("text")
        job = self.run_job(2, "./text")
        self.assertEqual(job.returncode, 2)
        self.assertIn("chmod +x", job.err)


class Output(Launch):
    def test_whole_lines(self):
        count = 100_000
        script = ("import os, sys\n"
                  "rank = os.environ['IMBREX_RANK']\n"
                  "text = ''.join(f'{rank} line {i} ' + rank * (i % 90) + '\\n'"
                  f" for i in range({count}))\n"
                  "pieces = [text[i:i + 4001] for i in range(0, len(text), 4001)]\n"
                  "for piece in pieces: os.write(1, piece.encode())\n")
        job = self.run_job(3, sys.executable, "-c", script)
        self.assertEqual(job.returncode, 0, job.err)
        lines = collections.defaultdict(list)
        for line in job.out.splitlines():
            lines[line[:1]].append(line)
        for rank in "012":
            expected = [f"{rank} line {i} " + rank * (i % 90) for i in range(count)]
            self.assertTrue(lines[rank] == expected, f"lines of rank {rank} are mixed or lost")

    def test_reader_that_waits(self):
        job = self.start(IMBREX, "run", "-n", 2, "sh", "-c", "seq 1 200000; seq 1 200000 >&2")
        time.sleep(0.5)
        self.finish(job)
        numbers = [str(i) for i in range(1, 200_001)]
        for text in (job.out, job.err):
            self.assertTrue(sorted(text.splitlines()) == sorted(2 * numbers), "lines are mixed or lost")

    def test_prefix_and_last_line(self):
        job = self.shell(2, "printf 'one\\ntwo'; printf 'three' >&2", options=["--prefix"])
        self.assertEqual(sorted(job.out.splitlines()), ["[0] one", "[0] two", "[1] one", "[1] two"])
        self.assertEqual(sorted(job.err.splitlines()), ["[0] three", "[1] three"])

    def test_an_error_of_all_is_told_once(self):
        job = self.shell(4, "echo start >&2; echo app: error: no option --pse >&2; exit 2")
        self.assertEqual(job.returncode, 2)
        told = collections.Counter(job.err.splitlines())
        self.assertEqual(told["start"], 4)
        self.assertEqual(told["app: error: no option --pse"], 1)
        job = self.shell(2, "echo app: error: twice >&2", options=["--prefix"])
        self.assertEqual(sorted(job.err.splitlines()), ["[0] app: error: twice", "[1] app: error: twice"])

    def test_nothing_is_added(self):
        job = self.shell(1, "printf 'a\\n\\nb'")
        self.assertEqual(job.out, "a\n\nb")

    def test_nothing_is_added_to_a_long_line(self):
        job = self.shell(1, "head -c 40000000 /dev/zero | tr '\\0' x")
        self.assertTrue(job.out == 40_000_000 * "x", f"{len(job.out)} bytes with {job.out.count(chr(10))} line ends")

    def test_input_goes_to_rank_0(self):
        job = self.shell(3, "echo $IMBREX_RANK $(wc -c)", text="x" * 300_000)
        self.assertEqual(sorted(job.out.splitlines()), ["0 300000", "1 0", "2 0"])

    def test_reader_that_goes(self):
        job = self.start(IMBREX, "run", "-n", 2, "yes")
        job.stdout.readline()
        job.stdout.close()
        self.assertEqual(job.wait(LIMIT), 128 + signal.SIGPIPE)


class Signals(Launch):
    def test_forwarded(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
            with self.subTest(signal=number):
                for file in self.folder.glob("pid.*"):
                    file.unlink()
                name = number.name.removeprefix("SIG")
                job, _ = self.started_shells(
                    2, f"trap 'echo got {name}; exit 0' {name}; READY; while :; do sleep 0.05; done")
                job.send_signal(number)
                self.finish(job)
                self.assertEqual(job.out.splitlines(), [f"got {name}"] * 2)
                self.assertEqual((job.returncode, job.err), (0, ""))

    def test_terminal(self):
        """A terminal's interrupt comes once to each; rank 0 reads from the terminal."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execv(IMBREX, [IMBREX, "run", "-n", "2", sys.executable, "-c", """
import os, signal, sys, time
rank, count = os.environ["IMBREX_RANK"], 0
def interrupted(*_):
    global count
    count += 1
signal.signal(signal.SIGINT, interrupted)
print(rank, "read", sys.stdin.readline().strip() if rank == "0" else "", flush=True)
end = time.monotonic() + 20
while count == 0 and time.monotonic() < end: time.sleep(0.01)
time.sleep(0.5)
print(rank, "interrupts", count, flush=True)
"""])
        self.addCleanup(os.close, terminal)
        os.write(terminal, b"word\n")
        shown, interrupted = "", False
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            try:
                shown += os.read(terminal, 1000).decode()
            except OSError:  # the last process has closed it
                break
            if not interrupted and "0 read word" in shown and "1 read" in shown:
                os.write(terminal, b"\x03")
                interrupted = True
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
        self.assertEqual(sorted(re.findall(r"\d interrupts \d+", shown)),
                         ["0 interrupts 1", "1 interrupts 1"], shown)

    def test_death_by_a_forwarded_signal(self):
        job, _ = self.started_shells(2, "READY; exec sleep 60")
        job.send_signal(signal.SIGTERM)
        self.finish(job)
        self.assertEqual((job.returncode, job.err), (128 + signal.SIGTERM, ""))

    def test_second_interrupt_kills(self):
        job, pids = self.started_shells(2, "trap '' INT TERM; READY; while :; do sleep 0.05; done")
        job.send_signal(signal.SIGINT)
        time.sleep(0.6)
        self.assertIsNone(job.poll())
        job.send_signal(signal.SIGINT)
        self.finish(job)
        self.assertEqual(job.returncode, 128 + signal.SIGINT)
        self.assertTrue(all(has_ended(pid) for pid in pids))

    def test_ignored_signals_stay_ignored(self):
        job, _ = self.started_shells(1, "READY; sleep 1; echo done", before=["nohup"])
        job.send_signal(signal.SIGHUP)
        self.finish(job)
        self.assertEqual((job.returncode, job.out), (0, "done\n"))


class NobodyIsLeft(Launch):
    def test_when_one_is_killed(self):
        job, pids = self.started_shells(3, "trap '' TERM; READY; while :; do sleep 0.05; done")
        os.kill(pids[1], signal.SIGKILL)
        began = time.monotonic()
        self.finish(job)
        self.assertEqual(job.returncode, 128 + signal.SIGKILL)
        self.assertRegex(job.err, rf"\Aimbrex run: rank 1 \(pid {pids[1]}\) ended by signal 9 \(Killed\)\n\Z")
        self.assertTrue(all(has_ended(pid) for pid in pids))
        self.assertLess(time.monotonic() - began, 20)

    def test_when_the_launcher_is_killed(self):
        for _ in range(5):
            for file in self.folder.glob("pid.*"):
                file.unlink()
            job, pids = self.started_shells(3, "trap '' TERM HUP PIPE; READY; while :; do sleep 0.05; done")
            job.kill()
            self.assertTrue(wait_until(lambda: all(has_ended(pid) for pid in pids)), "processes are left")

    def test_when_the_launcher_is_killed_at_the_start(self):
        file = self.folder / "pids"
        delay = 0.002
        while delay < 0.05 or not file.exists():  # at least one process is there in time
            self.assertLess(delay, LIMIT, "the processes did not start")
            job = self.start(IMBREX, "run", "-n", 7, "sh", "-c", "echo $$ >>pids; exec sleep 61")
            time.sleep(delay)
            job.kill()
            job.wait()
            delay *= 2
        time.sleep(0.5)
        pids = [int(line) for line in file.read_text().split()]
        self.assertTrue(wait_until(lambda: all(has_ended(pid) for pid in pids)), "processes are left")

    def test_processes_learn_that_the_launcher_has_gone(self):
        # Behind a shell, which alone is killed with the launcher.
        job = self.start(IMBREX, "run", "-n", 2, "sh", "-c", f"{PROBE} watch; exit")
        for _ in range(2):
            self.assertRegex(job.stdout.readline(), "watching")
        job.kill()
        files = [self.folder / f"gone.{rank}" for rank in range(2)]
        self.assertTrue(wait_until(lambda: all(file.exists() for file in files)))

    def test_children_of_processes(self):
        job = self.finish(self.start(IMBREX, "run", "-n", 2, "sh", "-c",
                                     "(trap '' TERM HUP; while :; do sleep 0.05; done) & echo $!"))
        self.assertEqual(job.returncode, 0)
        pids = [int(line) for line in job.out.split()]
        self.assertEqual(len(pids), 2)
        self.assertTrue(all(has_ended(pid) for pid in pids))


    def test_when_one_cannot_be_started(self):
        program = self.folder / "program"
        program.write_text("#!/bin/sh\n[ $IMBREX_RANK = 0 ] || exec sleep 60\n"
                           "sleep 61 & echo $! >left\necho here\nrm program\nwait\n")
        program.chmod(0o755)
        job = self.run_job(1000, "./program")
        self.assertEqual(job.returncode, 2)
        self.assertIn("cannot run './program'", job.err)
        self.assertEqual(job.out, "here\n")
        self.assertTrue(has_ended(int((self.folder / "left").read_text())))

    def test_what_was_there_before(self):
        """Processes that a script had started before it became the launcher are not part of the job."""
        job = self.finish(self.start("sh", "-c", f"sleep 62 >/dev/null 2>&1 & echo $!; exec {IMBREX} run -n 1 true"))
        pid = int(job.out)
        self.addCleanup(os.kill, pid, signal.SIGKILL)
        self.assertEqual((job.returncode, job.err), (0, ""))
        self.assertFalse(has_ended(pid))


class Foreign(Launch):
    """Under mpirun, by PMIx unless the environment says otherwise."""

    def mpirun(self, processes, *arguments, environment=None):
        if not MPIRUN:
            self.skipTest("there is no mpirun, or Imbrex was built without PMIx")
        return self.finish(self.start(
            MPIRUN, "--oversubscribe", "-n", processes, PROBE, *arguments,
            environment={"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                         **(environment or {})}))

    def test_pmix(self):
        for processes in (1, 2, 3, 7):
            with self.subTest(processes=processes):
                self.check_exchange(self.mpirun(processes, "exchange"), processes)

    def test_pmix_absent(self):
        job = self.mpirun(3, "absent", 1, environment={"IMBREX_PATIENCE": "1"})
        self.assertRegex(job.err, "not all of the 3 processes have come in 1 s")
        self.assertNotEqual(job.returncode, 0)

    def test_pmix_announced(self):
        self.assertEqual(self.mpirun(2, "end", 1, 0).returncode, 0)
        self.assertEqual(self.mpirun(2, "end", 1, 5).returncode, 5)

    def mpi(self, *arguments, **more):
        if not MPI_MODULE:
            self.skipTest("there is no MPI to build the bootstrap with")
        # MPI leaks by plugins that it has unloaded, so that no suppression can name them, and takes its own locks
        # in more than one order.
        sanitizers = {name: os.environ.get(name, "") + ":" + option for name, option in
                      (("ASAN_OPTIONS", "detect_leaks=0"), ("TSAN_OPTIONS", "detect_deadlocks=0"))}
        environment = {"IMBREX_BOOTSTRAP": "mpi", "IMBREX_MPI_BOOTSTRAP": MPI_MODULE, **sanitizers, **more}
        return self.mpirun(*arguments, environment=environment)

    def test_mpi(self):
        for processes in (1, 3):
            with self.subTest(processes=processes):
                self.check_exchange(self.mpi(processes, "exchange"), processes)

    def test_mpi_absent(self):
        job = self.mpi(2, "absent", 1, IMBREX_PATIENCE="3")
        self.assertRegex(job.err, "not all processes have come in 3 s")
        self.assertNotEqual(job.returncode, 0)

    def test_mpi_without_its_module(self):
        job = self.mpirun(1, "exchange", environment={"IMBREX_BOOTSTRAP": "mpi", "IMBREX_MPI_BOOTSTRAP": "/missing.so"})
        self.assertRegex(job.err, r"IMBREX_BOOTSTRAP=mpi, .*/missing\.so.*; name the libimbrex_mpi_bootstrap\.so "
                                  r"that .* IMBREX_MPI_BOOTSTRAP=FILE; unset IMBREX_BOOTSTRAP")
        self.assertNotEqual(job.returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
