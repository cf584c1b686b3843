#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_documents.py itself: a sound tree passes, each kind of fault is found."""
import pathlib
import tempfile
import unittest

import check_documents

SOUND = {
    "README.md": "# A\n\n[tutorial](docs/tutorial.md#1-hello), [site](https://example.org), [here](#a)\n",
    "CONTRIBUTING.md": "",
    "docs/headers.md": "| `imbrex/core/index.hpp` | `index` |\n",
    "docs/tutorial.md": "## 1. Hello\n\n`index.hpp`, `ring/parts.hpp`\n"
                        "```cpp\nint main() {}\n```\n```\n[no](link)\n```\n",
    "examples/hello.cpp": "#include <x>\nint main() {}\n",
    "examples/ring/parts.hpp": "",
}


class CheckDocuments(unittest.TestCase):
    def complaints(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {**SOUND, **files}.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return (check_documents.check(root)[0] + check_documents.dead_links(root)[0] +
                    check_documents.unlisted_headers(root))

    def test_a_sound_tree(self):
        self.assertEqual(self.complaints({}), [])

    def test_code_of_no_example(self):
        self.assertEqual(self.complaints({"docs/patterns.md": "```cpp\nint other;\n```\n"}),
                         ["docs/patterns.md:1: this code is in no file of examples/"])

    def test_links_to_nothing(self):
        self.assertEqual(self.complaints({"docs/patterns.md": "\n[a](nowhere.md)\n[b](tutorial.md#2-hello) [c](#d)\n"}),
                         ["docs/patterns.md:2: nowhere.md leads to no file",
                          "docs/patterns.md:3: tutorial.md#2-hello leads to no heading of the file",
                          "docs/patterns.md:3: #d leads to no heading of the file"])

    def test_a_link_out_of_what_is_installed(self):
        self.assertEqual(self.complaints({"docs/patterns.md": "[a](../../etc)\n"}),
                         ["docs/patterns.md:1: ../../etc leads to no file"])

    def test_a_header_that_is_not_public(self):
        self.assertEqual(self.complaints({"docs/patterns.md": "`core/secret.hpp`\n"}),
                         ["docs/patterns.md:1: docs/headers.md does not list core/secret.hpp"])

    def test_an_include_that_is_not_public(self):
        self.assertEqual(self.complaints({"examples/other.cpp": "#include <imbrex/core/index.hpp>\n"
                                                                "#include <imbrex/core/array/part.hpp>\n"}),
                         ["examples/other.cpp: docs/headers.md does not list imbrex/core/array/part.hpp"])


if __name__ == "__main__":
    unittest.main()
