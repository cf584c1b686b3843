# SPDX-License-Identifier: Apache-2.0
"""python -m imbrex.charm4py prog.py ARGUMENTS: runs a program of charm4py."""

import itertools
import os
import sys
import types

from imbrex import _command_line, _core


def _module_as(name, module):
    """Makes the module importable under the name that programs use."""
    sys.modules[name] = module


def _start_processes(count):
    """Starts this program again, in that many processes."""
    program = [sys.executable, "-m", "imbrex.charm4py", *sys.argv[1:]]
    os.execv(_command_line.command(), ["imbrex", "run", "-n", str(count), *program])


def _wanted_processes(words):
    for word, following in itertools.pairwise([*words, ""]):
        number = following if word == "+p" else word[2:] if word.startswith("+p") else ""
        if number.isdigit():
            return int(number)
    return None


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: python -m imbrex.charm4py PROGRAM [ARGUMENTS]")
    try:
        with open(sys.argv[1], "rb") as file:
            text = file.read()
    except OSError as e:  # each process reports it, as with `python prog.py`
        sys.exit(f"imbrex.charm4py: cannot read the program {sys.argv[1]}: {e.strerror}")
    wanted = _wanted_processes(sys.argv[2:])
    there_are = _core.num_processes()
    if wanted is not None and wanted != there_are:
        if there_are == 1:
            _start_processes(wanted)
        if _core.process() == 0:
            print(f"imbrex: +p{wanted}: this job has {there_are} processes, as given to imbrex run", file=sys.stderr)
    from imbrex import charm4py
    _module_as("charm4py", charm4py)
    for name in ("ray", "threads", "wait"):
        _module_as(f"charm4py.{name}", getattr(charm4py, name))
    del sys.argv[0]
    path = os.path.abspath(sys.argv[0])
    sys.path[0] = os.path.dirname(path)
    program = types.ModuleType("__main__")
    program.__file__ = path
    program.__builtins__ = __builtins__
    sys.modules["__main__"] = program
    exec(compile(text, path, "exec"), program.__dict__)


main()
