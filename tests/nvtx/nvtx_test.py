#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranges of NVTX: a tool that a program loads sees each piece of an entry.

usage: nvtx_test.py WORKER TOOL IMBREX [unittest's arguments]    IMBREX may be empty, where it is not built
"""
import collections
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

WORKER, TOOL, IMBREX = sys.argv[1:4]
LIMIT = 30


def run(*options, tool=TOOL, prefix=(), ranges=os.devnull):
    environment = {**os.environ, "IMBREX_TEST_RANGES": str(ranges)}
    environment.pop("NVTX_INJECTION64_PATH", None)
    if tool:
        environment["NVTX_INJECTION64_PATH"] = tool
    done = subprocess.run([*prefix, WORKER, *options], env=environment, capture_output=True, text=True, timeout=LIMIT)
    if done.returncode != 0:
        raise AssertionError(done)
    return done.stderr


def ranges_of(*options):
    """The names of the ranges, each of which has ended once, with their numbers."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "ranges")
        said = run(*options, ranges=file)
        lines = [line.split(" ", 2) for line in file.read_text().splitlines()]
    assert said == "", said
    begun = {line[1]: line[2] for line in lines if line[0] == "start"}
    ends = collections.Counter(line[1] for line in lines if line[0] == "end")
    assert len(begun) * 2 == len(lines) and ends == collections.Counter(begun.keys()), lines
    return collections.Counter(begun.values())


class Ranges(unittest.TestCase):
    def test_cover_each_piece_on_each_machine(self):
        for machine in ([], ["--machine", "deterministic"], ["--machine", "simulated"], ["--shuffle", "3"]):
            with self.subTest(machine=machine):
                ranges = ranges_of("--nvtx", "--pes", "2", *machine)
                self.assertEqual(ranges["block::run"], 4 * 3)  # each block waits twice
                self.assertEqual(ranges["block::mark"], 1)
                self.assertEqual(ranges["the main task"], 3)

    def test_are_those_of_a_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "run.trace")
            ranges = ranges_of("--nvtx", "--pes", "2", "--trace", trace)
            self.assertEqual(ranges["block::run"], 4 * 3)
            if IMBREX:
                text = subprocess.run([IMBREX, "trace", "report", trace, "--text"], capture_output=True, text=True,
                                      timeout=LIMIT, check=True).stdout
                for name in ranges:
                    self.assertIn(name, text)

    def test_are_not_there_without_the_option(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "ranges")
            self.assertEqual(run(ranges=file), "")
            self.assertFalse(file.exists())

    def test_the_run_goes_on_without_a_tool(self):
        remedy = "; start the program by a profiler, such as nsys profile\n"
        for tool, reason in ((None, "NVTX_INJECTION64_PATH names no tool"),
                             ("/no/such.so", "NVTX_INJECTION64_PATH=/no/such.so cannot be loaded: "),
                             (WORKER, f"NVTX_INJECTION64_PATH={WORKER} ")):
            with self.subTest(tool=tool):
                said = run("--nvtx", tool=tool)
                self.assertIn("--nvtx: nobody takes the ranges: " + reason, said)
                self.assertTrue(said.endswith(remedy), said)
        self.assertIn(f"NVTX_INJECTION64_PATH={TOOL} has refused to start", run("--nvtx", ranges="/no/such/file"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
