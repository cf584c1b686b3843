# SPDX-License-Identifier: Apache-2.0
"""The pages of the site: the documents as they lie in the tree, the tutorial by chapters, and lists that lead to all.

Each part of the site lists its pages here; Sphinx refuses a page that no part lists.
"""
import re
import shutil

PARTS = {
    "start": ("Start", "What Imbrex is, when to use it, and how to get it.",
              ["README", "docs/install", "docs/packaging", "docs/why", "docs/beside", "docs/where", "docs/features",
               "docs/dependencies"]),
    "learn": ("Learn", "From the first program to patterns.",
              ["docs/tutorial", "docs/patterns", "docs/coming-from"]),
    "do": ("Do", "A page for each task.",
           ["docs/launch", "docs/gpu", "docs/resident", "docs/particles", "docs/python", "docs/mpi", "docs/balancing",
            "docs/checkpoints", "docs/output", "docs/trace-report", "docs/tune", "docs/overlap", "docs/predict",
            "docs/libraries", "docs/extension", "docs/hangs", "docs/trouble"]),
    "look-up": ("Look up", "All names, options, settings, errors and formats.",
                ["reference/index", "docs/python-reference", "docs/mpi-functions", "docs/options", "docs/settings",
                 "docs/errors", "docs/headers", "docs/file-formats", "docs/trace-format", "docs/versions", "CHANGELOG",
                 "docs/glossary"]),
    "understand": ("Understand", "How it works, and how fast it is.",
                   ["docs/architecture", "docs/performance", "docs/claims", "SECURITY", "CONTRIBUTING"]),
}
PAGES_OF_ROOT = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
LINK_TO_TUTORIAL = re.compile(r"\]\(((?:docs/)?)tutorial\.md#([\w-]+)\)")
# An option in the first column of docs/options.md, which the search must find by its name.
OPTION_ROW = re.compile(r"^\| `((-\S*)[^`]*)` \| (.*) \|$")


def anchor_of(heading):
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", text).strip().lower().replace(" ", "-")


def headings_of(text):
    """The headings of a document with their levels; lines in blocks of code are none."""
    plain = FENCE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
    return [(found.start(), len(found[1]), found[2]) for found in re.finditer(r"^(#+) +(.*)$", plain, re.MULTILINE)]


def chapters_of(text):
    """The part before the first chapter, and each chapter with its name for the site."""
    starts = [start for start, level, _ in headings_of(text) if level == 2] + [len(text)]
    chapters = [(f"tutorial-{number}", text[begin:end])
                for number, (begin, end) in enumerate(zip(starts, starts[1:]), 1)]
    return text[:starts[0]], chapters


def raised(chapter):
    """A chapter as a page of its own: its headings are one level higher."""
    headings = {start for start, _, _ in headings_of(chapter)}
    return "".join(character for at, character in enumerate(chapter) if at not in headings)


def toctree(pages, hidden=False):
    options = ":hidden:\n" if hidden else ":maxdepth: 1\n"
    return "```{toctree}\n" + options + "\n" + "\n".join(pages) + "\n```\n"


def options_with_names(text):
    """The page of options with a directive for each, so that the search knows them by name."""
    lines, program = [], ""
    for line in text.split("\n"):
        if line.startswith("## "):
            program = line[3:] if line.startswith("## imbrex") else "imbrex::run"
            lines += [line, "", f"```{{program}} {program}", "```"]
        elif row := OPTION_ROW.match(line):
            lines += ["", "````{option} " + row[1].replace("\\|", "|"), row[3].replace("\\|", "|"), "````"]
        elif line not in {"| option | meaning |", "|---|---|"}:
            lines.append(line)
    return "\n".join(lines)


def write_documents(root, folder):
    """Writes the documents of the tree at `root` as pages below `folder`."""
    shutil.copytree(root / "docs", folder / "docs")
    shutil.copytree(root / "examples", folder / "examples")
    for name in (*PAGES_OF_ROOT, "LICENSE"):
        shutil.copy(root / name, folder / name)
    tutorial = folder / "docs/tutorial.md"
    first, chapters = chapters_of(tutorial.read_text())
    page_of = {anchor_of(title): name for name, chapter in chapters for _, _, title in headings_of(chapter)}

    def to_chapter(found):
        page = page_of.get(found[2], "tutorial")
        is_its_title = any(name == page and anchor_of(headings_of(text)[0][2]) == found[2] for name, text in chapters)
        return f"]({found[1]}{page}.md" + ("" if is_its_title else f"#{found[2]}") + ")"

    def with_links_inside(text):
        return re.sub(r"\]\(#([\w-]+)\)", r"](tutorial.md#\1)", text)

    for name, chapter in chapters:
        (folder / f"docs/{name}.md").write_text(with_links_inside(raised(chapter)))
    tutorial.write_text(with_links_inside(first) + "\n" + toctree([name for name, _ in chapters], hidden=True))
    options = folder / "docs/options.md"
    options.write_text(options_with_names(options.read_text()))
    for page in [*(folder / name for name in PAGES_OF_ROOT), *(folder / "docs").glob("*.md")]:
        page.write_text(LINK_TO_TUTORIAL.sub(to_chapter, page.read_text()))


def text_of_all(root):
    """All pages for users as one text, for programs that read: what each part is for, then its pages in order."""
    lines = ["# Imbrex", "", "> A message-driven runtime for C++20, CUDA and Python: many objects for each processor, "
             "so that communication overlaps with computation.", ""]
    for name, (title, text, pages) in PARTS.items():
        if name == "understand":
            continue
        lines += [f"Part: {title}. {text}", ""]
        for page in pages:
            file = root / f"{page}.md"
            if file.exists():  # the reference of C++ is made by Doxygen, and is too long
                lines += [f"<!-- {page}.md -->", "", file.read_text().strip(), ""]
    return "\n".join(lines)


def write_parts(folder):
    """Writes the first page and a page for each part."""
    lines = ["# Imbrex", "", "A message-driven runtime for C++20 and Python: many objects for each processor, so that",
             "communication overlaps with computation.", ""]
    for name, (title, text, pages) in PARTS.items():
        lines.append(f"- [{title}]({name}.md): {text}")
        (folder / f"{name}.md").write_text(f"# {title}\n\n{text}\n\n{toctree(pages)}")
    (folder / "index.md").write_text("\n".join(lines) + "\n\n![One chare a PE waits; four chares a PE take turns]"
                                     "(docs/pictures/overlap.svg)\n\n" + toctree(PARTS, hidden=True))


def write_reference(folder, headers, described):
    """Writes a page for each header with public names; `described` has what docs/headers.md says of each."""
    reference = folder / "reference"
    reference.mkdir()
    names = []
    for header, included_by in sorted(headers.items()):
        name = header.removeprefix("imbrex/").removesuffix(".hpp").replace("/", "-")
        names.append(name)
        shown = min(included_by, key=lambda one: (one != header, len(one)))
        purpose = next((described[one] for one in (shown, header) if one in described), "")
        (reference / f"{name}.md").write_text(
            f"# {shown.removeprefix('imbrex/')}" + (f" ({header})" if shown != header else "") + "\n\n"
            f"`#include <{shown}>`" + (f": {purpose}" if purpose else "") +
            f"\n\n```{{doxygenfile}} {header}\n:project: imbrex\n:sections: briefdescription detaileddescription "
            "innerclass define enum func prototype typedef var public-attrib public-func "
            "public-static-attrib public-static-func public-type user-defined\n```\n")
    (reference / "index.md").write_text("# Reference of C++\n\nA page for each header with public names.\n\n" +
                                        toctree(names))
