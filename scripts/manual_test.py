#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manual pages and the completion that scripts/manual.py has written.

usage: manual_test.py IMBREX FOLDER [unittest's arguments]    IMBREX: the command; FOLDER: what manual.py has filled
"""
import pathlib
import shutil
import subprocess
import sys
import unittest

import manual
import options_page

IMBREX, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])


def completed(*words):
    """The words that bash offers for the last word."""
    script = (f"source {FOLDER}/completions/imbrex; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _imbrex; "
              "printf '%s\\n' \"${COMPREPLY[@]}\"")
    out = subprocess.run(["bash", "-c", script, "bash", *words], check=True, capture_output=True, text=True)
    return out.stdout.split()


class Pages(unittest.TestCase):
    def test_describe_each_command_with_its_options(self):
        for words in [(), *manual.commands(IMBREX)]:
            with self.subTest(command=words):
                page = (FOLDER / "man1" / ("-".join(("imbrex", *words)) + ".1")).read_text()
                for option, _ in options_page.rows(options_page.help_of(IMBREX, *words)):
                    self.assertIn(".B " + option.replace("-", "\\-"), page)

    @unittest.skipUnless(shutil.which("groff"), "groff is missing")
    def test_are_right_for_groff(self):
        for page in (FOLDER / "man1").iterdir():
            said = subprocess.run(["groff", "-man", "-ww", "-z", page], capture_output=True, text=True)
            self.assertEqual((said.returncode, said.stderr), (0, ""), page.name)


@unittest.skipUnless(shutil.which("bash"), "bash is missing")
class Completion(unittest.TestCase):
    def test_offers_commands(self):
        self.assertEqual(completed("imbrex", "ru"), ["run"])
        self.assertEqual(completed("imbrex", "trace", "rep"), ["report"])
        self.assertIn("verify", completed("imbrex", "checkpoint", ""))

    def test_offers_options(self):
        self.assertIn("--net-latency", completed("imbrex", "run", "--ne"))
        self.assertIn("--net-latency", completed("imbrex", "run", "-n", "2", "./app", "--ne"))
        self.assertEqual(completed("imbrex", "trace", "report", "--te"), ["--text"])
        self.assertEqual(completed("imbrex", "who", "--net"), [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
