#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/python-reference.md from the package's types (imbrex/__init__.pyi) and docstrings.

usage: python_reference.py [--check], which only reports whether the page is old; PYTHONPATH names the package"""
import ast
import inspect
import pathlib
import sys
import textwrap

import imbrex
from imbrex import _core, _session

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/python-reference.md"
TYPES = ROOT / "imbrex/python/imbrex/__init__.pyi"
HEAD = """# Reference of the Python package

Made by `scripts/python_reference.py` from the types and docstrings of the package; [python.md](python.md) explains it.
`_P` are the parameters of an entry, `_R` is its result, `_V` a value, and `_C` a chare class.

"""
SECTIONS = {
    "Classes of chares": ["Chare", "entry", "Mailbox", "Channel", "DeviceChannel"],
    "Creation": ["array", "sparse_array", "keyed_array", "group", "chare", "in_bricks", "in_blocks",
                 "round_robin"],
    "Proxies": ["Array", "Group", "Section", "BoundEntry", "BoundMailbox", "BoundChannel",
                "BoundDeviceChannel"],
    "Values and reductions": ["give", "sum", "product", "min", "max", "all", "any", "bit_and", "bit_or", "bit_xor",
                              "gather"],
    "Memory of devices": ["DeviceArray", "device_array", "stream"],
    "Waiting": ["when_all", "when_any", "sleep", "quiescence"],
    "Balancing": ["strategy", "Problem", "rebalance", "RebalanceResult"],
    "Checkpoints": ["restored", "checkpoint", "CheckpointResult", "save", "restored_value", "restore", "on_restart",
                    "RestartReport"],
    "Runs": ["run", "exit", "now", "pe", "num_pes", "process", "num_processes", "phase", "mark"],
    "Sessions": ["start", "stop", "Session", "Result"],
    "Errors": ["Error", "UsageError", "RemoteError", "RemoteTraceback"],
}
#: Objects with the docstrings of classes that only type checkers know.
OBJECTS = {"Array": _core.Proxy, "Group": _core.Proxy, "Section": _core.Proxy, "BoundEntry": _core.Member,
           "BoundMailbox": _core.Port, "BoundChannel": _core.Port, "BoundDeviceChannel": _core.Port,
           "Session": _session.Session, "Result": _session.Result}
#: Docstrings of objects that have none in the package.
WORDS = {
    "Array": "The proxy of an array. `a[i]` is the proxy of an element, and `a.entry` the entry of all of them.",
    "Group": "The proxy of a group: an array with one element on each PE.",
    "Section": "The proxy of some elements of an array: `s.entry` is the entry of these.",
    "BoundEntry": "An entry of a proxy: `proxy.entry`. An entry of an array or section also has `reduce`.",
    "BoundMailbox": "A mailbox: `proxy.port` to send, `self.port` to receive.",
    "BoundChannel": "One end of a channel: `self.channel`.",
    "BoundDeviceChannel": "One end of a channel of arrays in the memory of devices: `self.channel`.",
    "BoundDeviceChannel.send": "Lends an array of this PE's device to the other end. Await the result before the array "
                               "changes: it ends when the array has been read.",
    "BoundDeviceChannel.receive": "Awaits the next array: a copy on this PE's device, or the array `into` of the same "
                                  "shape and type, which then has the contents.",
    "DeviceArray": "An array that owns memory of this PE's device, with its elements in rows. Libraries for "
                   "GPUs take it by `__cuda_array_interface__` and `__dlpack__`.",
    "device_array": "A copy of an array, of the host or of this PE's device, on this PE's device.",
    "now": "The clock of this PE in seconds, from an arbitrary start; on the simulated machine in the model's time.",
    "pe": "The PE of the running code.", "num_pes": "The number of PEs of the run.",
    "process": "The number of this process in its job; 0 without a job.",
    "num_processes": "The number of processes of the job; 1 without a job.",
    "sleep": "Waits for this number of seconds; other entries run meanwhile.",
    "quiescence": "Waits until no message is in transit, no entry runs and no timer is set.",
    "when_all": "Awaits all, side by side; returns the list of their results.",
    "when_any": "Awaits the first; returns its position and its result. The others are cancelled.",
    "Chare.balance_point": "A point at which this chare may move or be saved, awaited by its entry. If the chare has "
                           "requested a move, that entry ends here, and the given one, such as `self.run`, begins on "
                           "the new PE with these arguments. Its result is that of the call.",
    "rebalance": "Balances the elements of an array once, now. The strategy is that of `--balance`; without the option "
                 "nothing moves. Elements that are busy may move later.",
    "checkpoint": "Writes a checkpoint in the folder of `--checkpoint DIR`: named arrays, single chares, values of "
                  "`save`, and groups of `restore`. The chares stop at their next balance points, and go on once all "
                  "is copied. Raises an Error without that option, and, on awaiting, if a chare waits elsewhere or "
                  "cannot be saved, or if the disk cannot be written. The run goes on.",
    "restore": "Gives the chares of a group their state in the checkpoint from which the run began; False if it has "
               "none. Later checkpoints save the group. On another number of PEs each chare gets the state by its "
               "`merge(self, old)`, of the former chares of all PEs; without that method each gets the state of "
               "PE 0's. Call it in the main task, at once after the group was made.",
    "Problem.load": "Seconds that each object is expected to take in the next period.",
    "Problem.pe": "The PE of each object.",
    "Problem.movable": "False for an object that stays, whatever the strategy returns.",
    "Problem.coordinates": "A row for each object: the index of an element; without columns for arrays with keys.",
    "Problem.node": "The node of each PE.",
    "Problem.pes": "The number of PEs.",
    "Problem.seed": "A number for strategies that use chance. It differs from step to step.",
    "exit": "Ends the run with that status, 0 to 255; callable from anywhere.",
    "give": "Hands a value over in a message. Its array is not copied, and becomes read-only here.",
    "in_bricks": "Equal parts of an array on the PEs. In two and three dimensions each node gets a box of neighbours.",
    "in_blocks": "Equal, consecutive parts of an array on the PEs.",
    "round_robin": "Consecutive elements on consecutive PEs.",
    "sum": "The operations of reductions. NumPy arrays are combined element by element. Any function of two values "
           "that all processes can import is an operation, too.",
    "gather": "All values, as a list in the order of the indices.",
    "BoundMailbox.send": "Sends a value, with the reference number 0 if none is given.",
    "BoundMailbox.receive": "Awaits the oldest value with that reference number.",
    "BoundChannel.receive": "Awaits the next value.",
    "Session.quiescence": "Waits until no message of the session is in transit, no entry runs and no timer is set.",
    "Result.result": "Waits for the result, for this number of seconds at most; then raises a TimeoutError.",
    "Chare.with_priority": "On a proxy: the same proxy for messages of a priority of -32 to 31.",
    "Chare.coalesced": "On a proxy: the same proxy for short messages, which may be sent together later.",
}


def doc_of(name, owner=None):
    """The text for a name, or for a member of the class `owner`: (its name in the types, its object)."""
    text = WORDS.get(name if owner is None else f"{owner[0]}.{name}")
    if text is not None:
        return textwrap.fill(text, 118)
    target = getattr(imbrex, name, OBJECTS.get(name)) if owner is None else getattr(owner[1], name, None)
    own = getattr(OBJECTS.get(name, target) if owner is None else target, "__doc__", None)
    return inspect.cleandoc(own) if own and not isinstance(target, (int, str)) else ""


def signature(node):
    """The signature in one line, without the body."""
    if isinstance(node, ast.ClassDef):
        bases = [ast.unparse(b) for b in node.bases if not ast.unparse(b).startswith("Generic")]
        return f"class {node.name}" + (f"({', '.join(bases)})" if bases else "")
    text = ast.unparse(ast.FunctionDef(node.name, node.args, [ast.Pass()], [], node.returns, lineno=0))
    return text.split(":\n")[0]


def is_property(node):
    return any(ast.unparse(d) == "property" for d in node.decorator_list)


def members(node):
    """The public methods and properties of a class: their lines by their names, overloads together."""
    found = {}
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and not part.name.startswith("_"):
            line = f"{part.name}: {ast.unparse(part.returns)}" if is_property(part) else signature(part)[len("def "):]
            found.setdefault(part.name, []).append(line)
    return found


def block(lines):
    return "".join(textwrap.fill(line, 114, initial_indent="    ", subsequent_indent=" " * 8) + "\n"
                   for line in lines) + "\n"


def page():
    tree = ast.parse(TYPES.read_text())
    nodes = {}
    for node in tree.body:
        name = getattr(node, "name", None) or ast.unparse(getattr(node, "target", ast.Name("")))
        nodes.setdefault(name, []).append(node)
    text = HEAD
    for title, names in SECTIONS.items():
        text += f"## {title}\n\n"
        operations = [n for n in names if n in nodes and isinstance(nodes[n][0], ast.AnnAssign) and n not in WORDS]
        for name in names:
            if name in operations:
                continue
            its = nodes[name]
            if isinstance(its[0], ast.AnnAssign):
                lines = [name] if name != "sum" else ["sum", *operations]
                text += f"### {', '.join(lines)}\n\n{doc_of(name)}\n\n"
                continue
            text += f"### {name}\n\n" + block(signature(n).removeprefix("def ") for n in its)
            words = doc_of(name)
            text += f"{words}\n\n" if words else ""
            if isinstance(its[0], ast.ClassDef):
                owner = name, OBJECTS.get(name) or getattr(imbrex, name, None)
                for member, lines in members(its[0]).items():
                    text += block(lines)
                    words = doc_of(member, owner)
                    text += f"{words}\n\n" if words else ""
    return text.rstrip("\n") + "\n"


if __name__ == "__main__":
    new = page()
    if sys.argv[1:] == ["--check"]:
        if new != PAGE.read_text():
            sys.exit(f"{PAGE.relative_to(ROOT)} is old: scripts/python_reference.py writes it anew")
        print("reference: as the package says")
    else:
        PAGE.write_text(new)
