#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reports and measures a trace of many records: the counts must fit what was generated, and neither the memory nor the
page may grow with the file; what is measured takes a few bytes for each message.

usage: large_test.py IMBREX TRACE_GENERATE RECORDS
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

IMBREX, GENERATE = sys.argv[1:3]
RECORDS = int(sys.argv[3])
BYTES_A_RECORD = 32
MEMORY = 200_000_000
PAGE = 20_000_000


class Large(unittest.TestCase):
    def setUp(self):
        folder = tempfile.mkdtemp(prefix="imbrex_large_")
        self.addCleanup(shutil.rmtree, folder)
        if shutil.disk_usage(folder).free < 2 * BYTES_A_RECORD * RECORDS:
            self.skipTest(f"{folder} has no room for {RECORDS} records")
        self.file = pathlib.Path(folder, "run.trace")
        subprocess.run([GENERATE, str(self.file), str(RECORDS), "8", "2"], check=True)

    def report(self, *options):
        return self.run_command("trace", "report", str(self.file), *options)

    def run_command(self, *arguments):
        """Runs it and returns the most memory it used."""
        command = [IMBREX, *arguments]
        with open(self.file.with_suffix(".json"), "w") as out:
            running = subprocess.Popen(command, stdout=out)
        _, status, usage = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(running.returncode, 0)
        return usage.ru_maxrss * 1024

    def test_text_of_every_record_in_little_memory(self):
        self.assertLess(self.report("--json"), MEMORY)
        [run] = json.loads(self.file.with_suffix(".json").read_text())["runs"]
        in_files = sum(file.stat().st_size for file in self.file.parent.glob("run.trace*"))
        self.assertGreaterEqual(run["records"], RECORDS)
        self.assertLessEqual(run["records"], in_files // BYTES_A_RECORD)
        self.assertGreater(run["records"], 0.95 * in_files / BYTES_A_RECORD)
        self.assertEqual((run["dropped"], run["warnings"], len(run["pes"])), (0, [], 8))
        items = sum(pe["items"] for pe in run["pes"])
        self.assertEqual(items, sum(entry["calls"] for entry in run["entries"]))
        self.assertGreater(items, RECORDS / 8)

    def test_page_of_every_record_stays_small(self):
        page = self.file.with_suffix(".html")
        self.assertLess(self.report("--output", str(page)), MEMORY)
        self.assertLess(page.stat().st_size, PAGE)

    def test_measures_every_record_in_little_memory(self):
        self.assertLess(self.run_command("overlap", "--from", str(self.file), "--json"), MEMORY)
        measured = json.loads(self.file.with_suffix(".json").read_text())
        self.assertIn("block::halo", json.dumps(measured))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
