#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`imbrex tune`, as users start it: on Jacobi3D in simulated time, where the best is known, on a program whose times
are a known function of its options, with noise, and on programs that fail.

usage: tune_test.py IMBREX JACOBI3D
"""
import itertools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

IMBREX, JACOBI = sys.argv[1:3]
FAKE = pathlib.Path(__file__).with_name("fake_program.py")
LIMIT = 100  # seconds that nothing here takes unless it hangs
MODELLED = ["--machine", "simulated", "--device-model", "v100", "--no-data", "--grid", "768,768,768", "--pes", "6",
            "--iters", "5"]


def state_of(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


class Tune(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="imbrex_tune_"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()
        self.environment = {**os.environ, "TMPDIR": str(self.temporary)}

    def run_command(self, *command):
        return subprocess.run([str(word) for word in command], cwd=self.folder, text=True, timeout=LIMIT,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment)

    def tune(self, *arguments, status=0):
        done = self.run_command(IMBREX, "tune", "--json", *arguments)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(list(self.temporary.iterdir()), [])
        return json.loads(done.stdout)

    def program(self, script):
        file = self.folder / "program"
        file.write_text("#!/bin/sh\n" + script)
        file.chmod(0o755)
        return "./program"

    def interrupting(self, program, last_run, name):
        """The program, which is interrupted in that run."""
        return self.program(f'echo >>count; [ $(wc -l <count) -lt {last_run} ] && exec {program} "$@"\n'
                            f"kill -{name} $PPID; exec sleep 1000\n")

    def options(self):
        lines = (self.folder / "tuned.options").read_text().splitlines()
        return [line for line in lines if not line.startswith("#")]


class OnAModel(Tune):
    """Times are exact, so the best configuration can be found by running all."""

    def time_of(self, *options):
        file = self.folder / "result.json"
        done = self.run_command(JACOBI, *MODELLED, *options, "--json", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(file.read_text())["us_per_iter"]

    def test_the_best_is_found(self):
        found = self.tune("--phase", "iterations", "--", JACOBI, *MODELLED)
        self.assertTrue(found["exact"])
        methods = ["poll", "callback", "flag", "sync", "work-request"]
        times = {both: self.time_of("--odf", both[0], "--completion", both[1])
                 for both in itertools.product(["1", "2", "4", "8", "16"], methods)}
        best = min(times.values())
        self.assertLess(best, times["4", "poll"], "the default is the best: nothing is tested")
        tuned = self.time_of("--options", "tuned.options")
        self.assertLessEqual(tuned, 1.005 * best)  # less than that is no gain
        self.assertAlmostEqual(found["confirmation"]["ratio"], times["4", "poll"] / tuned, places=3)

    def test_what_is_given_is_the_default(self):
        found = self.tune("--phase", "iterations", "--vary", "--odf 2,4", "--vary", "--completion poll", "--", JACOBI,
                          *MODELLED, "--odf", "8")
        self.assertEqual(found["default"]["options"], ["--odf", "8"])
        self.assertEqual(found["chosen"]["options"], ["--odf", "2"])
        self.assertEqual(self.options(), ["--odf 2"])

    def test_short_runs(self):
        found = self.tune("--short", "--iters 1 --warmup 0", "--vary", "--streams two,four", "--", JACOBI, *MODELLED)
        (self.folder / "whole").mkdir()
        whole = self.tune("--vary", "--streams two,four", "--output", "whole/file", "--", JACOBI, *MODELLED)
        self.assertLess(found["first_runs"][0]["time"], whole["first_runs"][0]["time"] / 2)
        self.assertIn("--iters 5", found["command"])

    def test_an_interrupt_keeps_what_is_exact(self):
        program = self.interrupting(JACOBI, 4, "TERM")
        found = self.tune("--phase", "iterations", "--vary", "--odf 2,8", "--vary", "--completion poll", "--", program,
                          *MODELLED, "--odf", "4", status=128 + signal.SIGTERM)
        self.assertEqual(found["interrupted"], signal.SIGTERM)
        self.assertIn("--odf 2 --completion poll", [one["name"] for one in found["untried"]])
        self.assertEqual(self.options(), ["--odf 2"])

    def test_a_program_that_runs_imbrex_twice(self):
        done = self.run_command(IMBREX, "tune", "--vary", "--net-latency 1us", "--", JACOBI, *MODELLED, "--odf", "1,8")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr,
                         r"\Aimbrex tune: the program cannot .* ran Imbrex more than once, .* one run, .*\n\Z")
        self.assertEqual(done.stdout, "")

    def test_a_phase_that_is_not_there(self):
        done = self.run_command(IMBREX, "tune", "--phase", "iteration", JACOBI, *MODELLED)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Aimbrex tune: .*--phase iteration: .* it has: iterations\n\Z")
        self.assertFalse((self.folder / "tuned.options").exists())


class OnANoisyMachine(Tune):
    def test_the_best_is_found(self):
        found = self.tune("--seconds", 1000, "--vary", "--bind none", "--", FAKE)
        self.assertEqual(self.options(), ["--odf 4"])
        self.assertEqual(found["confirmation"]["outcome"], "better")
        self.assertEqual(len(found["confirmation"]["ratios"]), 10)
        self.assertAlmostEqual(found["confirmation"]["ratio"], 100 / 60, delta=0.13)
        self.assertIn("--odf 4 is 1.", found["findings"])

    def test_what_fails_is_told_and_not_chosen(self):
        tried = self.tune("--seconds", 1000, "--vary", "--odf 16", "--", FAKE)["tried"]
        failed = [one for one in tried if one["outcome"] == "failed"]
        self.assertIn("--odf 16", [one["candidate"]["name"] for one in failed])
        for one in failed:
            if one["candidate"]["name"] == "--odf 16":
                self.assertEqual(one["failure"], "ended with status 3: there is no room for so many chares")
        self.assertEqual(self.options(), [])

    def test_tuning_again_keeps_what_was_found(self):
        (self.folder / "tuned.options").write_text("--odf 4\n")
        found = self.tune("--seconds", 1000, "--vary", "--odf 2,8", "--", FAKE, "--options", "tuned.options")
        self.assertEqual(found["arguments"], ["--odf", "4"])
        self.assertEqual(self.options(), ["--odf 4"])

    def test_an_interrupt_confirms_nothing(self):
        (self.folder / "tuned.options").write_text("--odf 3\n")
        program = self.interrupting(FAKE, 2 + 6 + 6 + 2, "INT")
        found = self.tune("--seconds", 1000, "--vary", "--odf 2,4,8", "--vary", "--bind none", "--", program,
                          status=128 + signal.SIGINT)
        self.assertEqual([one["candidate"]["name"] for one in found["tried"]], ["--odf 2", "--odf 4"])
        self.assertIn("--odf 8", [one["name"] for one in found["untried"]])
        self.assertRegex(found["findings"], r"^Interrupted by signal 2\. Until then --odf 4 was 1\.\d+ times as fast")
        self.assertEqual(self.options(), ["--odf 3"])

    def test_a_run_that_is_stopped_again_and_again(self):
        """Each of its attempts, from a comparison on."""
        program = self.interrupting(FAKE, 2 + 6 + 2, "CONT")
        done = self.run_command(IMBREX, "tune", "--seconds", 1000, "--vary", "--odf 2,4", "--vary", "--bind none", "--",
                                program)
        self.assertEqual(done.returncode, 1)
        self.assertIn("\nGiven up, since one run was stopped again and again. Until then --odf 2 was 1.", done.stdout)
        self.assertIn("Not tried: --odf 4", done.stdout)
        self.assertRegex(done.stderr, r"\Aimbrex tune: one run was given up 5 times, .*\n\Z")
        self.assertFalse((self.folder / "tuned.options").exists())

    def test_the_default_stays_if_nothing_matters(self):
        found = self.tune("--seconds", 1000, "--vary", "--speed 2,3", "--vary", "--odf 2,4", "--", FAKE, "--flat")
        self.assertEqual(found["chosen"]["name"], "default")
        self.assertEqual(self.options(), [])


class OnOtherPrograms(Tune):
    def test_a_full_disk(self):
        """The findings are reported all the same."""
        done = self.run_command(IMBREX, "tune", "--output", "/dev/full", self.program("exit 0\n"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("/dev/full is not written. What was chosen is run by\n  ./program\n", done.stdout)
        self.assertIn("imbrex tune: --output /dev/full cannot be written: No space left on device\n", done.stderr)

    def test_a_program_without_the_runtime(self):
        program = self.program('case "$*" in "") ;; --way\\ 1) exit 5 ;; *) exit 1 ;; esac\n')
        found = self.tune("--vary", "--way 1", program)
        self.assertEqual(found["measured"], "the time of the process")
        self.assertEqual([one["candidate"]["name"] for one in found["tried"]], ["--way 1"])
        self.assertEqual(found["tried"][0]["failure"], "ended with status 5")
        self.assertEqual(found["command"], "./program")

    def test_a_program_that_means_something_else_by_options(self):
        (self.folder / "file").write_text("--odf 4\n")
        for value in ("file", "O2,g"):
            program = self.program('[ "$*" = "--options $WANTED -- --options x" ]\n')
            self.environment["WANTED"] = value
            found = self.tune("--vary", "--way 1", program, "--options", value, "--", "--options", "x")
            self.assertEqual(found["arguments"], ["--options", value, "--", "--options", "x"])

    def test_what_cannot_be_varied_is_refused_before_a_run(self):
        program = self.program("echo >ran\n")
        for arguments, expected in ((["--processes", "3", program, "--pes", "4"], "4 PEs cannot be divided"),
                                    (["--processes", "2", program, "--machine", "simulated"], "has one process"),
                                    (["--vary", "--fast", "--short", "--fast", program], "--short names --fast")):
            done = self.run_command(IMBREX, "tune", *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(expected, done.stderr)
            self.assertFalse((self.folder / "ran").exists())

    def test_no_other_file_is_replaced(self):
        program = self.program("exit 0\n")
        before = (self.folder / program).read_text()
        done = self.run_command(IMBREX, "tune", "--output", program, program)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--output ./program is there, and is no file of options", done.stderr)
        self.assertEqual((self.folder / program).read_text(), before)
        (self.folder / "link").symlink_to("target")
        done = self.run_command(IMBREX, "tune", "--output", "link", program)
        self.assertEqual(done.returncode, 0)
        self.assertTrue((self.folder / "link").is_symlink())

    def test_why_a_program_is_not_traced_is_told(self):
        done = self.run_command(IMBREX, "tune", self.program('case "$*" in "") ;; *) exit 1 ;; esac\n'))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "imbrex tune: with --trace the program ended with status 1; so the time of its "
                         "process is measured\n")

    def test_a_trace_that_cannot_be_used(self):
        done = self.run_command(IMBREX, "tune", self.program('[ "$1" != --trace ] || echo text >"$2"\n'))
        self.assertEqual(done.returncode, 1)
        self.assertIn("the program cannot be measured as it is: ", done.stderr)
        self.assertFalse((self.folder / "tuned.options").exists())

    def test_a_program_that_fails(self):
        done = self.run_command(IMBREX, "tune", self.program("echo no disk >&2; exit 4\n"))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr,
                         "imbrex tune: the program cannot be measured as it is: ended with status 4: no disk\n")
        self.assertFalse((self.folder / "tuned.options").exists())

    def test_a_program_that_takes_longer_than_there_is_time(self):
        done = self.run_command(IMBREX, "tune", "--seconds", 0.2, self.program("sleep 1000\n"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("took longer than 200 ms; raise --seconds", done.stderr)

    def test_wrong_command_lines(self):
        for arguments, expected in (([], "no program to tune"), (["./missing"], "cannot run './missing'"),
                                    (["--output", "/no/such/folder/file", "true"], "--output /no/such/folder/file"),
                                    (["--secnds", "3", "true"], "did you mean --seconds?")):
            with self.subTest(arguments=arguments):
                done = self.run_command(IMBREX, "tune", *arguments)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertIn(expected, done.stderr)

    def test_an_interrupt(self):
        program = self.program("sleep 1000 & echo $! >new; mv new pid; wait\n")
        job = subprocess.Popen([IMBREX, "tune", "--seconds", "1000", program], cwd=self.folder, env=self.environment,
                               stderr=subprocess.PIPE, text=True)
        self.addCleanup(job.kill)
        while not (self.folder / "pid").exists():
            self.assertIsNone(job.poll())
            time.sleep(0.01)
        job.send_signal(signal.SIGINT)
        _, said = job.communicate(timeout=LIMIT)
        self.assertEqual(job.returncode, 128 + signal.SIGINT)
        self.assertIn("imbrex tune: ended by signal 2", said)
        with self.assertRaises(ProcessLookupError):
            os.kill(int((self.folder / "pid").read_text()), 0)
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_a_stop(self):
        """A stop as by Ctrl-Z: the program stops with the command, and is run again when the command continues."""
        program = self.program('[ "$1" != --help ] || exit 0\n'
                               'echo $$ >new; mv new pid; echo >>runs; [ $(wc -l <runs) != 2 ] || exec sleep 1000\n')
        job = subprocess.Popen([IMBREX, "tune", "--seconds", "1000", program], cwd=self.folder, env=self.environment,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=os.setpgrp)
        self.addCleanup(job.kill)
        runs = self.folder / "runs"
        while not runs.exists() or len(runs.read_text()) < 2:
            self.assertIsNone(job.poll())
            time.sleep(0.01)
        job.send_signal(signal.SIGTSTP)
        _, status = os.waitpid(job.pid, os.WUNTRACED)
        self.assertTrue(os.WIFSTOPPED(status))
        pid = int((self.folder / "pid").read_text())
        last = time.monotonic() + LIMIT
        while state_of(pid) != "T":
            self.assertLess(time.monotonic(), last, "the program goes on")
            time.sleep(0.01)
        job.send_signal(signal.SIGCONT)
        self.assertEqual(job.wait(timeout=LIMIT), 0)
        self.assertEqual(len(runs.read_text()), 4, "with --trace, twice without, and again what was stopped")
        with self.assertRaises(ProcessLookupError):
            os.kill(pid, 0)

    def test_several_processes(self):
        found = json.loads(self.run_command(IMBREX, "info", "--json").stdout)
        if found["ucx"] is None:
            self.skipTest("built without UCX")
        found = self.tune("--seconds", 1000, "--vary", "--odf 1", "--", JACOBI, "--pes", 2, "--grid", "16,16,16",
                          "--iters", 1)
        jobs = [one for one in found["tried"] if one["candidate"]["processes"] == 2]
        self.assertIn("-n 2 --pes 1", " ".join(one["candidate"]["name"] for one in jobs))
        for one in jobs:
            self.assertNotEqual(one["outcome"], "failed", one["failure"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
