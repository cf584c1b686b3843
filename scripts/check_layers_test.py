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
            "imbrex/imbrex.hpp": "#include <imbrex/core/array/chare.hpp>\n",
            "imbrex/base/log.cpp": "#include <imbrex/base/internal/line.hpp>\n#include <fmt/format.h>\n",
            "imbrex/core/array/chare.hpp": "#include <imbrex/sched/pe.hpp>\n#include <imbrex/base/error.hpp>\n",
            "imbrex/mpi/rank.hpp": "#include <imbrex/cells/cell.hpp>\n",
            "apps/hello.cpp": '#include <imbrex/imbrex.hpp>\n#include "internal/options.hpp"\n',
        }), "")

    def test_upward_include(self):
        self.assertIn("imbrex/base/log.hpp includes imbrex/core/array/chare.hpp: core stands above base",
                      self.complaints({"imbrex/base/log.hpp": "#  include <imbrex/core/array/chare.hpp>\n"}))

    def test_cycle(self):
        self.assertIn("cycle of folders: balance -> checkpoint -> balance", self.complaints({
            "imbrex/balance/greedy.hpp": "#include <imbrex/checkpoint/disk.hpp>\n",
            "imbrex/checkpoint/disk.cpp": "#include <imbrex/balance/greedy.hpp>\n",
        }))

    def test_cycle_of_files(self):
        self.assertIn("cycle of files: base/a -> base/b -> base/a", self.complaints({
            "imbrex/base/a.hpp": "",
            "imbrex/base/a.cpp": "#include <imbrex/base/b.hpp>\n",
            "imbrex/base/b.cpp": "#include <imbrex/base/a.hpp>\n",
            "imbrex/base/b.test.cpp": "#include <imbrex/base/c.test.hpp>\n",
            "imbrex/base/c.test.hpp": "#include <imbrex/base/b.hpp>\n",
        }))

    def test_cycle_of_rooms(self):
        self.assertIn("cycle of rooms: net -> net/ucx -> net", self.complaints({
            "imbrex/net/network.cpp": "#include <imbrex/net/ucx/find.hpp>\n",
            "imbrex/net/ucx/port.hpp": "#include <imbrex/net/packing.hpp>\n",
        }))
        self.assertEqual("", self.complaints({
            "imbrex/net/network.cpp": "#include <imbrex/net/internal/find.hpp>\n",
            "imbrex/net/internal/find.cpp": "#include <imbrex/net/packing.hpp>\n",
        }))

    def test_order_of_rooms(self):
        upward = "#include <imbrex/core/array/chare.hpp>\n"
        self.assertIn("core/name/key.cpp includes imbrex/core/array/chare.hpp: core/array stands above core/name",
                      self.complaints({"imbrex/core/name/key.cpp": upward}))
        self.assertEqual("", self.complaints({"imbrex/core/name/key.test.cpp": upward}))
        self.assertIn("imbrex/core/lobby has no place among the rooms",
                      self.complaints({"imbrex/core/lobby/key.cpp": upward}))

    def test_foreign_internal(self):
        private = "#include <imbrex/base/internal/line.hpp>\n"
        self.assertIn("that is private to net/bootstrap", self.complaints({
            "imbrex/net/ucx/heartbeat.cpp": "#include <imbrex/net/bootstrap/internal/joined.hpp>\n"}))
        self.assertIn("that is private to base", self.complaints({"imbrex/core/array/chare.cpp": private}))
        self.assertIn("programs use public headers only", self.complaints({"bench/local.cpp": private}))

    def test_ways_around(self):
        relative = '#include "../core/b.hpp"\n'
        umbrella = "#include <imbrex/imbrex.hpp>\n"
        self.assertIn("write #include <imbrex", self.complaints({"imbrex/base/a.hpp": relative}))
        self.assertIn("that is for users", self.complaints({"imbrex/base/a.hpp": umbrella}))
        self.assertIn("imbrex/misc has no place", self.complaints({"imbrex/misc/a.hpp": ""}))


if __name__ == "__main__":
    unittest.main()
