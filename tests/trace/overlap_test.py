#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `imbrex overlap --from` says of traces that are not whole.

usage: overlap_test.py IMBREX JACOBI3D
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from random_run import Run

IMBREX, JACOBI3D = sys.argv[1:3]
DROPPED = 18  # the kind of a record


class Overlap(unittest.TestCase):
    def setUp(self):
        folder = tempfile.mkdtemp(prefix="imbrex_overlap_")
        self.addCleanup(shutil.rmtree, folder)
        self.file = pathlib.Path(folder, "run.trace")

    def overlap(self, *options):
        return subprocess.run([IMBREX, "overlap", "--from", str(self.file), *options], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def record(self, *options):
        subprocess.run([JACOBI3D, "--machine", "simulated", "--spin", "1ms", "--grid", "33,47,65", "--pes", "2",
                        "--quiet", "--trace", str(self.file), *options], check=True)
        return self.file.read_bytes()

    def test_measures_what_is_there(self):
        whole = self.record()
        done = self.overlap()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f"Measured in {self.file}, the whole run: ", done.stdout)
        cut = len(whole) * 3 // 4
        self.file.write_bytes(whole[:cut])
        done = self.overlap()
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, rf"\Aimbrex overlap: warning: {self.file}, byte {cut}: the file ends within a "
                         r"chunk; what follows is not read from when that was found: \d+ records were\n\Z")
        self.assertIn(f"Measured in {self.file}, the part of the run that was read: ", done.stdout)

    def test_tells_that_too_little_is_there(self):
        self.file.write_bytes(self.record()[:1001])  # not at the end of a chunk, which has whole words
        for options in ((), ("--phase", "iterations")):
            done = self.overlap(*options)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, rf"\Aimbrex overlap: {self.file}, byte \d+: the file ends within a "
                             r"chunk('s head)?; .*"
                             r"\d+ records were. The part that was read is too short for the measurement "
                             r"\(.*\); record the run again, to its end\n\Z")

    def test_blames_no_trace_that_is_whole(self):
        self.record()
        done = self.overlap("--phase", "iteration")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr,
                         "imbrex overlap: --phase iteration: the trace has no such phase; it has iterations\n")

    def test_tells_where_records_were_dropped(self):
        run = Run(1, 1)
        run.records.clear()
        for kind in (1, 2, DROPPED):
            run.put(0, kind, 7)
        run.write(str(self.file))
        done = self.overlap()
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, rf"\Aimbrex overlap: {self.file}: 7 records are missing, for which there was no "
                         r"room \S+ \w+ after the first; run again with --trace-full wait\n\Z")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
