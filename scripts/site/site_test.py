#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The parts of the site that need no Sphinx: pages, chapters, options and public names."""
import pathlib
import shutil
import tempfile
import unittest

import pages
import public_names

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = """#pragma once
namespace imbrex {
/// Counts what was sent.
class counter {
 public:
  /// Number of messages so far.
  int sent() const;
  int size() const;
  int lost() const;  ///< lost
  int found() const;
  int first, second;  ///< numbers of the two ends
 private:
  int hidden_;
};
namespace detail {
int inner();
}
}
"""


class Pages(unittest.TestCase):
    def test_each_document_is_in_one_part(self):
        listed = [page for _, _, part in pages.PARTS.values() for page in part]
        documents = ["docs/" + page.stem for page in (ROOT / "docs").glob("*.md")]
        self.assertEqual(sorted(page for page in listed if page.startswith("docs/")), sorted(documents))

    def test_chapters(self):
        first, chapters = pages.chapters_of("# T\n\nintro\n## 1. A\n\n```sh\n# no heading\n```\n### B\n## 2. C\n")
        self.assertEqual(first, "# T\n\nintro\n")
        self.assertEqual([name for name, _ in chapters], ["tutorial-1", "tutorial-2"])
        self.assertEqual(pages.raised(chapters[0][1]), "# 1. A\n\n```sh\n# no heading\n```\n## B\n")

    def test_links_lead_to_chapters(self):
        with tempfile.TemporaryDirectory() as folder:
            root, made = pathlib.Path(folder, "root"), pathlib.Path(folder, "made")
            (root / "docs").mkdir(parents=True)
            (root / "examples").mkdir()
            (root / "docs/tutorial.md").write_text("# T\n[b](#b)\n## 1. A\n### B\n[two](#2-c)\n## 2. C\n")
            (root / "docs/options.md").write_text("# O\n")
            (root / "README.md").write_text("[b](docs/tutorial.md#b) [c](docs/tutorial.md#2-c)\n")
            for name in ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "LICENSE"):
                (root / name).write_text("")
            made.mkdir()
            pages.write_documents(root, made)
            self.assertEqual((made / "README.md").read_text(), "[b](docs/tutorial-1.md#b) [c](docs/tutorial-2.md)\n")
            self.assertIn("[b](tutorial-1.md#b)", (made / "docs/tutorial.md").read_text())
            self.assertIn("[two](tutorial-2.md)", (made / "docs/tutorial-1.md").read_text())

    def test_one_text_has_all_pages_for_users(self):
        text = pages.text_of_all(ROOT)
        for page in ["README.md", "CHANGELOG.md", *(f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md"))]:
            is_for_users = page.removesuffix(".md") not in pages.PARTS["understand"][2]
            self.assertEqual((ROOT / page).read_text().strip() in text, is_for_users, page)

    def test_options_have_names(self):
        made = pages.options_with_names("## Every program\n| option | meaning |\n|---|---|\n| `--pes N` | number |\n")
        self.assertIn("```{program} imbrex::run", made)
        self.assertIn("````{option} --pes N\nnumber\n````", made)


@unittest.skipUnless(shutil.which("doxygen"), "there is no doxygen")
class PublicNames(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "cmake").mkdir()
        (self.root / "cmake/PublicHeaders.cmake").write_text("set(IMBREX_PUBLIC_HEADERS\n  imbrex/counter.hpp\n)\n")
        (self.root / "imbrex").mkdir()
        self.addCleanup(setattr, public_names, "PASSED_ON", public_names.PASSED_ON)
        public_names.PASSED_ON = []

    def run_on(self, text):
        (self.root / "imbrex/counter.hpp").write_text(text)
        output = self.root / "output"
        warnings = public_names.run_doxygen(self.root, output)
        return warnings, [name for name, _, _ in public_names.without_comment(output, {"imbrex/counter.hpp"})]

    def test_names_without_a_comment(self):
        warnings, names = self.run_on(HEADER)
        self.assertEqual(warnings, [])
        self.assertEqual(names, ["imbrex::counter::lost", "imbrex::counter::found"])

    def test_a_header_with_an_error(self):
        warnings, _ = self.run_on(HEADER.replace("int inner();\n}\n}\n", "int inner(;\n"))
        self.assertIn("imbrex/counter.hpp:16: a bracket has no counterpart", warnings)


if __name__ == "__main__":
    unittest.main()
