#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether check_headers.py sees what it is for.

usage: check_headers_test.py COMPILER
"""
import pathlib
import sys
import tempfile
import unittest

import check_headers

COMPILER = sys.argv.pop()


class Headers(unittest.TestCase):
    def complaints(self, headers, page="| `imbrex/a.hpp` | |\n"):
        with tempfile.TemporaryDirectory() as name:
            prefix = pathlib.Path(name)
            (prefix / "include/imbrex").mkdir(parents=True)
            for header, text in headers.items():
                (prefix / "include/imbrex" / header).write_text(text)
            (prefix / "headers.md").write_text(page)
            return check_headers.check(prefix, prefix / "headers.md", COMPILER, ["imbrex/a.hpp"])

    def test_what_a_public_header_includes_is_installed(self):
        self.assertEqual(self.complaints({"a.hpp": "#include <imbrex/b.hpp>\n", "b.hpp": "struct b {};\n"}), [])

    def test_another_is_not(self):
        self.assertEqual(self.complaints({"a.hpp": "", "c.hpp": ""}),
                         ["imbrex/c.hpp is installed, and no public header needs it"])

    def test_what_does_not_compile_alone(self):
        [complaint] = self.complaints({"a.hpp": "b f();\n"})
        self.assertIn("imbrex/a.hpp does not compile alone", complaint)

    def test_what_is_included_and_not_installed(self):
        self.assertIn("imbrex/b.hpp is not installed", self.complaints({"a.hpp": "#include <imbrex/b.hpp>\n"}))

    def test_the_page_names_the_same_headers(self):
        self.assertEqual(self.complaints({"a.hpp": ""}, "| `imbrex/b.hpp` | |\n"),
                         ["headers.md does not name imbrex/a.hpp",
                          "headers.md names imbrex/b.hpp, which is not public"])


if __name__ == "__main__":
    unittest.main()
