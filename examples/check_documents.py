#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on C++ or Python in README.md, CONTRIBUTING.md or docs/*.md that is not a part of a program in examples/.

usage: check_documents.py [repository root]

Each ```cpp or ```python block must stand in one example line by line, but for how far it is indented.
"""
import pathlib
import re
import sys

BLOCK = re.compile(r"^```(cpp|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SOURCES = {"cpp": "*.?pp", "python": "*.py"}


def plain(text):
    """The text without indentation and blank lines at the ends, so that parts can be found in it."""
    return "\n".join(line.strip() for line in text.strip().splitlines())


def check(root):
    """The complaints about the tree at `root`, one string each, and how many blocks there are."""
    examples = {language: [plain(file.read_text()) for file in sorted((root / "examples").rglob(names))]
                for language, names in SOURCES.items()}
    complaints = []
    blocks = 0
    for document in [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]:
        for block in BLOCK.finditer(document.read_text()):
            blocks += 1
            wanted = plain(block[2])
            if not any(("\n" + wanted + "\n") in ("\n" + example + "\n") for example in examples[block[1]]):
                line = document.read_text()[:block.start()].count("\n") + 1
                complaints.append(f"{document.relative_to(root)}:{line}: this code is in no file of examples/")
    return complaints, blocks


if __name__ == "__main__":
    found, count = check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
    for complaint in found:
        print(complaint, file=sys.stderr)
    print(f"documents: {count} blocks of code, {len(found)} complaints")
    sys.exit(1 if found else 0)
