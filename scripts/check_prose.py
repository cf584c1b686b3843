#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on long sentences in the pages of users: none has more than 40 words, and at most 2 % have more than 30.

usage: check_prose.py FILE | FOLDER ...    default: docs README.md

A sentence ends with a full stop, question mark or colon, or with its paragraph or list item. Code, tables, headings and
pages that programs make do not count, nor do pages about the tree itself.
"""
import pathlib
import re
import sys

MOST_WORDS, LONG_WORDS, LONG_SHARE = 40, 30, 0.02
# Pages about the tree itself, and pages that programs make.
OTHERS = {"architecture.md", "claims.md", "mpi-functions.md", "options.md", "performance.md", "python-reference.md",
          "trace-format.md"}
FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?:^|\n)(?:    \S[^\n]*\n?)+")
SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
END = re.compile(r"(?<=[.?!:])[)\"*]*\s+(?=[\"(*`]*[A-Z\[])")
ITEM = re.compile(r"\n(?= *(?:[-*]|\d+\.) )")
WORD = re.compile(r"[A-Za-z0-9][\w'.,^/%-]*")


def sentences_of(text):
    """Pairs of a line number and a sentence. A code span counts as one word."""
    text = FENCE.sub(lambda found: "\n" * found.group().count("\n"), text)
    text = INDENTED.sub(lambda found: "\n" * found.group().count("\n"), text)
    number = 1
    for paragraph in re.split(r"(\n\s*\n)", text):
        for item in ITEM.split(paragraph):
            plain = SPAN.sub(lambda found: "Code" + "\n" * found.group().count("\n"), item)
            if not plain.lstrip().startswith(("|", "#")):
                begin = 0
                for end in [found.start() for found in END.finditer(plain)] + [len(plain)]:
                    sentence = LINK.sub(r"\1", plain[begin:end])
                    if WORD.search(sentence):
                        skipped = len(plain[begin:end]) - len(plain[begin:end].lstrip())
                        yield number + plain[:begin + skipped].count("\n"), " ".join(sentence.split())
                    begin = end
            number += item.count("\n") + 1
        number -= 1


def words_in(sentence):
    return len(WORD.findall(sentence))


def pages_of(names):
    for name in names:
        path = pathlib.Path(name)
        if path.is_dir():
            yield from (page for page in sorted(path.glob("*.md")) if page.name not in OTHERS)
        elif path.is_file():
            yield path
        else:
            raise FileNotFoundError(f"{name} is no file and no folder")


def main(arguments):
    complaints, sentences, long = [], 0, []
    try:
        pages = list(pages_of(arguments or ["docs", "README.md"]))
    except FileNotFoundError as problem:
        print(f"check_prose.py: {problem}", file=sys.stderr)
        return 2
    for page in pages:
        for number, sentence in sentences_of(page.read_text()):
            sentences += 1
            words = words_in(sentence)
            if words > LONG_WORDS:
                long.append(f"{page}:{number}: {words} words: {sentence[:90]}...")
            if words > MOST_WORDS:
                complaints.append(long[-1])
    if len(long) > LONG_SHARE * sentences:
        complaints += [line for line in long if line not in complaints]
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    print(f"prose: {sentences} sentences, {len(long)} of more than {LONG_WORDS} words, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
