#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_words.py itself: a sound tree passes, each kind of fault is found."""
import pathlib
import tempfile
import unittest

from check_words import check, check_openings, comment_blocks, split_cpp

HEADER = """// Takes what `inbox::post` gives it, `options` that `--pes` sets.
class inbox {
  void post();
};
const char* option = "--pes";
"""


class CheckWords(unittest.TestCase):
    def complaints(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {"imbrex/base/inbox.hpp": HEADER, "imbrex/base/options.cpp": "int options;\n",
                               **files}.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return "\n".join(check(pathlib.Path(folder)))

    def of_document(self, text):
        return self.complaints({"docs/architecture.md": text})

    def test_sound_tree(self):
        self.assertEqual(self.complaints({
            "README.md": "`inbox` of `base/inbox.hpp` in `imbrex/base/`, `base/options`; `inbox::post`, `std::mutex`\n",
            "CONTRIBUTING.md": "`--pes 2`, `-O3`, `./app --pes 3`, `build/release/bin/x`, `MPI_Send`, `class inbox`\n",
            "docs/tutorial.md": "```\n`nowhere` " + "x " * 70 + "\n```\n| `inbox` | " + "x " * 70 + "|\n",
            "bench/README.md": "`whatever` a folder's own README says\n",
        }), "")

    def test_names_that_nothing_has(self):
        self.assertIn("docs/architecture.md:2: `outbox`: the tree has no outbox", self.of_document("a\n`outbox`\n"))
        self.assertIn("the tree has no outbox", self.complaints({"bench/results/mpi.json": '{"what": "outbox"}\n',
                                                                 "docs/performance.md": "`outbox`\n"}))
        self.assertIn("the tree has no --cores", self.of_document("`--cores 2`\n"))
        self.assertIn("the tree has no base/outbox.hpp", self.of_document("`base/outbox.hpp`\n"))
        self.assertIn("the tree has no core/", self.of_document("`core/`\n"))
        self.assertIn("the tree has no inbox::take", self.of_document("`inbox::take(options)`\n"))
        self.assertIn("the tree has no inbox::options", self.of_document("`inbox::options`: each is elsewhere\n"))

    def test_comments(self):
        self.assertIn("imbrex/base/a.hpp:2: `outbox`: the tree has no outbox",
                      self.complaints({"imbrex/base/a.hpp": 'const char* a = "`no_comment`";\nint b;  // `outbox`\n'}))
        self.assertIn("the tree has no outbox", self.complaints({"imbrex/base/a.hpp": "// outbox\n// `outbox`\n"}))

    def test_lines(self):
        long = "x " * 58 + "\n"
        self.assertIn("imbrex/base/a.cpp:2: 112 columns; 110 are allowed",
                      self.complaints({"imbrex/base/a.cpp": "\n// " + "x" * 109 + "\n"}))
        self.assertEqual("", self.complaints({"docs/a.md": long, "scripts/a.py": "# " + long, "a.cmake": long}))
        for name in ("docs/a.md", "scripts/a.py", "imbrex/CMakeLists.txt", "dev"):
            self.assertIn(f"{name}:1: ", self.complaints({name: "x " * 70 + "\n"}))
        self.assertEqual("", self.of_document("see [there](" + "x" * 120 + ").\n"))

    def test_comments_without_a_subject(self):
        def said(text):
            return list(check_openings("a.hpp", text))
        self.assertEqual(said("/// The number of PEs.\nint a;  // in bytes\n"), [])
        for opening in ("Of the other PE.", "of a PE", "The same for a section.", "It is late.", "What others send."):
            self.assertEqual(len(said(f"int a;\n/// {opening}\nint b;\n")), 1, opening)
            self.assertEqual(len(said(f"int a;  ///< {opening}\n")), 1, opening)
        self.assertEqual(said("/// The offer of a PE\n/// of this process.\n"), [])
        self.assertEqual(said("// A list. It is sorted.\n"), [])
        self.assertIn("'that one' in a comment", said("// The PE, or that one.\n")[0])
        self.assertIn("in a comment: name it", said("// A list of what does what is sent.\n")[0])

    def test_blocks_of_comments(self):
        source = 'int a;  // b\n// c\n// d\n\nint e;  // f\n        // g\nconst char* h = "// i";  ///< j\n'
        self.assertEqual(list(comment_blocks(source)),
                         [(1, "b"), (2, "c d"), (5, "f g"), (7, "j")])

    def test_parts_of_a_source(self):
        code, comments = split_cpp('a = "//b"; // c "d"\n/* e\n*/ f = R"(//g)" + 1\'000 + \'"\'; // h\n')
        self.assertEqual([code.count(text) for text in ("//b", "c", "e", "//g", "000", "h")], [1, 0, 0, 1, 1, 0])
        self.assertEqual([line.strip() for line in comments.split("\n")], ['// c "d"', "/* e", "*/// h", ""])


if __name__ == "__main__":
    unittest.main()
