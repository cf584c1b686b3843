#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on a line that is too long, a name in back-ticks that the tree does not have, a comment without a subject.

Lines have 110 columns in C++ and 120 elsewhere; tables, links, headings and what a document shows as it is may have
more. Names in back-ticks are looked for in README.md, CONTRIBUTING.md, docs/ and the comments of C++: a path is a part
of some path of the tree, an option and an identifier stand in its code, outside of comments, and the parts of a::b do
so in one file. What others have named is listed here.

A comment of C++ is understood without the line above: its first word is no preposition, pronoun or question. A name in
C++ is a noun or a verb of the field: no word of it is a participle of speech, a pronoun or a metaphor. Names of tests
are sentences and may have any word.

usage: check_words.py [repository root]
"""
import fnmatch
import os
import pathlib
import re
import sys

COLUMNS = {"cpp": 110, "other": 120}
CPP = {".hpp", ".cpp", ".cuh", ".cu"}
TEXT = CPP | {".py", ".cmake", ".sh", ".txt", ".in", ".toml", ".supp", ".md"}
CODE = TEXT - {".md"} | {".js", ".html", ".json", ".css"}
UNREAD = {".git", ".cache", "build", "__pycache__"}
# Others' names in the check and its test do not count as code that has them, nor do those in texts about measurements.
OF_THE_CHECK = ("scripts/check_words.py", "scripts/check_words_test.py", "bench/results/")

# Names of other projects and of systems, which documents and comments speak of; patterns as of a shell.
FOREIGN = set("""
    AtSync CBase_T CProxy* Ck* CcdCallFnAfter bindTo charmc charmrun ckDestroy ckLocalBranch ckNew createhere createhome
    concat doneInserting exclusive expedited forall hapiAddCallback migrateMe nokeep p8 ppn pup readonly setcpuaffinity
    thisIndex thisProxy threaded varsize
    MPI_* HIP_... ROCR_... UCX_* amdhip64 cudart libamdhip64-dev libucx-cu12
    --benchmark_* --cache-sim --gtest_filter --kill-on-bad-exit --shm-size .ci perf prterun
    CMAKE_INTERPROCEDURAL_OPTIMIZATION
    charm waitQD ret Reducer iter allreduce dest Isend Irecv Waitall bcast Split
""".split())
# Names that documents use as examples, or as names to avoid; and output of other programs.
EXAMPLES = set("""
    foo.hpp foo.test.cpp prog.py snake_case utils helpers _words
""".split()) | {"Fatal: ... invalid", "failed to arm iface",
    "--save FILE.json", "--output FILE.h5", "--output FILE.html"}

OPENING = re.compile(r"(of|that of|those|the same|so many|by what|and|none|its?|what|whose|who|how)\b", re.IGNORECASE)
NO_NOUN = re.compile(r"\bthat one\b|\bwhat\b[^.;:]*\bwhat\b", re.IGNORECASE)
# Words that no identifier has; a test's name may.
UNNAMED = set("""
    asked beyond come door given gone heard lend lent letter made mine opened ours said theirs told untold wanted
    watchman
""".split())
# Names of checks in tests are sentences, and so are names with many words.
WORDS_OF_SENTENCE = 4
TEST_NAME = re.compile(r"\bTEST(?:_F|_P)?\([^()]*\)")
STRING = re.compile(r'R"\(.*?\)"|"(?:\\.|[^"\\\n])*"', re.DOTALL)
COMMENT_SIGN = re.compile(r"^\s*(?://[/!]?<?|/\*+)\s*")

STRING_OR_COMMENT = re.compile(
    r'R"(?P<mark>[^()\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<=[0-9a-fA-F])\'(?=[0-9a-fA-F])'
    r'|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/', re.DOTALL)
# A row of a table, a heading, a line that ends with a link, and one that is all one code span or word.
MAY_BE_LONG = re.compile(r"\s*[|#]|.*\]\(\S+\)\S*$|\s*`[^`]*`\S?$|\s*\S+$")
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
TICKED = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9_-]*")
# A path has a folder, or one of the endings of the tree's files.
PATH = re.compile(r"(?<![\w./$<-])((?:[a-z_.][\w.-]*/)+[\w.-]*"
                  r"|[\w-]+(?:\.test)?\.(?:hpp|cpp|cuh|cu|py|md|cmake|json|toml|sh|txt))(?![\w/])")
# No names: quoted text, short options and their values, build products, a program of the reader's, values and
# placeholders, the arguments of a benchmark.
NO_NAMES = re.compile(r'"[^"]*"|(?<![\w-])-[A-Za-z]\S*|(?<![\w/.])build/\S*|\./app\b|(?<!\w)/\w\S*|\b[A-Z]+(?=/)'
                      r"|\b\d+\w*(?:/s)?|(?<=[a-z])/\d+\b|\.\.\.")


def split_cpp(text):
    """The code of a C++ source, with its strings, and its comments, each with as many lines as the source."""
    code, comments, end = [], [], 0
    for found in STRING_OR_COMMENT.finditer(text):
        between = text[end:found.start()]
        part = found.group()
        is_comment = part.startswith(("//", "/*"))
        code += [between, "\n" * part.count("\n") if is_comment else part]
        comments += ["\n" * between.count("\n"), part if is_comment else "\n" * part.count("\n")]
        end = found.end()
    return "".join(code + [text[end:]]), "".join(comments + ["\n" * text[end:].count("\n")])


def comment_blocks(text):
    """The comments of a C++ source with the numbers of their first lines; lines below each other are one comment."""
    codes, comments = (part.split("\n") for part in split_cpp(text))
    number, block, column = 0, [], 0
    for at, (line, code, comment) in enumerate(zip(text.split("\n"), codes, comments), 1):
        words = COMMENT_SIGN.sub("", comment)
        goes_on = block and comment.strip() and not code.strip() and column == line.find(comment.strip())
        if block and not goes_on:
            yield number, " ".join(block)
            block = []
        if comment.strip():
            number, column = number if block else at, line.find(comment.strip())
            block.append(words.strip())
    if block:
        yield number, " ".join(block)


def check_openings(name, text):
    for number, block in comment_blocks(text):
        if found := OPENING.match(block):
            yield f"{name}:{number}: a comment begins with '{found.group()}': begin with its subject"
        if found := NO_NOUN.search(block):
            yield f"{name}:{number}: '{found.group()}' in a comment: name it"


def check_identifiers(name, text):
    code = STRING.sub('""', TEST_NAME.sub("", split_cpp(text)[0]))
    seen = {"is_letter"}
    for number, line in enumerate(code.split("\n"), 1):
        for word in WORD.findall(line):
            parts = word.strip("_").split("_")
            is_sentence = ".test." in name and len(parts) >= WORDS_OF_SENTENCE
            if (unnamed := UNNAMED & set(parts)) and not is_sentence and word not in seen:
                seen.add(word)
                yield f"{name}:{number}: {word}: '{min(unnamed)}' in a name: take a noun or a verb of the field"


class Tree:
    """The paths and texts of the files of a repository, and the words of code in each."""

    def __init__(self, root):
        self.texts, self.paths, self.words_of, self.options = {}, set(), {}, set()
        for folder, folders, files in os.walk(root):
            folders[:] = sorted(set(folders) - UNREAD)
            for name in sorted(files):
                path = pathlib.Path(folder, name)
                short = path.relative_to(root).as_posix()
                self.paths.add(short)
                if path.suffix in CODE | TEXT or short in ("dev", ".ci/run"):
                    self.read(short, path.suffix, path.read_text())
        self.words = set().union(*self.words_of.values()) if self.words_of else set()
        ends = set()
        for path in self.paths:
            parts = path.split("/")
            for begin in range(len(parts)):
                for end in range(begin + 1, len(parts)):
                    ends.add("/".join(parts[begin:end]) + "/")
                whole = "/".join(parts[begin:])
                ends |= {whole, re.sub(r"\.(hpp|cpp|cu|cuh|py)$", "", whole)}
        self.ends = ends

    def read(self, short, suffix, text):
        self.texts[short] = text
        if suffix in CODE or suffix == "":
            code = text if suffix not in CPP else split_cpp(text)[0]
            if not short.startswith(OF_THE_CHECK):
                self.words_of[short] = set(WORD.findall(code))
                self.options |= set(OPTION.findall(code))

    def has_path(self, path):
        path = path.removeprefix("./")
        return path in self.ends or path.rstrip("/") + "/" in self.ends

    def has_together(self, names):
        return any(all(name in words for name in names) for words in self.words_of.values())


def is_foreign(name):
    return name in EXAMPLES or any(fnmatch.fnmatchcase(name, pattern) for pattern in FOREIGN)


def unknown_in(span, tree):
    """The names in what stands between back-ticks that neither the tree nor the list of others' names has."""
    if is_foreign(span):
        return []
    span, unknown = NO_NAMES.sub(" ", span), []

    def take(pattern, is_known):
        """Looks at what matches, and returns the span without it."""
        nonlocal span
        for found in pattern.finditer(span):
            name = found.group(1) if pattern.groups else found.group()
            if not is_foreign(name) and not is_known(name):
                unknown.append(name)
        span = pattern.sub(" ", span)

    take(re.compile(r"<([\w./-]+\.hpp|\w+)>(?!\()"), lambda name: "." not in name or tree.has_path(name))
    take(re.compile(r"(?<!\w)\w+(?:::~?\w+)+"), lambda name: name.startswith("std::") or tree.has_together(
        [part for part in re.split(r"::~?", name) if not is_foreign(part)]))
    take(PATH, tree.has_path)
    take(OPTION, lambda name: name in tree.options or name[2:].replace("-", "_") in tree.words)
    take(WORD, lambda name: len(name) == 1 or name in tree.words)
    return unknown


def prose_of(text):
    """The lines of a document with their numbers; without code blocks."""
    fence = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fence = not fence
        elif not fence:
            yield number, line


def check_names(name, lines, tree):
    for number, line in lines:
        for span in TICKED.findall(line):
            for unknown in unknown_in(span, tree):
                yield f"{name}:{number}: `{span}`: the tree has no {unknown}"


def check_columns(name, text):
    is_document = name.endswith(".md")
    most = COLUMNS["cpp" if pathlib.Path(name).suffix in CPP else "other"]
    for number, line in prose_of(text) if is_document else enumerate(text.split("\n"), 1):
        if len(line) > most and not (is_document and MAY_BE_LONG.match(line)):
            yield f"{name}:{number}: {len(line)} columns; {most} are allowed"


def check(root):
    """The complaints about the tree at `root`, one string each."""
    tree = Tree(pathlib.Path(root))
    complaints = []
    for name, text in tree.texts.items():
        suffix = pathlib.Path(name).suffix
        if suffix in TEXT or suffix == "":
            complaints += check_columns(name, text)
        if suffix in CPP:
            complaints += check_names(name, enumerate(split_cpp(text)[1].split("\n"), 1), tree)
            complaints += check_openings(name, text)
            complaints += check_identifiers(name, text)
        elif name in ("README.md", "CONTRIBUTING.md") or re.fullmatch(r"docs/[^/]*\.md", name):
            complaints += check_names(name, prose_of(text), tree)
    return complaints


if __name__ == "__main__":
    found = check(sys.argv[1] if len(sys.argv) > 1 else ".")
    for complaint in found:
        print(complaint, file=sys.stderr)
    print(f"words: {len(found)} complaints" if found else
          "words: all lines are short enough, all names exist, comments have subjects")
    sys.exit(1 if found else 0)
