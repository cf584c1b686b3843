#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/performance.md from the results of measurements, bench/results/AREA.json.

usage: report.py [--check]    with --check, fails if the page is old

A file has the fields `area` (its name), `title`, `summary`, `measured` and `rows`. An entry of `measured` has
`machine`, `commit` and `date`. A row has `what`, `value` and `unit`, and may have `rival`, `rival_value`, `ratio`,
`goal`, `command`, `machine` (the index of an entry of `measured`, 0 if there is one) and `note`. All but the index are
strings. A value may be a series with semicolons. A row without `ratio` has value / rival_value if both are numbers. A
note that begins with "Missed" says why the goal is missed; the page then shows the goal in bold.
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS, PAGE = ROOT / "bench/results", ROOT / "docs/performance.md"
COLUMNS = 120
# The areas in the page's order; each has a file.
AREAS = ("messages", "arrays", "processes", "start", "devices", "mpi", "python", "apps", "balancing", "checkpoints",
         "simulated", "traces", "compile")
AREA_FIELDS = ("area", "title", "summary", "measured", "rows")
MEASURED_FIELDS = ("machine", "commit", "date")
ROW_FIELDS = ("what", "value", "unit")
OPTIONAL_FIELDS = ("rival", "rival_value", "ratio", "goal", "command", "machine", "note")
MISSED = "Missed"

HEAD = """# Performance

Made by `bench/report.py` from `bench/results/`; a new figure goes there. Older figures and long analyses are in git:
`git log -p docs/performance.md`.

**How to read a table.** A figure is a median unless its row says more. Semicolons separate the figures of the cases
that a row names. The ratio is Imbrex's figure divided by its best rival's: below 1 is better for times, instructions
and memory, above 1 for rates, and where it says "times as fast". A goal in **bold** is missed, and a note names the
reason. In the column "how" the letter names a machine, commit and date below the table, and the number a command.
Commit and date are those with which the figure came into this document: the code may be faster or slower now.

**Machines.** Unless a name says more, they are virtual ones with two processors of an AMD EPYC, Debian 12 and clang 19.
Two threads there exchange a pointer in 65 to 80 ns ("near") or 290 to 390 ns ("far"), and a machine changes between
both from one minute to the next: the host probably runs the processors on one physical core or on two. Modelled times
are those of a simulated machine and repeat to the last digit. Callgrind counts instructions, on x86-64. Charm++ 8 was
measured earlier on such a machine, not beside these runs.

**How to repeat.** `./dev bench` runs the benchmarks of one process, `./dev instructions` counts instructions and
`bench/gpu/run.sh` measures a GPU. Other commands want these programs:

```text
cmake -S . -B build/bench -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=clang++-19
ninja -C build/bench messages pingpong arrays jacobi3d
./dev build release
```

**Not measured on a GPU.** Messages, channels and persistent channels of device memory, faces by messages with fusion
and graphs, memory shared by handles of CUDA, and UCX with memory of GPUs. Figures of chares inside a GPU are in
[resident.md](resident.md#what-it-costs), claims of papers in [claims.md](claims.md).

**Areas.** """


class Refused(Exception):
    """A result file that is not as described above; the text names the file and the field."""


def check_fields(where, entry, required, optional=(), kinds=()):
    """Refuses an entry that lacks a field, has another one, or one of another kind; `kinds` has those of no string."""
    if type(entry) is not dict:
        raise Refused(f"{where}: '{entry}' has no fields")
    for field in required:
        if field not in entry:
            raise Refused(f"{where}: the field '{field}' is missing")
    for field, value in entry.items():
        if field not in (*required, *optional):
            raise Refused(f"{where}: there is no field '{field}'")
        kind = dict(kinds).get(field, str)
        if type(value) is not kind or value in ("", []) and field != "unit":
            raise Refused(f"{where}: the field '{field}' is empty, or no {kind.__name__}")


def check_area(name, area):
    where = f"bench/results/{name}.json"
    check_fields(where, area, AREA_FIELDS, kinds={"measured": list, "rows": list})
    if area["area"] != name:
        raise Refused(f"{where}: the field 'area' is '{area['area']}'")
    for entry in area["measured"]:
        check_fields(f"{where}: measured", entry, MEASURED_FIELDS)
        for field, pattern in (("commit", r"[0-9a-f]{8,40}"), ("date", r"\d{4}-\d{2}-\d{2}")):
            if not re.fullmatch(pattern, entry[field]):
                raise Refused(f"{where}: measured: the field '{field}' is '{entry[field]}'")
    for row in area["rows"]:
        at = f"{where}: {row.get('what', 'a row')}" if type(row) is dict else f"{where}: rows"
        check_fields(at, row, ROW_FIELDS, OPTIONAL_FIELDS, {"machine": int})
        if "machine" not in row and len(area["measured"]) > 1:
            raise Refused(f"{at}: the field 'machine' is missing")
        if not 0 <= row.get("machine", 0) < len(area["measured"]):
            raise Refused(f"{at}: the field 'machine' is {row['machine']}, which is no entry of 'measured'")
        if "rival" not in row and ("rival_value" in row or "ratio" in row):
            raise Refused(f"{at}: the field 'rival' is missing")
    if unused := set(range(len(area["measured"]))) - {row.get("machine", 0) for row in area["rows"]}:
        raise Refused(f"{where}: measured: no row has the machine {min(unused)}")


def read_areas(folder):
    """The areas of the files in `folder`, in the page's order."""
    files = {path.stem: path for path in folder.glob("*.json")}
    if unknown := sorted(set(files) - set(AREAS)):
        raise Refused(f"bench/results/{unknown[0]}.json: bench/report.py has no area '{unknown[0]}'")
    areas = []
    for name in AREAS:
        if name not in files:
            raise Refused(f"bench/results/{name}.json is missing")
        try:
            area = json.loads(files[name].read_text())
        except ValueError as problem:
            raise Refused(f"bench/results/{name}.json: {problem}") from problem
        check_area(name, area)
        areas.append(area)
    return areas


def numbers(text):
    """The numbers of a series, or nothing if some part is no number."""
    parts = [part.strip().replace(",", "") for part in text.split(";")]
    return [float(part) for part in parts] if all(re.fullmatch(r"\d+(\.\d+)?", part) for part in parts) else []


def ratio_of(row):
    own, others = numbers(row["value"]), numbers(row.get("rival_value", "-"))
    others *= len(own) if len(others) == 1 else 1
    if "ratio" in row or not own or len(own) != len(others) or 0 in others:
        return row.get("ratio", "")
    return "; ".join(f"{a / b:.2f}" if a / b >= 0.095 else f"{a / b:.3f}" for a, b in zip(own, others))


def wrapped(text, indent=""):
    """The text in lines of the document's width; code spans and links are not broken."""
    lines, line = [], indent
    for word in re.findall(r"(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|\S)+", text):
        if line.strip() and len(line) + 1 + len(word) > COLUMNS:
            lines.append(line)
            line = " " * len(indent)
        line += word if not line or line.endswith(" ") else " " + word
    return "\n".join([*lines, line]) + "\n"


def anchor(title):
    return re.sub(r"[^\w\- ]", "", title).lower().replace(" ", "-")


class Section:
    """The part of the page about an area: its table, and what the table refers to by letter and number."""

    def __init__(self, area):
        self.area = area
        self.commands = list(dict.fromkeys(row["command"] for row in area["rows"] if "command" in row))
        self.notes = list(dict.fromkeys(row["note"] for row in area["rows"] if "note" in row))
        self.has_letters, self.has_numbers = len(area["measured"]) > 1, len(self.commands) > 1

    def how(self, row):
        letter = chr(ord("a") + row.get("machine", 0)) if self.has_letters else ""
        is_numbered = self.has_numbers and "command" in row
        return letter + (str(self.commands.index(row["command"]) + 1) if is_numbered else "")

    def cells(self, row):
        note = f" [{self.notes.index(row['note']) + 1}]" if "note" in row else ""
        goal = row.get("goal", "")
        return {
            "what": row["what"] + note,
            "Imbrex": f"{row['value']} {row['unit']}".strip(),
            "rival": f"{row.get('rival', '')} {row.get('rival_value', '')}".strip(),
            "ratio": ratio_of(row),
            "goal": f"**{goal}**" if goal and row.get("note", "").startswith(MISSED) else goal,
            "how": self.how(row),
        }

    def table(self):
        rows = [self.cells(row) for row in self.area["rows"]]
        columns = [column for column in rows[0] if any(row[column] for row in rows)]
        lines = [columns] + [[row[column].replace("|", "\\|") for column in columns] for row in rows]
        head, *others = ["".join(f"| {cell} " if cell else "| " for cell in line) + "|\n" for line in lines]
        return head + "|" + "---|" * len(columns) + "\n" + "".join(others)

    def measured(self):
        """The machines, each with its commits and dates."""
        entries = {}
        for at, entry in enumerate(self.area["measured"]):
            letter = f"**{chr(ord('a') + at)}** " if self.has_letters else ""
            entries.setdefault(entry["machine"], []).append(f"{letter}{entry['commit']} {entry['date']}")
        machines = [f"{machine} ({', '.join(here)})" for machine, here in entries.items()]
        return wrapped(f"Measured: {'; '.join(machines)}.")

    def text(self):
        text = f"## {self.area['title']}\n\n{wrapped(self.area['summary'])}\n{self.table()}\n{self.measured()}"
        notes = "".join(wrapped(note, f"{at}. ") for at, note in enumerate(self.notes, 1))
        commands = "\n".join(f"{command}  #{at}" if self.has_numbers else command
                             for at, command in enumerate(self.commands, 1))
        return text + (f"\n{notes}" if notes else "") + (f"\n```text\n{commands}\n```\n" if commands else "")


def page(folder):
    areas = read_areas(folder)
    contents = wrapped("; ".join(f"[{area['title']}](#{anchor(area['title'])})" for area in areas) + ".")
    return HEAD + contents + "".join("\n" + Section(area).text() for area in areas)


def first_difference(old, new):
    old, new = old.splitlines(), new.splitlines()
    for number, (before, now) in enumerate(zip(old + [""] * len(new), new + [""] * len(old)), 1):
        if before != now:
            return f"line {number} is '{before}' and would be '{now}'"
    return "only its line ends differ"


def main(arguments, results=RESULTS, document=PAGE):
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        made = page(results)
    except Refused as problem:
        print(f"report.py: {problem}", file=sys.stderr)
        return 1
    if not arguments:
        document.write_text(made)
    elif document.read_text() != made:
        print(f"docs/performance.md is old: run bench/report.py; {first_difference(document.read_text(), made)}",
              file=sys.stderr)
        return 1
    else:
        print("performance: docs/performance.md is what bench/results/ says")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
