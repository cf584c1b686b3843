#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_layers.py itself: a sound tree passes, each kind of fault is found."""
import pathlib
import tempfile
import unittest

from check_layers import check


class CheckLayers(unittest.TestCase):
    def complaints(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {"imbrex/base/error.hpp": "#include <string>\n", **files}.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return "\n".join(check(pathlib.Path(folder)))

    def test_sound_tree(self):
        self.assertEqual(self.complaints({
            "imbrex/imbrex.hpp": "#include <imbrex/core/chare.hpp>\n",
            "imbrex/base/log.cpp": "#include <imbrex/base/internal/line.hpp>\n#include <fmt/format.h>\n",
            "imbrex/core/chare.hpp": "#include <imbrex/sched/pe.hpp>\n#include <imbrex/base/error.hpp>\n",
            "imbrex/mpi/rank.hpp": "#include <imbrex/cells/cell.hpp>\n",
            "apps/hello.cpp": '#include <imbrex/imbrex.hpp>\n#include "internal/options.hpp"\n',
        }), "")

    def test_upward_include(self):
        self.assertIn("imbrex/base/log.hpp includes imbrex/core/chare.hpp: core stands above base",
                      self.complaints({"imbrex/base/log.hpp": "#  include <imbrex/core/chare.hpp>\n"}))

    def test_cycle(self):
        self.assertIn("cycle of folders: balance -> checkpoint -> balance", self.complaints({
            "imbrex/balance/greedy.hpp": "#include <imbrex/checkpoint/disk.hpp>\n",
            "imbrex/checkpoint/disk.cpp": "#include <imbrex/balance/greedy.hpp>\n",
        }))

    def test_foreign_internal(self):
        private = "#include <imbrex/base/internal/line.hpp>\n"
        self.assertIn("that is private to base", self.complaints({"imbrex/core/chare.cpp": private}))
        self.assertIn("programs use public headers only", self.complaints({"bench/local.cpp": private}))

    def test_ways_around(self):
        relative = '#include "../core/b.hpp"\n'
        umbrella = "#include <imbrex/imbrex.hpp>\n"
        self.assertIn("write #include <imbrex", self.complaints({"imbrex/base/a.hpp": relative}))
        self.assertIn("that is for users", self.complaints({"imbrex/base/a.hpp": umbrella}))
        self.assertIn("imbrex/misc has no place", self.complaints({"imbrex/misc/a.hpp": ""}))


if __name__ == "__main__":
    unittest.main()
