#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on documents that show code of no example, link to nothing, or name a thing that is not there.

usage: check_documents.py [repository root]
       check_documents.py --installed PREFIX

Each ```cpp or ```python block of README.md, CONTRIBUTING.md and docs/*.md must stand in one example line by line, but
for how far it is indented. Relative links of all documents lead to a file, and to a heading of it. A header in
back-ticks stands in docs/headers.md, except in documents of the tree itself, and so does each header of ours that a
document or an example includes; docs/headers.md has the public headers and no others. Programs, options, paths and
variables are those of the tree (document_names.py). With --installed, the documents and headers below that prefix of
an installation are checked: links, and the files that commands and comments name.
"""
import pathlib
import re
import sys

import document_names

BLOCK = re.compile(r"^```(cpp|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SOURCES = {"cpp": "*.?pp", "python": "*.py"}
FENCED = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(\s*(?!\w+:)([^)\s]+)[^)]*\)|^ *\[[^\]]+\]: +(?!\w+:)(\S+)"
                  r"|(?:href|src)=\"(?!\w+:)([^\"]+)\"")
HTML = re.compile(r"<(?!https?:|/?(?:a|img|br)\b)/?[A-Za-z][\w:]*")
CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
INCLUDED = re.compile(r"^\s*#\s*include <(imbrex/[^>]+)>", re.MULTILINE)
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)
HEADER = re.compile(r"`(imbrex/[\w/]+\.hpp|\w+/[\w/]+\.hpp|\w+\.hpp)`")
# These speak of the tree, not only of what programs include.
OF_THE_TREE = {"CONTRIBUTING.md", "architecture.md", "claims.md", "glossary.md", "launch.md", "performance.md",
               "trace-format.md"}
UNREAD = {"build", ".git", ".cache"}


def documents_of(root):
    """The documents at the root that are there, and those in docs/."""
    names = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
    return [*(root / name for name in names if (root / name).exists()), *sorted((root / "docs").glob("*.md"))]


def plain(text):
    """The text without indentation and blank lines at the ends, so that parts can be found in it."""
    return "\n".join(line.strip() for line in text.strip().splitlines())


def check(root):
    """The complaints about the tree at `root`, one string each, and how many blocks there are."""
    examples = {language: [plain(file.read_text()) for file in sorted((root / "examples").rglob(names))]
                for language, names in SOURCES.items()}
    complaints = []
    blocks = 0
    for document in documents_of(root):
        for block in BLOCK.finditer(document.read_text()):
            blocks += 1
            wanted = plain(block[2])
            if not any(("\n" + wanted + "\n") in ("\n" + example + "\n") for example in examples[block[1]]):
                line = document.read_text()[:block.start()].count("\n") + 1
                complaints.append(f"{document.relative_to(root)}:{line}: this code is in no file of examples/")
    return complaints, blocks


def without_code(text):
    """The text with as many lines, and none of the code that it shows."""
    return FENCED.sub(lambda found: "\n" * found.group().count("\n"), text)


def links_of(text):
    """The links of a document with the numbers of their lines; those in code are none."""
    text = CODE_SPAN.sub(lambda found: "\n" * found.group().count("\n") + "`", without_code(text))
    for found in re.finditer(LINK.pattern, text, re.MULTILINE):
        yield text[:found.start()].count("\n") + 1, next(group for group in found.groups() if group)


def anchors(document):
    """The anchors of this document, which links name after #."""
    headings = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
                for heading in HEADING.findall(without_code(document.read_text()))]
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def documents_below(root):
    for document in sorted(root.rglob("*.md")):
        if not UNREAD & set(document.relative_to(root).parts):
            yield document


def dead_links(root):
    """The complaints about links between the documents below `root`, and how many links there are."""
    complaints = []
    links = 0
    for document in documents_below(root):
        for number, link in links_of(document.read_text()):
            links += 1
            path, _, anchor = link.partition("#")
            target = (document.parent / path).resolve() if path else document.resolve()
            where = f"{document.relative_to(root)}:{number}"
            if not target.exists() or not target.is_relative_to(root.resolve()):
                complaints.append(f"{where}: {link} leads to no file")
            elif anchor and anchor not in anchors(target):
                complaints.append(f"{where}: {link} leads to no heading of the file")
    return complaints, links


def cells_of(row):
    """The number of cells of a table's row; a bar in a code span divides cells, too, but for one after a backslash."""
    return len(re.split(r"(?<!\\)\|", row.strip().strip("|")))


def broken_pages(root):
    """The complaints about rows of tables that do not fit their heading, and names that a browser takes for HTML."""
    complaints = []
    for document in documents_below(root):
        columns, where = 0, document.relative_to(root)
        text = without_code(document.read_text())
        for number, line in enumerate(text.splitlines(), 1):
            is_row = line.lstrip().startswith("|")
            columns = (columns or cells_of(line)) if is_row else 0
            if is_row and cells_of(line) != columns:
                complaints.append(f"{where}:{number}: a row of {cells_of(line)} cells in a table of {columns}")
        plain = CODE_SPAN.sub(lambda found: "\n" * found.group().count("\n") + "`", text)
        for found in HTML.finditer(plain):
            number = plain[:found.start()].count("\n") + 1
            complaints.append(f"{where}:{number}: {found.group()} would be HTML: put the name between back-ticks")
    return complaints


def unlisted_headers(root):
    """The complaints about headers that documents name, and docs/headers.md does not list."""
    listed = set(HEADER.findall((root / "docs/headers.md").read_text()))
    programs = {path.relative_to(root).as_posix() for folder in ("examples", "apps")
                for path in (root / folder).rglob("*.hpp")}
    complaints = []
    documents = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    for document in documents:
        if document.name in OF_THE_TREE:
            continue
        for number, line in enumerate(without_code(document.read_text()).splitlines(), 1):
            for header in HEADER.findall(line):
                if not any(name == header or name.endswith("/" + header) for name in listed | programs):
                    complaints.append(f"{document.relative_to(root)}:{number}: docs/headers.md does not list {header}")
    for file in [*documents, *sorted((root / "examples").rglob("*.?pp"))]:
        for header in INCLUDED.findall(file.read_text()):
            if header not in listed:
                complaints.append(f"{file.relative_to(root)}: docs/headers.md does not list {header}")
    return complaints


def wrongly_listed_headers(root):
    """The complaints about public headers that docs/headers.md does not list, and about others that it does."""
    listed = set(HEADER.findall((root / "docs/headers.md").read_text()))
    public = set(re.findall(r"^  (imbrex/\S+\.hpp)$", (root / "cmake/PublicHeaders.cmake").read_text(), re.MULTILINE))
    return ([f"docs/headers.md: the public header {header} is missing" for header in sorted(public - listed)] +
            [f"docs/headers.md: {header} is no public header" for header in sorted(listed - public) if "/" in header])


def incomplete_settings(root):
    """The complaints about variables and CMake options that docs/settings.md lacks."""
    page = root / "docs/settings.md"
    text = page.read_text() if page.exists() else ""
    complaints = [f"docs/settings.md: {file} reads {variable}, which is missing"
                  for variable, file in sorted(document_names.variables_read(root).items())
                  if f"`{variable}" not in text]
    return complaints + [f"docs/settings.md: there is no row | `{name}` | {meaning} ..."
                         for name, meaning in sorted(document_names.cmake_options(root).items())
                         if f"| `{name}` | {meaning}" not in text]


def errors_of_no_source(root):
    """The complaints about texts in the first column of docs/errors.md that no source has."""
    page = root / "docs/errors.md"
    if not page.exists():
        return []
    source = "\n".join(re.sub(r'"\s*\n\s*"', "", path.read_text())
                       for folder in ("imbrex", "cmake")
                       for path in document_names.files_below(root / folder, {".cpp", ".hpp", ".cmake"})
                       if ".test." not in path.name)
    return [f"docs/errors.md: no source has the text '{text}'"
            for text in re.findall(r"^\| `([^`]+)` \|", page.read_text(), re.MULTILINE) if text not in source]


def check_tree(root):
    """The complaints about the tree at `root`, and what was read."""
    complaints, blocks = check(root)
    dead, links = dead_links(root)
    documents = documents_of(root)
    complaints += dead + unlisted_headers(root) + wrongly_listed_headers(root) + incomplete_settings(root)
    complaints += errors_of_no_source(root) + broken_pages(root)
    complaints += document_names.tree_complaints(root, documents)
    return complaints, f"{blocks} blocks of code, {links} links"


def check_installed(prefix):
    """The complaints about the installation below `prefix`, and what was read."""
    folder = prefix / "share/doc/imbrex"
    complaints, links = dead_links(folder)
    if links == 0:
        complaints.append(f"{folder} has no documents with links")
    users = [document for document in documents_below(folder) if document.name not in OF_THE_TREE]
    return complaints + list(document_names.installed_complaints(prefix, users)), f"{links} links"


def main(arguments):
    if arguments[:1] == ["--installed"]:
        if len(arguments) != 2:
            print("check_documents.py: --installed needs the prefix of an installation", file=sys.stderr)
            return 2
        complaints, summary = check_installed(pathlib.Path(arguments[1]))
    else:
        complaints, summary = check_tree(pathlib.Path(arguments[0] if arguments else "."))
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    print(f"documents: {summary}, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
