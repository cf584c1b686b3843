# SPDX-License-Identifier: Apache-2.0
"""Phases and marks that a program adds to its trace. Without --trace they do nothing."""

import contextlib
import operator
import sys

from imbrex import _core


def _check(what, name, value):
    if not isinstance(name, str):
        raise TypeError(f"imbrex.{what} takes a name first, a str, not {name!r}")
    if not hasattr(value, "__index__") or not -2**63 <= value < 2**63:
        raise TypeError(f"imbrex.{what} takes a number of 64 bits second, such as that of an iteration, not {value!r}")


class phase:
    """`with phase(name, value=0)`: a named part of the run in its trace (`--trace`), with a number such as that of an
    iteration. It may contain an await. `imbrex trace report`, `tune` and `overlap` take the name as `--phase`."""

    def __init__(self, name, value=0):
        _check("phase", name, value)
        self._name, self._value = name, operator.index(value)
        self._open = {}  # by the frame that holds the block: those of several chares overlap

    def __enter__(self):
        begun = _core.Phase(self._name, self._value)
        begun.__enter__()
        self._open.setdefault(_frame_of_block(), []).append(begun)
        return self

    def __exit__(self, *raised):
        frame = _frame_of_block()
        begun = self._open[frame]
        begun.pop().__exit__()
        if not begun:
            del self._open[frame]


def _frame_of_block():
    """The frame of the function with the `with` statement, also if an ExitStack is in between."""
    frame = sys._getframe(2)
    while frame.f_globals.get("__name__") == contextlib.__name__:
        frame = frame.f_back
    return frame


def mark(name, value=0):
    """A moment under a name in the trace of the run."""
    _check("mark", name, value)
    _core.mark(name, operator.index(value))
