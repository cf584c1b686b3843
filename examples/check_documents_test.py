#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_documents.py itself: a sound tree passes, each kind of fault is found."""
import pathlib
import tempfile
import unittest

import check_documents
import document_names

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOUND = {
    "README.md": "# A\n\n[tutorial](docs/tutorial.md#1-hello), [site](https://example.org), [here](#a)\n",
    "CONTRIBUTING.md": "",
    "cmake/PublicHeaders.cmake": "set(IMBREX_PUBLIC_HEADERS\n  imbrex/core/index.hpp\n)\n",
    "docs/headers.md": "| `imbrex/core/index.hpp` | `index` |\n",
    "docs/tutorial.md": "## 1. Hello\n\n`index.hpp`, `ring/parts.hpp`\n"
                        "```cpp\nint main() {}\n```\n```text\n[no](link)\n```\n",
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
            return check_documents.check_tree(root)[0]

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

    def test_links_of_every_form(self):
        self.assertEqual(self.complaints({"docs/patterns.md": "[a]\n\n[a]: nowhere.md\n"
                                                              "<img src=\"no.svg\">\n[b\nc](gone.md \"title\")\n"
                                                              "`[d](code.md)`\n"}),
                         ["docs/patterns.md:3: nowhere.md leads to no file",
                          "docs/patterns.md:4: no.svg leads to no file",
                          "docs/patterns.md:6: gone.md leads to no file"])

    def test_the_list_of_public_headers(self):
        self.assertEqual(self.complaints({"cmake/PublicHeaders.cmake": "  imbrex/core/run.hpp\n"}),
                         ["docs/headers.md: the public header imbrex/core/run.hpp is missing",
                          "docs/headers.md: imbrex/core/index.hpp is no public header"])

    def test_a_source_that_names_no_document(self):
        self.assertEqual(self.complaints({"imbrex/help.cpp": 'auto help = "see docs/gone.md";\n'}),
                         ["imbrex/help.cpp: there is no docs/gone.md"])

    def test_settings_that_no_page_lists(self):
        self.assertEqual(self.complaints({"imbrex/a.cpp": 'getenv("IMBREX_NEW");\n',
                                          "CMakeLists.txt": 'option(IMBREX_PARTS "Build the parts" ON)\n',
                                          "docs/settings.md": "| `IMBREX_PARTS` | Build a part |\n"}),
                         ["docs/settings.md: imbrex/a.cpp reads IMBREX_NEW, which is missing",
                          "docs/settings.md: there is no row | `IMBREX_PARTS` | Build the parts ..."])

    def test_errors_that_no_source_has(self):
        self.assertEqual(self.complaints({"imbrex/a.cpp": 'throw error("the array "\n      "is gone");\n',
                                          "docs/errors.md": "| `array is gone` | |\n| `array has gone` | |\n"}),
                         ["docs/errors.md: no source has the text 'array has gone'"])

    def test_a_broken_table_and_a_name_that_is_html(self):
        table = "| a | b |\n|---|---|\n| `c \\| d` | e |\n| f | g | h |\n\n"
        self.assertEqual(self.complaints({"docs/patterns.md": table +
                                                              "A std::vector<int> and `array<T>`, <https://a.org>.\n"}),
                         ["docs/patterns.md:4: a row of 3 cells in a table of 2",
                          "docs/patterns.md:6: <int would be HTML: put the name between back-ticks"])


# Each text has one fault of a name, which the complaint describes.
FAULTS = [
    ("`--net-bandwith`", "`--net-bandwith`: --net-bandwith is an option of no program"),
    ("the option `--net-\nbandwidth`", "a code span has a line end: `--net- bandwidth`"),
    ("`--pes\n4`", "a code span has a line end: `--pes 4`"),
    ("`imbrex rnu -n 2 ./app`", "`imbrex rnu -n 2 ./app`: imbrex has no command rnu"),
    ("`imbrex trace repotr a.trace`", "`imbrex trace repotr a.trace`: imbrex trace has no command repotr"),
    ("`imbrex run --nodes 4 ./app`", "`imbrex run --nodes 4 ./app`: --nodes is no option of these programs"),
    ("`imbrex tune --to perfetto ./app`", "`imbrex tune --to perfetto ./app`: --to is no option of these programs"),
    ("`jacobi3d --odff 2`", "`jacobi3d --odff 2`: --odff is no option of these programs"),
    ("`./dev tset -R mailbox`", "`./dev tset -R mailbox`: ./dev has no command tset"),
    ("`IMBREX_OPTION`", "`IMBREX_OPTION`: no program reads the variable IMBREX_OPTION"),
    ("```\n./app\n```", "a block of code is of one of these languages: c cmake cpp cuda json python sh text toml"),
    ("```sh\nimbrexrun -n 2 ./app\n```", "there is no program imbrexrun"),
    ("```sh\n./app --pse 4\n```", "--pse is no option of these programs"),
    ("```sh\nIMBREX_PES=2 ./app\n```", "no program reads the variable IMBREX_PES"),
    ("```sh\npython3 examples/python/helo.py\n```", "the tree has no examples/python/helo.py"),
    ("```sh\nbench/papers/claim.py --jobs 2\n```", "the tree has no bench/papers/claim.py"),
    ("```sh\nsrun --mp=pmix ./app\n```", "--mp is an option of no program"),
    ("```sh\nimbrex calibrate \\\n  --pse 2\n```", "--pse is no option of these programs"),
    ("```text\nusage: imbrex run --rank N\n```", "--rank is an option of no program"),
    ("```sh\ncmake --instal build/release\n```", "--instal is no option of these programs"),
]


class DocumentNames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.names = document_names.Names(ROOT)

    def complaints(self, text):
        return [complaint for _, complaint in document_names.document_complaints(self.names, text + "\n")]

    def test_twenty_faults(self):
        for text, complaint in FAULTS:
            with self.subTest(text):
                self.assertIn(complaint, self.complaints(text))

    def test_what_is_right(self):
        self.assertEqual(self.complaints("`--pes 4`, `imbrex run -n 2 ./app --pes 2`, `IMBREX_OPTIONS`\n```sh\n"
                                         "IMBREX_OPTIONS='--pes 2' jacobi3d --odf 4 > here  # --not an option\n"
                                         "imbrex trace report a.trace --text\ncmake --install build/release\n"
                                         "bench/papers/claims.py --jobs 2\n```"), [])

    def test_lines_of_complaints(self):
        text = "a\n\n```sh\n./app\nimbrex rnu\n```\nb `--pse-4` c\n"
        self.assertEqual(list(document_names.document_complaints(self.names, text)),
                         [(5, "imbrex has no command rnu"), (7, "`--pse-4`: --pse-4 is an option of no program")])

    def test_what_is_installed(self):
        files = {"share/doc/imbrex/docs/a.md": "[b](b.md)\n```sh\npython3 examples/python/hello.py\n```\n",
                 "include/imbrex/a.hpp": "// See <imbrex/gone.hpp> and docs/gone.md.\n"}
        with tempfile.TemporaryDirectory() as folder:
            prefix = pathlib.Path(folder)
            for name, text in files.items():
                (prefix / name).parent.mkdir(parents=True, exist_ok=True)
                (prefix / name).write_text(text)
            self.assertEqual(check_documents.check_installed(prefix)[0],
                             ["docs/a.md:1: b.md leads to no file",
                              "share/doc/imbrex/docs/a.md:3: examples/python/hello.py is not installed",
                              "include/imbrex/a.hpp: imbrex/gone.hpp is not installed",
                              "include/imbrex/a.hpp: docs/gone.md is not installed"])


if __name__ == "__main__":
    unittest.main()
