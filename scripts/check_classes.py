#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on a class that is too wide: more than 20 data members, or more than 40 member functions.

Data members are those of an object, with those of anonymous unions and structs. Functions are all that are declared,
each overload and static ones too, but no constructors, destructors, operators and conversions. A base class that one
class alone derives from, in its own folder, and that has no virtual functions is a part of that class.

usage: check_classes.py [--list N] [repository root]
"""
import argparse
import collections
import pathlib
import re
import sys

MOST_DATA = 20
MOST_FUNCTIONS = 40
# Classes that are still wider, with their data members and functions: these figures may only sink.
WIDER = {
    "imbrex::detail::bound_ends": (26, 30),
    "imbrex::detail::element_map": (8, 45),
    "imbrex::detail::job": (24, 29),
    "imbrex::detail::processor": (21, 43),
    "imbrex::detail::recorder": (16, 45),
    "imbrex::detail::reduction_station": (8, 48),
    "imbrex::detail::scheduler": (27, 53),
    "imbrex::mpi::copy_state": (22, 23),
    "imbrex::mpi::library_state": (24, 0),
    "imbrex::options": (31, 0),
    "imbrex::resident::context": (1, 59),
    "imbrex::resident::detail::host_channel": (25, 17),
    "imbrex::stream": (6, 45),
    "imbrex::tools::analysis": (23, 24),
    "imbrex::tools::job": (22, 28),
    "imbrex::tools::pe_account": (25, 42),
    "imbrex::tools::reading": (25, 21),
    "imbrex::tools::run_report": (22, 0),
    "imbrex::tools::timeline": (21, 26),
    "imbrex::ucx::ucp_functions": (23, 0),
}

SOURCES = {".hpp", ".cpp", ".cuh", ".cu"}
TOKEN = re.compile(r"""(?P<skip>//(?:\\\n|[^\n])*|/\*.*?\*/|^[ \t]*\#(?:\\\n|[^\n])*)"""
                   r"""|(?P<text>(?:u8|[uUL])?R"(?P<end>[^(\s]*)\(.*?\)(?P=end)\""""
                   r"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')"""
                   r"""|(?P<word>[A-Za-z_]\w*|\d(?:'?[\w.])*)|(?P<sign>::|->|&&|\S)""", re.DOTALL | re.MULTILINE)
CLOSING = {"(": ")", "[": "]", "{": "}"}
KEYS = {"class", "struct", "union"}
NO_MEMBER = {"using", "typedef", "friend", "static_assert", "enum", "namespace"}
# Words before a member, of which a list in parentheses is no parameter list.
WITH_ARGUMENTS = {"alignas", "decltype", "noexcept", "explicit", "requires", "__attribute__", "sizeof"}


def tokens_of(text):
    """The tokens of a source; comments and lines of the preprocessor left out, literals as "0"."""
    return ["0" if token["text"] else token[0] for token in TOKEN.finditer(text) if not token["skip"]]


def partners_of(tokens):
    """For each opening bracket of `tokens` the position of the closing one."""
    partners, open_at = {}, []
    for at, token in enumerate(tokens):
        if token in CLOSING:
            open_at.append(at)
        elif token in ")]}":
            while open_at and CLOSING[tokens[open_at[-1]]] != token:
                open_at.pop()
            if open_at:
                partners[open_at.pop()] = at
    return partners


class Class:
    """A class definition: its name in its namespaces and classes, its bases, and its members."""

    def __init__(self, name, file, bases):
        self.name, self.file, self.bases = name, file, bases
        self.data, self.functions, self.virtual = [], [], False


class Source:
    """The classes of a source."""

    def __init__(self, file, text):
        self.file = file
        self.tokens = tokens_of(text)
        self.partners = partners_of(self.tokens)
        self.spaces = []  # (first, last, name) of the bodies of namespaces and classes
        self.classes = []
        self.read()

    def after_angles(self, at):
        """The position after the template list that opens at `at`."""
        depth = 0
        while at < len(self.tokens):
            token = self.tokens[at]
            depth += {"<": 1, ">": -1}.get(token, 0)
            if token in ";{" or token in ")]}":
                return at
            at = self.partners.get(at, at) + 1
            if depth == 0:
                return at
        return at

    def head(self, at):
        """Of a class whose key is at `at`: (name, bases, position of its brace); None if no body follows."""
        tokens, name, bases = self.tokens, "", None
        at += 1
        while at < len(tokens):
            token = tokens[at]
            if token == "{":
                return name, bases or [], at
            if token == "[" or token == "(" and tokens[at - 1] in WITH_ARGUMENTS:
                at = self.partners.get(at, at) + 1
            elif token == "<":
                at = self.after_angles(at)
            elif token == ":":
                bases = []
                at += 1
            elif token == "::" or token == "," and bases is not None or re.match(r"[A-Za-z_]", token):
                if bases is not None:
                    if re.match(r"[A-Za-z_]", token) and token not in ("public", "private", "protected", "virtual"):
                        bases = bases[:-1] + [token] if tokens[at - 1] == "::" and bases else bases + [token]
                elif token not in ("final", "alignas", "::"):
                    name = token
                at += 1
            else:
                return None
        return None

    def read(self):
        for at, token in enumerate(self.tokens):
            while self.spaces and self.spaces[-1][0] < at:
                self.spaces.pop()
            if token == "namespace":
                end = at + 1
                while end < len(self.tokens) and (self.tokens[end] == "::" or re.match(r"\w", self.tokens[end])):
                    end += 1
                if self.tokens[end:end + 1] == ["{"] and end in self.partners:
                    self.spaces.append((self.partners[end], "".join(self.tokens[at + 1:end]) or "(anonymous)"))
            elif token in KEYS and self.tokens[at - 1] not in ("enum", "<", ",", "friend"):
                found = self.head(at)
                if not found or found[2] not in self.partners:
                    continue
                name, bases, brace = found
                self.spaces.append((self.partners[brace], name))
                if name:
                    whole = "::".join(space for _, space in self.spaces if space and space != "(anonymous)")
                    made = Class(whole, self.file, bases)
                    self.read_members(made, name, brace + 1, self.partners[brace])
                    self.classes.append(made)

    def read_members(self, made, name, at, end):
        while at < end:
            at = self.read_member(made, name, at, end)

    def read_member(self, made, name, at, end):
        """Adds the member that begins at `at` to the class; the position after it."""
        tokens = self.tokens
        words, declared, function, initial = [], 1, None, False
        if tokens[at] in ("public", "private", "protected") and tokens[at + 1] == ":":
            return at + 2
        while at < end:
            token = tokens[at]
            if token == ";":
                self.add(made, name, words, declared, function)
                return at + 1
            if token == "template" and tokens[at + 1] == "<" and not words:
                at = self.after_angles(at + 1)
            elif token in KEYS and not initial and "(" not in words and (found := self.head(at)) and \
                    found[2] in self.partners and "enum" not in words and "friend" not in words:
                close = self.partners[found[2]]
                if not found[0] and tokens[close + 1] == ";":
                    self.read_members(made, name, found[2] + 1, close)
                if tokens[close + 1] == ";":
                    return close + 2
                words.append(found[0] or "0")
                at = close + 1
            elif token == "requires" and function is None and not initial:
                at = self.after_requirement(at + 1)
            elif token in WITH_ARGUMENTS and tokens[at + 1] == "(":
                at = self.partners.get(at + 1, at + 1) + 1
            elif token == "<" and words[-1:] != ["operator"]:
                after = self.after_angles(at)
                at = at + 1 if initial and tokens[after - 1] != ">" else after
            elif token == "[" and tokens[at + 1] == "[":
                at = self.partners.get(at, at) + 1
            elif token == "{":
                close = self.partners.get(at, end)
                if function is not None and not initial or words[-1:] == ["operator"]:
                    if tokens[close + 1] in (",", "{") and ":" in words:  # a member in a list of initialisers
                        at = close + 1
                        continue
                    if ":" in words and tokens[at - 1] not in (")", "}") and tokens[close + 1] != ";":
                        at = close + 1
                        continue
                    self.add(made, name, words, declared, function)
                    return close + (2 if tokens[close + 1] == ";" else 1)
                if words[:1] and words[0] in NO_MEMBER and tokens[close + 1] != ";":
                    return close + 1
                at = close + 1
            elif token == "(":
                if not initial and function is None:
                    if words[-1:] == ["operator"]:
                        words.append("(")
                    elif tokens[at + 1] in ("*", "&"):  # a pointer to a function
                        initial = True
                        words.append("(")
                    else:
                        function = words[-1] if words else ""
                at = self.partners.get(at, at) + 1
            else:
                if token == "=" and words[-1:] != ["operator"]:
                    initial = True
                elif token == ",":
                    declared += 1
                    initial = False
                words.append(token)
                at += 1
        return end

    def after_requirement(self, at):
        """The position after the constraint of a template that begins at `at`."""
        tokens = self.tokens
        while True:
            if tokens[at] == "requires":
                at += 1
                continue
            if tokens[at] == "(" or tokens[at] == "{":
                at = self.partners[at] + 1
                if tokens[at] == "{":
                    at = self.partners[at] + 1
            elif tokens[at] == "!":
                at += 1
                continue
            else:
                at += 1
                while tokens[at] == "::" or tokens[at - 1] == "::":
                    at += 1
                if tokens[at] == "<":
                    at = self.after_angles(at)
                while tokens[at] == "::":
                    at += 2
            if tokens[at] == "&&":
                at += 1
            elif tokens[at] == "|" and tokens[at + 1] == "|":
                at += 2
            else:
                return at

    def add(self, made, name, words, declared, function):
        made.virtual |= "virtual" in words
        if not words or words[0] in NO_MEMBER:
            return
        if function is not None:
            if function != name and "operator" not in words and "~" not in words:
                made.functions.append(function)
        elif "static" not in words and "operator" not in words and "extern" not in words:
            made.data += [" ".join(words)] * declared


def classes_of(root):
    """All classes of the sources in imbrex/ that are no tests."""
    found = []
    for file in sorted((root / "imbrex").rglob("*")):
        if file.suffix in SOURCES and ".test." not in file.name:
            found += Source(file.relative_to(root), file.read_text()).classes
    return found


def widths_of(classes):
    """The data members and functions of each class, with those of bases that are parts of it."""
    derived = collections.Counter(base for made in classes for base in made.bases)
    parts = {(made.name.split("::")[-1], made.file.parent): made for made in classes if not made.virtual}
    widths = []
    for made in classes:
        found = [made]
        for part in found:
            found += [base for name in part.bases if derived[name] == 1 and
                      (base := parts.get((name, part.file.parent))) not in (None, *found)]
        widths.append((sum(len(part.data) for part in found), sum(len(part.functions) for part in found)))
    return widths


def check(root, wider=None):
    """The complaints about the classes of the tree at `root`, one string each."""
    wider = WIDER if wider is None else wider
    classes = classes_of(root)
    complaints, seen = [], set()
    for made, (data, functions) in zip(classes, widths_of(classes)):
        if data <= MOST_DATA and functions <= MOST_FUNCTIONS:
            continue
        seen.add(made.name)
        most_data, most_functions = wider.get(made.name, (MOST_DATA, MOST_FUNCTIONS))
        if data > most_data or functions > most_functions:
            complaints.append(f"{made.file}: {made.name} has {data} data members and {functions} functions, "
                              f"of at most {most_data} and {most_functions}: split it by meaning")
    complaints += [f"scripts/check_classes.py: {name} is no longer wide: take it out of WIDER"
                   for name in wider if name not in seen]
    return complaints


def show_widest(root, count):
    classes = classes_of(root)
    for made, (data, functions) in sorted(zip(classes, widths_of(classes)), reverse=True, key=lambda pair: max(
            pair[1][0] / MOST_DATA, pair[1][1] / MOST_FUNCTIONS))[:count]:
        print(f"{data:3} data {functions:3} functions  {made.name}  ({made.file})")


def main():
    arguments = argparse.ArgumentParser(description="Fails on classes that are too wide.")
    arguments.add_argument("--list", type=int, metavar="N", help="show the N widest classes, and check nothing")
    arguments.add_argument("root", nargs="?", default=".")
    chosen = arguments.parse_args()
    root = pathlib.Path(chosen.root)
    if chosen.list is not None:
        show_widest(root, chosen.list)
        return 0
    found = check(root)
    for complaint in found:
        print(complaint, file=sys.stderr)
    print(f"classes: {len(found)} complaints" if found else "classes: none is wider than allowed")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
