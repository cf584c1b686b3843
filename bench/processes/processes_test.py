#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs of this folder: usage: processes_test.py FOLDER imbrex|ucx|mpi|compare, FOLDER being where
they are; status 77 where one of them was not built."""
import json
import pathlib
import subprocess
import sys
import unittest

import compare

FOLDER = pathlib.Path(sys.argv[1])
SUBJECT = sys.argv[2]
SKIPPED = 77
PATIENCE_SECONDS = 100
SHORT = ["--rounds", "10", "--megabytes", "1", "--window", "4"]
SIZES = [1 << n for n in range(23)]


def run(command):
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          timeout=PATIENCE_SECONDS, check=False)


def started(bench, *more):
    """The command by which compare.py starts the tested program."""
    options = compare.parse(["--bin", str(FOLDER), "--bench", bench, *SHORT, *more])
    return compare.command(SUBJECT, options)


class Program(unittest.TestCase):
    """One of the three."""

    def points(self, command):
        ended = run(command)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(len(ended.stdout.splitlines()), 1, ended.stdout)
        line = json.loads(ended.stdout)
        self.assertEqual(line["program"], SUBJECT)
        for point in line["points"]:
            self.assertIs(point["checked"], True)
            self.assertEqual(point["rounds"], 10)
            self.assertGreater(point["seconds_per_round"], 0)
        return line["points"]

    def check_sizes(self, bench, sizes, *more):
        points = self.points(started(bench, *more))
        self.assertEqual([point["size"] for point in points], sizes)

    def test_pingpong(self):
        self.check_sizes("pingpong", SIZES)
        for payload in ("given", "shown"):
            self.check_sizes("pingpong", [8, 16], "--smallest", "8", "--largest", "16", "--payload", payload)
        self.check_sizes("pingpong", [1 << 20], "--smallest", "1048576", "--largest", "1048576",
                         "--payload", "given")

    def test_bandwidth(self):
        self.check_sizes("bandwidth", SIZES)
        self.check_sizes("bandwidth", [65536, 131072], "--smallest", "65536", "--largest", "131072",
                         "--buffers", "3", "--payload", "given")

    def test_rate(self):
        self.check_sizes("rate", SIZES[:13])

    def test_broadcast(self):
        command = started("broadcast", "--elements", "100")
        if SUBJECT == "imbrex":
            self.assertEqual([point["size"] for point in self.points(command)], [100])
        else:
            self.assertNotEqual(run(command).returncode, 0)

    def test_one_process_alone(self):
        ended = run([started("rate")[-len(SHORT) - 3]])
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("it takes two", ended.stderr)


class Compare(unittest.TestCase):
    """compare.py itself."""

    def compare(self, *more):
        return run([sys.executable, str(pathlib.Path(compare.__file__)), "--bin", str(FOLDER), *more])

    def test_table_and_json(self):
        few = ["--repeats", "2", "--programs", "ucx,imbrex", "--smallest", "8", "--largest", "16", *SHORT]
        ended = self.compare(*few)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        lines = ended.stdout.splitlines()
        self.assertIn("above UCX, ns", lines[1])
        self.assertEqual([line.split()[0] for line in lines[2:]], ["8", "16", "*"])
        ended = self.compare(*few, "--bench", "rate", "--json")
        rows = json.loads(ended.stdout)["rows"]
        for row in rows:
            self.assertGreater(row["imbrex_over_ucx"], 0)
            least, most = row["imbrex_range"]
            self.assertTrue(least <= row["imbrex"] <= most)
        self.assertAlmostEqual(rows[0]["imbrex_over_charm"], rows[0]["imbrex"] * 0.43)

    def test_refusals(self):
        for wrong in (["--programs", "ucx,pvm"], ["--repeats", "0"], ["--bench", "gossip"]):
            ended = self.compare(*wrong)
            self.assertEqual(ended.returncode, 2)
            self.assertIn(wrong[1].split(",")[-1], ended.stderr)
        ended = self.compare("--window", "none", "--programs", "imbrex")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("--window", ended.stderr)


def missing():
    """Why the test cannot be; None if it can."""
    for name in ("imbrex", "ucx") if SUBJECT == "compare" else (SUBJECT,):
        if not (FOLDER / f"processes_{name}").exists():
            return f"processes_{name} is not built: its library was not found"
        options = compare.parse(["--bin", str(FOLDER)])
        if compare.command(name, options) is None:
            return f"there is nothing that starts processes_{name}"
    return None


if __name__ == "__main__":
    if reason := missing():
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], "-v", "Compare" if SUBJECT == "compare" else "Program"])
