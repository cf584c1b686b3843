#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/options.md: the options of each command, by the help that the command imbrex prints.

usage: options_page.py IMBREX [--check]    IMBREX: the command; with --check, fails if the page is old
"""
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/options.md"
HEAD = """# Options

Made by `scripts/options_page.py` from the help of the command `imbrex`. [Programs](#every-program) of C++ and Python,
and ranks of MPI by `imbrex run`, understand the options of the first table. A misspelled option is refused with status
2, unless it stands after `--`. So is an option that does not apply to the machine, such as `--seed` on threads. The
variable `IMBREX_OPTIONS` holds options that count as if they stood first on the command line
([settings.md](settings.md#environment-variables)).

"""
# "  --pes N              number of PEs" begins an option; deeper lines continue the text of the one above. Texts begin
# in column 24, or two spaces after a longer name.
ROW = re.compile(r"^  (?=-)(.{20})(?<! ) (?=\S)(.*)$|^  (-\S.*?)  +(\S.*)$")
OPTION_IN_TEXT = re.compile(r"(`[^`]*`)|'(--[^']*)'|(?<![\w-])(--[a-z][\w-]*(?: [A-Z]+\b)?)")
COMMAND = re.compile(r"^  ([a-z]+)(?: COMMAND)?  +\S")
RUNTIME = "Options of the runtime:"


def help_of(program, *words):
    return subprocess.run([program, *words, "--help"], check=True, capture_output=True, text=True).stdout


def marked(text):
    """The text with its options in back-ticks, and links to the documents that it names."""
    text = OPTION_IN_TEXT.sub(lambda found: found[1] or f"`{found[2] or found[3]}`", text)
    return re.sub(r"\bdocs/([\w-]+\.md)", r"[\1](\1)", text)


def rows(text):
    """Pairs of an option with its value's name, and its description."""
    found = []
    for line in text.splitlines():
        if row := ROW.match(line):
            found.append([row[1] or row[3], row[2] or row[4]])
        elif found and line.startswith("      ") and line.strip():
            found[-1][1] += " " + line.strip()
    return [(name, re.sub(r": \d+ here", "", described)) for name, described in found if name != "--help"]


def table(found):
    lines = ["| option | meaning |", "|---|---|"]
    for name, described in found:
        lines.append("| `{}` | {} |".format(*(text.replace("|", "\\|") for text in (name, marked(described)))))
    return "\n".join(lines) + "\n"


def purpose(text):
    """The paragraph below the usage of a help."""
    return marked(text.split("\n\n")[1].replace("\n", " "))


def commands_of(program, *words):
    """The names of the commands that the help of `words` lists."""
    return [row[1] for line in help_of(program, *words).splitlines() if (row := COMMAND.match(line)) and
            row[1] != "help"]


def section(program, words, shared):
    text = help_of(program, *words)
    own = [row for row in rows(text.partition(RUNTIME)[0]) if row not in shared]
    has_shared = RUNTIME in text or any(row in shared for row in rows(text))
    usage = text.split("\n\n")[0]
    lines = f"## imbrex {' '.join(words)}\n\n```text\n{usage}\n```\n\n{wrapped(purpose(text))}\n\n"
    lines += table(own) + "\n" if own else ""
    return lines + ("It also understands the options of [every program](#every-program).\n\n" if has_shared else "")


def wrapped(text, columns=120):
    lines, line = [], ""
    for word in re.findall(r"`[^`]*`\S*|\S+", text):
        if line and len(line) + 1 + len(word) > columns:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return "\n".join([*lines, line])


def page(program):
    shared = rows(help_of(program, "info").partition(RUNTIME)[2])
    text = HEAD + "## Every program\n\n" + table(shared) + "\n"
    for command in commands_of(program):
        below = commands_of(program, command) if "COMMAND" in help_of(program, command).splitlines()[0] else []
        for words in [(command, deeper) for deeper in below] or [(command,)]:
            text += section(program, words, shared)
    return text.rstrip() + "\n"


def main(arguments):
    if not arguments or len(arguments) > 2 or arguments[1:] not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    made = page(arguments[0])
    if arguments[1:]:
        if PAGE.read_text() != made:
            print("docs/options.md is old: run scripts/options_page.py IMBREX", file=sys.stderr)
            return 1
        print("options: docs/options.md is what the command says")
        return 0
    PAGE.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
