#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that `jacobi3d --output` writes: their numbers as h5py reads them, and what faults leave.

usage: output_test.py FOLDER_OF_PROGRAMS [unittest's arguments]
"""
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

import numpy

try:
    import h5py
except ImportError:
    h5py = None

PROGRAMS = pathlib.Path(sys.argv[1])
LIMIT = 100  # seconds that no program takes unless it hangs
GRID = (11, 8, 6)
ITERATIONS = 7


def words_of(file, *options, processes=1):
    launcher = [PROGRAMS / "imbrex", "run", "-n", str(processes)] if processes > 1 else []
    return [*launcher, PROGRAMS / "jacobi3d", "--grid", ",".join(map(str, GRID)), "--iters", str(ITERATIONS),
            "--warmup", "0", "--output", str(file), "--quiet", *options]


def run(words, **more):
    return subprocess.run(words, text=True, capture_output=True, timeout=LIMIT, **more)


def solution(iterations):
    """The cells by NumPy: heat from the face below x = 0."""
    cells = numpy.zeros([n + 2 for n in GRID])
    cells[0, 1:-1, 1:-1] = 1
    for _ in range(iterations):
        inner = (cells[:-2, 1:-1, 1:-1] + cells[2:, 1:-1, 1:-1] + cells[1:-1, :-2, 1:-1] + cells[1:-1, 2:, 1:-1] +
                 cells[1:-1, 1:-1, :-2] + cells[1:-1, 1:-1, 2:] + cells[1:-1, 1:-1, 1:-1]) / 7
        cells[1:-1, 1:-1, 1:-1] = inner
    return cells[1:-1, 1:-1, 1:-1]


class WithFolder(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)
        self.file = self.folder / "heat.h5"
        probe = run(words_of(self.file))
        if "HDF5 files need the HDF5 library" in probe.stderr:
            self.skipTest(probe.stderr.strip())
        self.assertEqual(probe.returncode, 0, probe.stderr)

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())


@unittest.skipIf(h5py is None, "h5py is missing")
class Numbers(WithFolder):
    def cells(self):
        with h5py.File(self.file) as file:
            return file["cells"][:]

    def test_of_all_machines_are_equal(self):
        expected = self.cells()
        self.assertEqual(expected.shape, GRID)
        for options, processes in ((("--pes", "1", "--odf", "1"), 1), (("--pes", "3", "--odf", "5"), 1),
                                   (("--pes", "2", "--odf", "3"), 2), (("--pes", "1", "--device", "emulated"), 1),
                                   (("--pes", "2", "--machine", "deterministic"), 1),
                                   (("--pes", "6", "--machine", "simulated"), 1)):
            with self.subTest(options=options, processes=processes):
                self.file.unlink()
                ended = run(words_of(self.file, *options, processes=processes))
                self.assertEqual(ended.returncode, 0, ended.stderr)
                numpy.testing.assert_array_equal(self.cells(), expected)

    def test_are_those_of_numpy(self):
        numpy.testing.assert_allclose(self.cells(), solution(ITERATIONS), rtol=1e-12)

    def test_are_described_for_paraview(self):
        grid = xml.etree.ElementTree.parse(self.folder / "heat.xmf").find("Domain/Grid")
        self.assertEqual(grid.find("Topology").get("Dimensions"), "12 9 7")
        item = grid.find("Attribute/DataItem")
        self.assertEqual((item.get("Dimensions"), item.text), ("11 8 6", "heat.h5:/cells"))


class Faults(WithFolder):
    def former(self):
        self.file.write_bytes(b"the former file")
        return b"the former file"

    def test_kills_leave_the_former_file_or_a_whole_one(self):
        rng = random.Random(time.time_ns())
        seen = set()
        for _ in range(40):
            former = self.former()
            process = subprocess.Popen(words_of(self.file, "--pes", "2"), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            time.sleep(rng.uniform(0, 0.15))
            process.send_signal(signal.SIGKILL)
            process.wait(LIMIT)
            found = self.file.read_bytes()
            seen.add(found == former)
            if found != former:
                self.assertTrue(found.startswith(b"\x89HDF"))
                if h5py is not None:
                    with h5py.File(self.file) as file:
                        self.assertAlmostEqual(float(file["cells"][0, 3, 3]), solution(ITERATIONS)[0, 3, 3], 12)
        self.assertEqual(run(words_of(self.file)).returncode, 0)
        self.assertEqual(self.names(), ["heat.h5", "heat.xmf"])  # what killed runs have left is gone
        self.assertTrue(seen)

    def test_are_words(self):
        missing = self.folder / "none" / "heat.h5"
        for words, status, text in (
                (words_of(missing), 2, f"cannot write {missing}: the folder {missing.parent} is missing"),
                (words_of(self.folder), 2, f"cannot write {self.folder}: it is a folder"),
                (words_of(self.file, "--no-data", "--machine", "simulated", "--device-model", "v100"), 2, "no cells")):
            ended = run(words)
            self.assertEqual(ended.returncode, status, ended.stderr)
            self.assertIn(text, ended.stderr)
        ended = run(words_of(self.file), env={**os.environ, "IMBREX_HDF5": "/none.so"})
        self.assertEqual(ended.returncode, 2)
        self.assertIn("IMBREX_HDF5 = /none.so cannot be loaded", ended.stderr)

    def test_of_the_disk_keep_the_former_file(self):
        former = self.former()

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))

        words = words_of(self.file)
        words[words.index("11,8,6")] = "64,64,64"
        ended = run(words, preexec_fn=limit)
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertRegex(ended.stderr, "cannot (write to|close|store|add the data set)")
        self.assertEqual(self.file.read_bytes(), former)
        self.assertEqual(self.names(), ["heat.h5", "heat.xmf"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
