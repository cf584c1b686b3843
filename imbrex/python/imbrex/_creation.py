# SPDX-License-Identifier: Apache-2.0
"""Creation of arrays, groups and single chares."""

import operator

from imbrex import _core, _errors, _saving

#: Equal, consecutive parts of an array on the PEs.
in_blocks = 0
#: The elements of an array are dealt out to the PEs one by one.
round_robin = 1
_SPARSE = 2
#: Equal parts of an array on the PEs; in two and three dimensions each node gets a box of neighbours.
in_bricks = 3
#: The session that makes chares for callers outside of a run; None if there is none.
beside = None


def _maker():
    return _core if beside is None or _core.in_run() else beside


def _shape(given):
    if given is None:  # the C++ side takes None for an array with keys
        raise TypeError("a shape is an int, or a tuple of 1 to 6 ints, not None; imbrex.keyed_array makes an array "
                        "with keys")
    return given


def _checked_name(cls, name):
    """The name of an array; empty if it has none."""
    if name is None:
        return ""
    if not isinstance(name, str) or not name:
        raise TypeError(f"the name of an array is a text, such as named='blocks', not {name!r}")
    _saving.check_class(cls)
    return name


def array(cls, shape, /, *arguments, placement=in_bricks, named=None, **keywords):
    """An array of chares, each constructed from the arguments. The shape is an int or a tuple of 1 to 6. Checkpoints
    save an array that is `named`, such as named="blocks"."""
    if placement not in (in_bricks, in_blocks, round_robin):
        raise ValueError(f"a placement is imbrex.in_bricks, in_blocks or round_robin, not {placement!r}")
    return _maker().make_array(cls, _shape(shape), placement, _checked_name(cls, named), arguments, keywords)


def sparse_array(cls, shape, /, *, named=None):
    """An array without elements at first: its `insert(index, ...)` creates them, anywhere inside the shape."""
    return _maker().make_array(cls, _shape(shape), _SPARSE, _checked_name(cls, named), (), {})


def keyed_array(cls, /, *, named=None):
    """An array whose elements have keys: a str, bytes, an int or a tuple of these. The array begins empty."""
    return _maker().make_array(cls, None, _SPARSE, _checked_name(cls, named), (), {})


def group(cls, /, *arguments, **named):
    """One chare on each PE."""
    return _maker().make_group(cls, arguments, named)


def chare(cls, /, *arguments, on=None, priority=0, **named):
    """A single chare, on that PE or on one of the runtime's choice."""
    if on is not None and (not hasattr(on, "__index__") or on < 0):
        raise ValueError(f"imbrex.chare takes the number of a PE as on, or None for one of the runtime's choice, not "
                         f"{on!r}")
    maker = _maker()
    if on is not None and (maker is beside or _core.in_run()):
        pes = _core.num_pes() if maker is _core else maker.num_pes
        if on >= pes:
            raise _errors.Error(f"imbrex.chare: there is no PE {on}; this run has PEs 0 to {pes - 1}")
    if not hasattr(priority, "__index__"):
        raise TypeError(f"imbrex.chare takes a priority of -32 to 31, not {priority!r}")
    if not -32 <= operator.index(priority) <= 31:
        raise ValueError(f"imbrex.chare: a priority of {priority!r}: it is -32 to 31, and lower ones go first")
    return maker.make_chare(cls, -1 if on is None else on, priority, arguments, named)
