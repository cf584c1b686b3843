#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""layer_tables.py itself: tables follow the order of the layers, and each kind of fault is found."""
import pathlib
import tempfile
import unittest

import layer_tables

OLD = layer_tables.heading("folder") + "| `base` | errors |\n\nAfter.\n"


class LayerTables(unittest.TestCase):
    def complaints(self, documents, write=False, absent=None):
        """The complaints about a tree with these documents, and its documents afterwards."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for room in {*layer_tables.FOLDERS, *layer_tables.ROOMS_OF_FOLDERS} - {absent}:
                (root / "imbrex" / room).mkdir(parents=True, exist_ok=True)
                (root / "imbrex" / room / "a.hpp").touch()
            (root / "docs").mkdir()
            whole = {"CONTRIBUTING.md": layer_tables.table("folder"),
                     "docs/architecture.md": layer_tables.table("folder") + "\n" + layer_tables.table("room")}
            for name, text in {**whole, **documents}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            found = "\n".join(layer_tables.check(root, write))
            return found, {name: (root / name).read_text() for name in whole}

    def test_order(self):
        table = layer_tables.table("folder") + layer_tables.table("room")
        places = [table.index(f"| `{name}` |") for name in ("tools", "core", "base", "core/run", "core/name")]
        self.assertEqual(places, sorted(places))

    def test_tables_as_they_are(self):
        self.assertEqual(self.complaints({})[0], "")

    def test_old_table(self):
        self.assertIn("CONTRIBUTING.md: the table of folders is old", self.complaints({"CONTRIBUTING.md": OLD})[0])
        found, documents = self.complaints({"CONTRIBUTING.md": "Before.\n" + OLD}, write=True)
        self.assertEqual(found, "")
        self.assertEqual(documents["CONTRIBUTING.md"],
                         "Before.\n" + layer_tables.table("folder") + "\nAfter.\n")

    def test_absent_table(self):
        self.assertIn("CONTRIBUTING.md has no table", self.complaints({"CONTRIBUTING.md": "None.\n"})[0])

    def test_room_without_purpose(self):
        self.assertIn("imbrex/core/lobby has no purpose", self.complaints({"imbrex/core/lobby/a.hpp": ""})[0])

    def test_purpose_without_room(self):
        self.assertIn("describes imbrex/core/name, which has no sources",
                      self.complaints({}, absent="core/name")[0])


if __name__ == "__main__":
    unittest.main()
