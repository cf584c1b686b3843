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
            "imbrex/cells/cell.hpp": "#include <imbrex/grid/box.hpp>\n",
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

    def test_definition_in_a_higher_room(self):
        declarations = "namespace imbrex {\nclass pe {\n  void stop();\n};\nint size_of(const pe& of);\n}\n"
        definitions = "namespace imbrex {\nvoid pe::stop() {}\nint size_of(const pe& of) { return 1; }\n}\n"
        self.assertEqual("", self.complaints({
            "imbrex/core/pe/pe.hpp": declarations,
            "imbrex/core/pe/pe.cpp": definitions,
            "imbrex/core/gpu/size.cpp": "namespace {\nint size_of(int of) { return of; }\n}\n",
            "imbrex/core/run/size.hpp": "int size_of(long of);\n",
            "imbrex/core/run/size.cpp": "int size_of(long of) { return 2; }\n",
        }))
        complaints = self.complaints({"imbrex/core/pe/pe.hpp": declarations, "imbrex/core/gpu/pe.cpp": definitions})
        for name in ("imbrex::pe::stop", "imbrex::size_of"):
            self.assertIn(f"core/gpu/pe.cpp defines {name}, which core/pe/pe.hpp of a lower room declares", complaints)

    def test_foreign_word(self):
        text = "// Frees memory of Devices.\n"
        self.assertIn("imbrex/core/message/message.hpp:1: core/message must not know the word device",
                      self.complaints({"imbrex/core/message/message.hpp": text}))
        self.assertEqual("", self.complaints({"imbrex/core/message/message.test.cpp": text,
                                              "imbrex/core/gpu/memory.hpp": text}))

    def test_order_of_rooms(self):
        upward = "#include <imbrex/core/array/chare.hpp>\n"
        self.assertIn("core/name/key.cpp includes imbrex/core/array/chare.hpp: core/array stands above core/name",
                      self.complaints({"imbrex/core/name/key.cpp": upward}))
        self.assertEqual("", self.complaints({"imbrex/core/name/key.test.cpp": upward}))
        self.assertIn("imbrex/core/lobby has no place among the rooms",
                      self.complaints({"imbrex/core/lobby/key.cpp": upward}))

    def test_kit_of_tests(self):
        kit = "#include <imbrex/testing/error_of.hpp>\n"
        self.assertEqual("", self.complaints({
            "imbrex/base/log.test.cpp": kit,
            "imbrex/testing/machines.cpp": "#include <imbrex/base/log.hpp>\n",
        }))
        self.assertIn("testing stands above base", self.complaints({"imbrex/base/log.cpp": kit}))

    def test_foreign_internal(self):
        private = "#include <imbrex/base/internal/line.hpp>\n"
        self.assertIn("that is private to net/bootstrap", self.complaints({
            "imbrex/net/ucx/heartbeat.cpp": "#include <imbrex/net/bootstrap/internal/joined.hpp>\n"}))
        self.assertIn("that is private to base", self.complaints({"imbrex/core/array/chare.cpp": private}))
        self.assertIn("programs use public headers only", self.complaints({"bench/local.cpp": private}))

    def test_front_ends_apart(self):
        self.assertIn("the front ends mpi and cells know nothing of each other",
                      self.complaints({"imbrex/mpi/rank.hpp": "#include <imbrex/cells/cell.hpp>\n"}))
        self.assertIn("the front ends grid and checkpoint know nothing of each other",
                      self.complaints({"imbrex/grid/field.hpp": "#include <imbrex/checkpoint/disk.hpp>\n"}))

    def test_private_names_of_the_core(self):
        core = {"imbrex/core/message/message.hpp": "namespace imbrex {\nnamespace detail {\n"
                "struct message_type;\n}\n\nnamespace detail {\nclass stream;\n"
                "template <class M>\nclass message_guard final {\n  void close() {}\n};\n"
                "inline std::uint64_t linear(int i) {\n  return i;\n}\ntemplate <class T>\n"
                "inline constexpr bool lands = true;\nusing kind = int;\n}  // namespace detail\n"
                "inline void run() {}\n}  // namespace imbrex\n",
                "imbrex/base/pool.hpp": "namespace imbrex::detail {\nclass pool {\n};\nclass kind {\n};\n}\n"}
        for use in ["detail::message_guard mine;", "imbrex::detail::linear(1);", "using detail::message_guard;",
                    "auto n = ::imbrex::detail::lands<int>;", "char c = '{'; detail::linear(1'000);",
                    "namespace imbrex::detail {\ntemplate <>\ninline constexpr bool lands<int> = false;\n}\n"]:
            self.assertIn("is private to the core", self.complaints({**core, "imbrex/mpi/rank.cpp": use}), use)
            self.assertIn("is private to the core", self.complaints({**core, "apps/ring.cpp": use}), use)
            self.assertEqual("", self.complaints({**core, "imbrex/core/pe/processor.cpp": use}), use)
            self.assertEqual("", self.complaints({**core, "imbrex/mpi/rank.test.cpp": use}), use)
        for use in ["detail::pool p;", "detail::kind k;", "// detail::linear\n", 'auto text = "detail::linear";',
                    "detail::stream s;", "detail::close();", "detail::run();", "boost::detail::linear(1);",
                    "namespace imbrex::detail {\ntemplate <>\ninline constexpr bool stays<int> = true;\n}\n"]:
            self.assertEqual("", self.complaints({**core, "imbrex/mpi/rank.cpp": use}), use)
        own = {"imbrex/mpi/slots.hpp": "namespace imbrex::mpi {\nnamespace detail {\nvoid linear();\n}\n}\n"}
        self.assertEqual("", self.complaints({**core, **own, "imbrex/mpi/rank.cpp": "detail::linear();"}))
        self.assertIn("name what is used", self.complaints({"imbrex/mpi/a.cpp": "using namespace imbrex::detail;"}))

    def test_cycle_of_modules(self):
        self.assertIn("cycle of modules: imbrex.a -> imbrex.b -> imbrex.a", self.complaints({
            "imbrex/python/imbrex/__init__.py": "from imbrex import a\n",
            "imbrex/python/imbrex/a.py": "import imbrex\n\n\ndef f():\n    from . import b\n",
            "imbrex/python/imbrex/b.py": "from imbrex.a import f\n",
        }))
        self.assertIn("cycle of modules: imbrex.c.a -> imbrex.c.b -> imbrex.c.a", self.complaints({
            "imbrex/python/imbrex/c/__init__.py": "",
            "imbrex/python/imbrex/c/a.py": "from .b import f\n",
            "imbrex/python/imbrex/c/b.py": "import imbrex.c.a\n",
        }))
        self.assertEqual("", self.complaints({
            "imbrex/python/imbrex/__init__.py": "from imbrex import a, b\n",
            "imbrex/python/imbrex/a.py": "from imbrex import _core\n",
            "imbrex/python/imbrex/b.py": "from .a import f\n",
        }))

    def test_rooms_that_are_kept_light(self):
        heavy = "#include <imbrex/core/array/collection.hpp>\n"
        files = {"imbrex/core/array/send.hpp": heavy, "imbrex/mpi/rank.hpp": "#include <imbrex/core/array/send.hpp>\n",
                 "imbrex/mpi/rank.cpp": "#include <imbrex/mpi/rank.hpp>\n"}
        self.assertEqual("", self.complaints(files))
        self.assertIn(
            "too much to compile: mpi/api/send.cpp -> mpi/rank.hpp -> core/array/send.hpp -> core/array/collection.hpp",
            self.complaints({**files, "imbrex/mpi/api/send.cpp": "#include <imbrex/mpi/rank.hpp>\n"}))

    def test_ways_around(self):
        relative = '#include "../core/b.hpp"\n'
        umbrella = "#include <imbrex/imbrex.hpp>\n"
        self.assertIn("write #include <imbrex", self.complaints({"imbrex/base/a.hpp": relative}))
        self.assertIn("that is for users", self.complaints({"imbrex/base/a.hpp": umbrella}))
        self.assertIn("imbrex/misc has no place", self.complaints({"imbrex/misc/a.hpp": ""}))


if __name__ == "__main__":
    unittest.main()
