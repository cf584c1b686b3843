#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a manual page for each command of `imbrex`, and the completion of bash, by the help that the command prints.

usage: manual.py IMBREX FOLDER    IMBREX: the command; FOLDER gets man1/*.1 and completions/imbrex
"""
import pathlib
import re
import subprocess
import sys

import options_page

NAME = re.compile(r"--?[\w-]+")
COMPLETION = """# Completion of the command imbrex for bash; made by scripts/manual.py.
_imbrex() {
  local current=${COMP_WORDS[COMP_CWORD]} words= command= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      --) command=--; break ;;
      -*) continue ;;
    esac
    case "$command ${COMP_WORDS[i]}" in
      @PATHS@) command="$command ${COMP_WORDS[i]}" ;;
      *) break ;;
    esac
  done
  case $command in
@CASES@
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _imbrex imbrex
"""


def escaped(text):
    """The text for troff, in which a line may begin with a point, and hyphens are minus signs."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def commands(program, words=()):
    """The words of each command, those with commands of their own included."""
    for name in options_page.commands_of(program, *words):
        path = (*words, name)
        yield path
        if "COMMAND" in options_page.help_of(program, *path).splitlines()[0]:
            yield from commands(program, path)


def described_commands(text):
    """Pairs of a command and its description, as a help lists them."""
    found = []
    for line in text.splitlines():
        if row := re.match(r"^  ([a-z]+)(?: COMMAND)?  +(\S.*)$", line):
            found.append([row[1], row[2]])
        elif found and line.startswith("      ") and line.strip():
            found[-1][1] += " " + line.strip()
        else:
            found.append(["", ""])
    return [(name, text) for name, text in found if name and name != "help"]


def page(program, words, version):
    """The manual page of a command, as troff."""
    text = options_page.help_of(program, *words)
    usage, purpose = text.split("\n\n")[:2]
    title = "-".join(("imbrex", *words))
    summary = purpose.replace("\n", " ").split(". ")[0].rstrip(".")
    lines = [f".TH {title.upper()} 1 \"\" \"imbrex {version}\"", ".SH NAME",
             f"{escaped(title)} \\- {escaped(summary[0].lower() + summary[1:])}", ".SH SYNOPSIS", ".nf", escaped(usage),
             ".fi", ".SH DESCRIPTION", escaped(purpose.replace("\n", " "))]
    if listed := described_commands(text):
        lines.append(".SH COMMANDS")
        for name, description in listed:
            lines += [".TP", f".BR {escaped('-'.join((title, name)))} (1)", escaped(description)]
    own = options_page.rows(text)
    if own:
        lines.append(".SH OPTIONS")
        for option, description in own:
            lines += [".TP", f".B {escaped(option)}", escaped(description)]
    lines += [".SH SEE ALSO", f".BR {escaped('-'.join(('imbrex', *words[:-1])))} (1)" if words else
              "docs/options.md and the other documents of the package"]
    return "\n".join(lines) + "\n"


def options_of(text):
    return [name for option, _ in options_page.rows(text) for name in NAME.findall(option.split(" ")[0])] + ["--help"]


def completion(program):
    cases, paths = [], []
    for words in [(), *commands(program)]:
        text = options_page.help_of(program, *words)
        listed = [name for name, _ in described_commands(text)]
        key = "".join(" " + word for word in words)
        if words:
            paths.append(key)
        cases.append(f"    '{key}') words='{' '.join([*listed, *options_of(text)])}' ;;")
    quoted = " | ".join(f"'{path}'" for path in paths)
    return COMPLETION.replace("@PATHS@", quoted).replace("@CASES@", "\n".join(cases))


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    program, folder = arguments[0], pathlib.Path(arguments[1])
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    for name in ("man1", "completions"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for words in [(), *commands(program)]:
        (folder / "man1" / ("-".join(("imbrex", *words)) + ".1")).write_text(page(program, words, version))
    (folder / "completions/imbrex").write_text(completion(program))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
