#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the site build/site/index.html of the documents and the public headers.

usage: build.py [--check]

With --check, fails on a public name without a comment, on a page that nothing leads to, and on a warning of Doxygen or
Sphinx.
"""
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys

import pages
import public_names

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build/site"
TABLE_ROW = re.compile(r"^\| `(imbrex/\S+\.hpp)` \| (.*) \|$", re.MULTILINE)


def described_headers():
    text = (ROOT / "docs/headers.md").read_text()
    return {header: re.sub(r"\]\(([\w-]+\.md)", r"](../docs/\1", purpose)
            for header, purpose in TABLE_ROW.findall(text)}


def run_sphinx(source, is_strict):
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", "-j", "auto", "-c", str(source)]
    command += ["-W", "--keep-going"] if is_strict else []
    return subprocess.run([*command, str(source), str(FOLDER)], check=False).returncode


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    if shutil.which("doxygen") is None or importlib.util.find_spec("breathe") is None:
        print(f"site: {sys.executable} has no Doxygen or no Breathe; ./dev site installs both on Debian",
              file=sys.stderr)
        return 2
    is_strict = bool(arguments)
    if FOLDER.exists():
        shutil.rmtree(FOLDER)
    work = ROOT / "build/site-source"
    if work.exists():
        shutil.rmtree(work)
    source = work / "pages"
    source.mkdir(parents=True)
    complaints = public_names.run_doxygen(ROOT, work / "doxygen")
    headers = public_names.headers_of(ROOT)
    bare = list(public_names.without_comment(work / "doxygen", headers))
    complaints += [f"{file}:{line}: {name} has no comment" for name, file, line in bare]
    shutil.copy(pathlib.Path(__file__).parent / "conf.py", source)
    pages.write_documents(ROOT, source)
    pages.write_parts(source)
    pages.write_reference(source, headers, described_headers())
    status = run_sphinx(source, is_strict)
    (FOLDER / "llms.txt").write_text(pages.text_of_all(ROOT))
    for complaint in complaints if is_strict else []:
        print(complaint, file=sys.stderr)
    names = sum(1 for _ in public_names.names_of(work / "doxygen"))
    print(f"site: {FOLDER.relative_to(ROOT)}/index.html, {names} names, {len(bare)} without a comment")
    return 1 if status or (is_strict and complaints) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
