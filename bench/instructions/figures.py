# SPDX-License-Identifier: Apache-2.0
"""The accepted figures, in figures.json, and findings about counted ones."""
import collections
import dataclasses
import json
import pathlib

LIBRARY = pathlib.Path(__file__).resolve().parents[2] / "imbrex"
FILE = pathlib.Path(__file__).with_name("figures.json")
COMMAND = "./dev instructions"
LEAST_TOLD = 1.0    # instructions: the least cost of a kept function or file, and the least change that is reported
MOST_TOLD = 12      # functions


class Refused(Exception):
    """A figure that cannot be accepted."""


@dataclasses.dataclass
class Figure:
    """The cost of one operation: instructions in total, and by function."""
    instructions: float
    functions: dict[str, float]


@dataclasses.dataclass
class Judgement:
    """A finding about a figure, and whether it fails."""
    fails: bool
    text: str


def figure(once, twice, times, left_out):
    """The figure from the cost of n repetitions and of twice as many; without the functions for which left_out(name) is
    true."""
    functions = {name: (twice[name] - once[name]) / times for name in {*once, *twice} if not left_out(name)}
    return Figure(sum(functions.values()), functions)


def files(once, twice, times, left_out, library=LIBRARY):
    """The files of the library that an operation runs through, and what each costs, the most first: by costs of
    functions and files."""
    cost = collections.Counter()
    for function, file in {*once, *twice}:
        name = file.rpartition(library.name + "/")[2]
        if not left_out(function) and name != file and (library / name).is_file():
            cost[name] += (twice[function, file] - once[function, file]) / times
    return {name: spent for name, spent in cost.most_common() if spent >= LEAST_TOLD}


class Figures:
    """The figures of a file, by group and operation."""

    def __init__(self, file=FILE):
        self.file = file
        content = json.loads(file.read_text()) if file.exists() else {"made_with": {}, "figures": {}}
        self.made_with = content["made_with"]
        self.groups = {group: {operation: Figure(**one) for operation, one in operations.items()}
                       for group, operations in content["figures"].items()}

    def of(self, group, operation):
        """The accepted figure; None if there is none."""
        return self.groups.get(group, {}).get(operation)

    def reason_to_skip(self, made_with, with_ucx):
        """Why what was made so cannot be compared with these figures; None if it can."""
        other = [f"{what} is {made_with[what]}, not {value}" for what, value in self.made_with.items()
                 if made_with[what] != value and (with_ucx or what != "ucx")]
        return f"the figures are of another build: {'; '.join(other)}" if other else None

    def begin_to_accept(self, made_with):
        """Figures of two builds in one file could not be told apart."""
        if self.groups and (reason := self.reason_to_skip(made_with, True)):
            raise Refused(f"{reason}; remove {self.file} and accept all groups, or build as the figures were made")
        self.made_with = made_with

    def accept(self, group, operation, found):
        costly = sorted(((cost, name) for name, cost in found.functions.items() if cost >= LEAST_TOLD), reverse=True)
        self.groups.setdefault(group, {})[operation] = Figure(
            round(found.instructions, 1), {name: round(cost, 1) for cost, name in costly})

    def write(self):
        content = {"made_with": self.made_with,
                   "figures": {group: {operation: dataclasses.asdict(one) for operation, one in operations.items()}
                               for group, operations in self.groups.items()}}
        self.file.write_text(json.dumps(content, indent=1) + "\n")


def judge(name, found, accepted, tolerance):
    """The finding about a figure; None if it is within the tolerance. A figure that has grown by more fails. One that
    has shrunk should be accepted, so that it cannot grow back unseen."""
    if accepted is None:
        return Judgement(True, f"{name}: {found.instructions:.1f} instructions; no figure was accepted yet")
    growth = found.instructions / accepted.instructions - 1
    if abs(growth) <= tolerance:
        return None
    text = (f"{name}: {found.instructions:.1f} instructions, {abs(growth):.1%} {'more' if growth > 0 else 'less'} than "
            f"the accepted {accepted.instructions:.1f}; by function:")
    return Judgement(growth > 0, "\n".join([text, *changes(found, accepted)]))


def changes(found, accepted):
    """A line for each function that costs more or less than it did, those that have changed most first."""
    both = {name: (found.functions.get(name, 0.0), accepted.functions.get(name, 0.0))
            for name in {*found.functions, *accepted.functions}}
    changed = sorted(((abs(now - before), name) for name, (now, before) in both.items()
                      if abs(now - before) >= LEAST_TOLD), reverse=True)
    return [f"{both[name][0] - both[name][1]:+10.1f}  from {both[name][1]:.1f} to {both[name][0]:.1f}: {name}"
            for _, name in changed[:MOST_TOLD]]
