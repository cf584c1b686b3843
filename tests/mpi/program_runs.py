# SPDX-License-Identifier: Apache-2.0
"""Builds programs of MPI as users do, and runs their ranks in one process and in several. For suites that are started
by: suite.py BUILD_FOLDER [...]."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv[1])
PROGRAMS = pathlib.Path(__file__).parent / "programs"
BIN = BUILD / "bin"
LIMIT = 150  # seconds that nothing here takes unless it hangs, also the compiler on a loaded host
# The distributions of ranks: over PEs, and over processes.
PLACES = {"one PE": ["--pes", "1"], "two PEs": ["--pes", "2"], "two processes": ["-n", "2", "--pes", "1"],
          "deterministic": ["--machine", "deterministic", "--pes", "3", "--seed", "7"]}


def execute(*command, **more):
    environment = {name: value for name, value in os.environ.items() if name != "IMBREX_OPTIONS"}
    environment.update(more.pop("environment", {}))
    return subprocess.run([str(word) for word in command], text=True, timeout=LIMIT, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, **more)


class ProgramCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="imbrex_mpi_"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.built = {}

    def build(self, source, *options, links=("-O1",), name=None, environment=None):
        """The program of a source; each is built once."""
        key = name or f"{source}{' '.join(options)}".replace("/", "_")
        if key not in self.built:
            compiler = {".c": "imbrex-mpicc", ".cpp": "imbrex-mpicxx"}.get(pathlib.Path(source).suffix,
                                                                           "imbrex-mpifort")
            output = self.folder / key.replace(" ", "_")
            done = execute(BIN / compiler, PROGRAMS / source, *options, *links, "-o", f"{output}.out", cwd=self.folder,
                           environment=environment or {})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.built[key] = f"{output}.out"
        return self.built[key]

    def run_ranks(self, ranks, place, program, *arguments, **more):
        return execute(BIN / "imbrex", "run", *place, "--ranks", ranks, program, *arguments, cwd=self.folder, **more)

    def everywhere(self, ranks, program, *arguments, **more):
        """The lines that a program writes, which succeeds, in each place."""
        for name, place in PLACES.items():
            with self.subTest(place=name):
                done = self.run_ranks(ranks, place, program, *arguments, **more)
                self.assertEqual(done.returncode, 0, done.stderr)
                yield done.stdout.splitlines()
