#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Applications that begin from a checkpoint, on another number of PEs, write the results of an undisturbed run.

usage: programs_test.py FOLDER_OF_PROGRAMS [unittest's arguments]
"""
import dataclasses
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = pathlib.Path(sys.argv[1])
LIMIT = 100  # seconds that no program takes unless it hangs
CHARES = 12


@dataclasses.dataclass
class Program:
    """A program with its arguments. `result` finds what of each line must be equal. A run from a checkpoint begins with
    later lines if it `goes_on`."""
    name: str
    arguments: str
    result: str
    every: int = 3
    goes_on: bool = False

    def run(self, pes, *options):
        """Without --odf in `arguments`, there are as many chares for each number of PEs."""
        odf = [] if self.name == "hotspot" else ["--odf", str(CHARES // pes)]
        words = [PROGRAMS / self.name, *self.arguments.split(), *odf, "--pes", str(pes), "--log", "error", *options]
        ended = subprocess.run(words, text=True, capture_output=True, timeout=LIMIT)
        assert ended.returncode == 0, f"{words} ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}"
        found = [re.search(self.result, line) for line in ended.stdout.splitlines()]
        return [each[0] for each in found if each]


ALL = [
    Program("hotspot", "--cells 4,4,4 --steps 40 --time 20us", "check: .*", 2),
    Program("jacobi3d", "--grid 16,16,16 --iters 30 --hot-blocks 1/4 --check", "check: all .* cells equal, bit for"),
    Program("jacobi3d", "--grid 16,16,16 --iters 200 --tolerance 0.004 --check", "check: all .*|[0-9]+ iterations", 5),
    Program("minimd", "--size 5 --steps 200 --thermo 50 --reproducible --droplet 2.5", "^ +[0-9]+( +-?[0-9.]+){3}$", 1,
            goes_on=True),
    Program("moldyn", "--size 4 --cycles 30", "[0-9]+( +[0-9]+[.][0-9]{10}){3}"),
    Program("moldyn", "--model torus --particles 2000 --filled 1/2 --cycles 20 --check", "[0-9]+[.][0-9]{6} +[0-9]+$"),
    Program("pic", "--grid 32 --particles 2000 --steps 30", "[0-9]+ x [0-9]+ +2040"),
]


class Programs(unittest.TestCase):
    def test_are_all_here(self):
        self.assertEqual({each.name for each in ALL}, {"hotspot", "jacobi3d", "minimd", "moldyn", "pic"})

    def test_write_what_they_write_undisturbed(self):
        dice = random.Random(1)
        for program in ALL:
            with self.subTest(program=program.name, arguments=program.arguments), \
                    tempfile.TemporaryDirectory(dir="/dev/shm", prefix="imbrex-programs-") as folder:
                expected = program.run(3)
                self.assertGreater(len(expected), 0)
                kept = ["--checkpoint", folder, "--checkpoint-every", str(program.every), "--checkpoint-keep", "1000"]
                self.assertEqual(program.run(2, *kept), expected)
                checkpoints = sorted(each.parent for each in pathlib.Path(folder).glob("*/manifest.json"))
                self.assertGreater(len(checkpoints), 0)
                for pes in (3, 1, 4):
                    chosen = dice.choice(checkpoints)
                    found = program.run(pes, "--restart", str(chosen))
                    whole = expected[len(expected) - len(found):] if program.goes_on else expected
                    self.assertEqual(found, whole, f"from {chosen.name} of {len(checkpoints)} on {pes} PEs")
                    self.assertGreater(len(found), 0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
