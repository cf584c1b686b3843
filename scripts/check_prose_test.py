#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_prose.py itself: what counts as a sentence, and which are too long."""
import contextlib
import io
import pathlib
import tempfile
import unittest

import check_prose


def sentence(words):
    return "Word " + "word " * (words - 2) + "word."


class CheckProse(unittest.TestCase):
    def status(self, text):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()) as complaints:
            (pathlib.Path(folder) / "page.md").write_text(text)
            with contextlib.redirect_stdout(io.StringIO()):
                status = check_prose.main([folder])
        return status, complaints.getvalue()

    def test_sentences(self):
        text = ("# No sentence here\n\nOne `a. B` here. Two: `c` begins.\n`d` is third. See\n[the page](x.md).\n\n"
                "- item\n- other\n")
        self.assertEqual([number for number, _ in check_prose.sentences_of(text)], [3, 3, 3, 4, 4, 7, 8])

    def test_code_and_tables_do_not_count(self):
        text = "```text\n" + sentence(50) + "\n```\n\n| " + sentence(50) + " |\n\nShort.\n"
        self.assertEqual([found for _, found in check_prose.sentences_of(text)], ["Short."])

    def test_a_code_span_is_one_word(self):
        found = [check_prose.words_in(found) for _, found in check_prose.sentences_of("Use `a b c d` now.")]
        self.assertEqual(found, [3])

    def test_forty_words_are_the_most(self):
        short = "Short. " * 100
        self.assertEqual(self.status(short + sentence(40))[0], 0)
        status, complaints = self.status(short + sentence(41))
        self.assertEqual(status, 1)
        self.assertIn("page.md:1: 41 words", complaints)

    def test_a_fiftieth_may_be_long(self):
        self.assertEqual(self.status("Short. " * 98 + (sentence(31) + " ") * 2)[0], 0)
        self.assertEqual(self.status("Short. " * 97 + (sentence(31) + " ") * 3)[0], 1)

    def test_a_name_of_no_file(self):
        with contextlib.redirect_stderr(io.StringIO()) as problem:
            self.assertEqual(check_prose.main(["nowhere.md"]), 2)
        self.assertIn("nowhere.md", problem.getvalue())


if __name__ == "__main__":
    unittest.main()
