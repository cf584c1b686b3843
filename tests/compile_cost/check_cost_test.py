#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_cost.py itself: programs within the limits pass, each kind of cost above them is found.

usage: check_cost_test.py COMPILER
"""
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

import check_cost

COMPILER = sys.argv.pop()
PROGRAM = "#include <imbrex/imbrex.hpp>\nint main() { return imbrex::twice(0); }\n"
FUNCTION = "#pragma once\nnamespace imbrex {\ntemplate <class T>\nT twice(T n) { return 2 * n; }\n}\n"


class Costs(unittest.TestCase):
    def complaints(self, headers, **limits):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name).resolve()
            (root / "imbrex").mkdir()
            (root / "examples").mkdir()
            (root / "examples/hello.cpp").write_text(PROGRAM)
            for header, text in headers.items():
                (root / "imbrex" / header).write_text(text)
            with unittest.mock.patch.multiple(check_cost, **({"HEADERS": 123} | limits)):
                return check_cost.check(COMPILER, root)

    def test_what_is_within_the_limits(self):
        self.assertEqual(self.complaints({"imbrex.hpp": FUNCTION}), [])

    def test_too_many_headers(self):
        headers = {"imbrex.hpp": "#include <imbrex/a.hpp>\n" + FUNCTION, "a.hpp": "", "unused.hpp": ""}
        self.assertEqual(self.complaints(headers, HEADERS=2), [])
        [complaint] = self.complaints(headers, HEADERS=1)
        self.assertIn("headers that imbrex.hpp includes: 2, and 1 are allowed", complaint)

    def test_too_many_lines(self):
        self.assertEqual(self.complaints({"imbrex.hpp": "// one\n\n" + FUNCTION}, LINES=5), [])
        [complaint] = self.complaints({"imbrex.hpp": FUNCTION}, LINES=4)
        self.assertIn("lines of code in them: 5, and 4 are allowed", complaint)

    def test_a_heavy_header(self):
        [complaint] = self.complaints({"imbrex.hpp": "#include <regex>\n" + FUNCTION})
        self.assertIn("imbrex/imbrex.hpp includes <regex>", complaint)

    def test_too_many_functions(self):
        if check_cost.functions_of(COMPILER, pathlib.Path("/"), "") is None:
            self.skipTest("only clang's functions are counted")
        [complaint] = self.complaints({"imbrex.hpp": FUNCTION}, FUNCTIONS=0)
        self.assertIn("functions of Imbrex that examples/hello.cpp instantiates: 1, and 0 are allowed", complaint)


if __name__ == "__main__":
    unittest.main()
