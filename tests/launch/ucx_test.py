#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which UCX a job loads: the host's, one that is bundled, or none.

usage: ucx_test.py IMBREX PROBE OLD_UCX [unittest's arguments]
OLD_UCX: a library that says that it is UCX 1.12.1.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

IMBREX, PROBE, OLD_UCX = sys.argv[1:4]
LIMIT = 50  # seconds that nothing here takes unless it hangs


class Ucx(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="imbrex ucx "))
        self.addCleanup(shutil.rmtree, self.folder)
        self.of_host = self.found()["file"]

    def with_library(self, file):
        """A folder in which `file` stands for libucp; empty: none that can be loaded."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        if file:
            (folder / "libucp.so.0").symlink_to(file)
        else:
            (folder / "libucp.so.0").touch()
        return str(folder)

    def run_command(self, *words, **environment):
        return subprocess.run([IMBREX, *words], text=True, capture_output=True, timeout=LIMIT,
                              env={**os.environ, **environment})

    def found(self, **environment):
        ended = self.run_command("info", "--paths", "--pes", "1", "--json", **environment)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        return json.loads(ended.stdout)["processes"][0]["paths"]["ucx"]

    def test_without(self):
        none = {"LD_LIBRARY_PATH": self.with_library("")}
        alone = self.run_command("run", "-n", "1", PROBE, **none)
        self.assertEqual((alone.returncode, alone.stdout, alone.stderr), (0, "1 of 1, without UCX\n", ""))
        several = self.run_command("run", "-n", "2", PROBE, **none)
        self.assertEqual((several.returncode, several.stdout), (1, ""))
        self.assertRegex(several.stderr, r"imbrex: error: UCX, by which processes reach each other, does not load: "
                                         r".*libucp\.so\.0: .*; install UCX .*LD_LIBRARY_PATH")

    def test_of_host_before_bundled(self):
        bundled = {"IMBREX_BUNDLED_UCX": self.with_library("")}
        self.assertEqual(self.found(**bundled)["file"], self.of_host)
        self.assertEqual(self.run_command("run", "-n", "2", PROBE, **bundled).stdout,
                         "1 of 2, with UCX\n")

    def test_bundled(self):
        for absent in ("", OLD_UCX):
            folder = self.with_library(self.of_host)
            places = {"LD_LIBRARY_PATH": self.with_library(absent), "IMBREX_BUNDLED_UCX": folder}
            self.assertEqual(self.found(**places)["file"], folder + "/libucp.so.0")
            self.assertEqual(self.run_command("run", "-n", "2", PROBE, **places).stdout,
                             "1 of 2, with UCX\n")

    def test_bundled_with_the_command(self):
        """The command knows its own folder, and passes it to the programs that it starts."""
        moved = self.folder / "prefix/bin/imbrex"
        moved.parent.mkdir(parents=True)
        shutil.copy(IMBREX, moved)
        (self.folder / "prefix/lib").mkdir()
        os.rename(self.with_library(self.of_host), self.folder / "prefix/lib/imbrex")
        ended = subprocess.run([moved, "run", "-n", "2", PROBE], text=True, capture_output=True, timeout=LIMIT,
                               env={**os.environ, "LD_LIBRARY_PATH": self.with_library("")})
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "1 of 2, with UCX\n", ""))

    def test_bundled_with_a_link_to_the_command(self):
        """The folder is beside the command itself, however it is called."""
        moved = self.folder / "prefix/bin/imbrex"
        moved.parent.mkdir(parents=True)
        shutil.copy(IMBREX, moved)
        (self.folder / "prefix/lib").mkdir()
        folder = self.folder / "prefix/lib/imbrex"
        os.rename(self.with_library(self.of_host), folder)
        (self.folder / "elsewhere").mkdir()
        link = self.folder / "elsewhere/imbrex"
        link.symlink_to(moved)
        ended = subprocess.run([link, "info", "--paths", "--pes", "1", "--json"], text=True, capture_output=True,
                               timeout=LIMIT, env={**os.environ, "LD_LIBRARY_PATH": self.with_library(""),
                                                   "IMBREX_BUNDLED_UCX": ""})
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertEqual(json.loads(ended.stdout)["processes"][0]["paths"]["ucx"]["file"], f"{folder}/libucp.so.0")

    def test_that_is_loaded_already(self):
        """By another library of the program, as by Open MPI's: there is one UCX in a process."""
        loaded = {"LD_PRELOAD": self.of_host, "LD_LIBRARY_PATH": self.with_library("")}
        self.assertEqual(self.run_command("run", "-n", "2", PROBE, **loaded).stdout, "1 of 2, with UCX\n")

    def test_old(self):
        found = self.found(LD_LIBRARY_PATH=self.with_library(OLD_UCX))
        self.assertRegex(found["problem"],
                         r"libucp\.so\.0 is UCX 1\.12\.1, and must be 1\.13 or newer, of 1\.x; install UCX")

    def test_signals_stay(self):
        """Signal handlers that UCX takes when it is loaded are restored."""
        for before, status in ((signal.SIG_DFL, -signal.SIGHUP), (signal.SIG_IGN, 0)):
            ended = subprocess.run([IMBREX, "run", "-n", "2", PROBE, "hangup"], capture_output=True, timeout=LIMIT,
                                   text=True, preexec_fn=lambda: signal.signal(signal.SIGHUP, before))
            self.assertEqual(ended.returncode, -status + 128 if status else 0, ended.stderr)

    def test_signals_of_one_that_is_loaded_already(self):
        """Handlers that the program has set since then stay."""
        for loaded in ({}, {"LD_PRELOAD": self.of_host}):
            ended = self.run_command("run", "-n", "2", PROBE, "handled", **loaded)
            self.assertEqual(ended.returncode, 7, ended.stderr)

    def test_configuration_that_leaves_signals(self):
        """As by a file of the host: UCX would warn of signals that are given back and were never taken."""
        (self.folder / "ucx.conf").write_text("UCX_HANDLE_ERRORS=none\nUCX_DEBUG_SIGNO=0\n")
        ended = self.run_command("run", "-n", "2", PROBE, HOME=str(self.folder))
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "1 of 2, with UCX\n", ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
