# SPDX-License-Identifier: Apache-2.0
"""Strategies of the balancer in Python."""

import os
import traceback

from imbrex import _core, _errors

#: The functions of `strategy`, by name.
_functions = {}


def strategy(name, /, *, edges=False):
    """Makes a function a strategy of the balancer, which `--balance NAME` selects. Register it before `imbrex.run`, in
    all processes. The function takes a `Problem` and returns a PE for each object, as integers. It has no effects, and
    answers the same to the same problem. It runs on PE 0. With `edges`, messages between objects are sampled, so that
    the problem has edges."""
    if not isinstance(name, str) or not name:
        raise TypeError(f"@imbrex.strategy takes a name, such as @imbrex.strategy('mine'), not {name!r}")
    if name not in _functions and name in _core.strategy_names():
        raise _errors.UsageError(f"there is a strategy {name!r} already: give this one another name")

    def register(function):
        if not callable(function):
            raise TypeError(f"a strategy is a function of a problem, not {function!r}")
        if name not in _functions:
            _core.add_strategy(name, bool(edges))
        _functions[name] = function
        return function
    return register


class Problem:
    """The objects of a run with their loads and PEs, for a strategy. The arrays are read-only."""

    __slots__ = ("bytes", "coordinates", "edge_bytes", "edges", "load", "messages", "movable", "node", "pe", "pes",
                 "seed")

    def __init__(self, load, pe, *, pes, movable=None, bytes=None, messages=None, coordinates=None, edges=None,
                 edge_bytes=None, node=None, seed=0):
        import numpy

        def kept(values, kind, default):
            array = numpy.array(default() if values is None else values, dtype=kind)
            array.setflags(write=False)
            return array
        self.pe = kept(pe, numpy.int32, None)
        count = len(self.pe)
        self.load = kept(load, numpy.float64, lambda: numpy.zeros(count))
        self.movable = kept(movable, numpy.bool_, lambda: numpy.ones(count))
        self.bytes = kept(bytes, numpy.float32, lambda: numpy.zeros(count))
        self.messages = kept(messages, numpy.float32, lambda: numpy.zeros(count))
        self.coordinates = kept(coordinates, numpy.float32, lambda: numpy.zeros((count, 0)))
        self.edges = kept(edges, numpy.uint32, lambda: numpy.zeros((0, 2)))
        self.edge_bytes = kept(edge_bytes, numpy.float32, lambda: numpy.ones(len(self.edges)))
        self.node = kept(node, numpy.int32, lambda: numpy.zeros(pes))
        self.pes = pes
        self.seed = seed
        if self.coordinates.ndim != 2 or len(self.coordinates) != count:
            raise ValueError(f"the coordinates have the shape {self.coordinates.shape}: give a row for each of the "
                             f"{count} objects")
        if self.bytes.shape != (count,) or self.messages.shape != (count,):
            raise ValueError(f"the sent bytes and messages have the shapes {self.bytes.shape} and "
                             f"{self.messages.shape}: give one of each for each of the {count} objects")
        if self.edges.ndim != 2 or self.edges.shape[1] != 2:
            raise ValueError(f"the edges have the shape {self.edges.shape}: give a row of two objects for each edge")

    def solve(self, strategy):
        """The PEs of the objects by the strategy of that name: one of the library or a registered one."""
        return _core.solve(strategy, self)


def solve_by_function(name, problem):
    """Calls the function of a strategy; returns its answer as an array of int32. All that goes wrong is an Error whose
    text names the strategy."""
    try:
        return _pes_in(_functions[name](problem))
    except _WrongAnswer as e:
        raise _errors.Error(f"the strategy {name!r} returned {e}") from None
    except Exception as e:
        last = traceback.extract_tb(e.__traceback__)[-1]
        line = traceback.format_exception_only(e)[-1].strip()
        raise _errors.Error(f"the strategy {name!r} raised {line} "
                            f"({os.path.basename(last.filename)}, line {last.lineno})") from None


class _WrongAnswer(Exception):
    pass


def _pes_in(answer):
    import numpy
    pes = numpy.asarray(answer)
    if pes.ndim != 1 or pes.dtype.kind not in "iu":
        what = f"an array of {pes.dtype} with {pes.ndim} dimensions" if pes is answer else f"a {type(answer).__name__}"
        raise _WrongAnswer(f"{what}: let it return an integer for each object")
    small = pes.astype(numpy.int32)
    for i in numpy.flatnonzero(small != pes):
        raise _WrongAnswer(f"PE {pes[i]} for object {i}: there is no such PE")
    return small
