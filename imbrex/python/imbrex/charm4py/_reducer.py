# SPDX-License-Identifier: Apache-2.0
"""Reducers: functions of a list of contributions."""

import builtins
import functools
import operator


def _is_vector(value):
    return isinstance(value, (list, tuple)) or hasattr(value, "__array__") and getattr(value, "ndim", 0) > 0 \
        or type(value).__name__ == "array"


def _by_elements(function, contributions):
    """Applies the function to all values; to vectors element by element."""
    first = contributions[0]
    if not _is_vector(first):
        return function(contributions)
    if hasattr(first, "ndim"):
        return functools.reduce(lambda a, b: _combined(function, a, b), contributions)
    return [function(values) for values in zip(*contributions, strict=True)]


def _combined(function, a, b):
    import numpy
    return {sum: numpy.add, product: numpy.multiply, max: numpy.maximum, min: numpy.minimum,
            logical_and: numpy.logical_and, logical_or: numpy.logical_or,
            logical_xor: numpy.logical_xor}[function](a, b)


def sum(contributions):
    if _is_vector(contributions[0]):
        return _by_elements(sum, contributions)
    return builtins.sum(contributions[1:], start=contributions[0])


def product(contributions):
    if _is_vector(contributions[0]):
        return _by_elements(product, contributions)
    return functools.reduce(operator.mul, contributions)


def max(contributions):
    return _by_elements(max, contributions) if _is_vector(contributions[0]) else builtins.max(contributions)


def min(contributions):
    return _by_elements(min, contributions) if _is_vector(contributions[0]) else builtins.min(contributions)


def logical_and(contributions):
    return _by_elements(logical_and, contributions) if _is_vector(contributions[0]) else all(contributions)


def logical_or(contributions):
    return _by_elements(logical_or, contributions) if _is_vector(contributions[0]) else any(contributions)


def logical_xor(contributions):
    if _is_vector(contributions[0]):
        return _by_elements(logical_xor, contributions)
    return builtins.sum(builtins.bool(c) for c in contributions) % 2 == 1


def gather(contributions):
    """Joins lists of pairs of an index and a value, which are sorted by index at the end."""
    return [pair for some in contributions for pair in some]


def nop(contributions):
    return None


def _with_index(data, contributor):
    return [(contributor._c4.sort_key, data)]


def _values_in_order(pairs):
    return [value for _, value in sorted(pairs, key=lambda pair: pair[0])]


class Reducers:
    """The class of the programs' `Reducer`."""

    def __init__(self):
        for function in (sum, product, max, min, logical_and, logical_or, logical_xor, gather, nop):
            setattr(self, function.__name__, function)
        self._before = {"gather": _with_index}
        self._after = {"gather": _values_in_order}

    def addReducer(self, func, pre=None, post=None):
        setattr(self, func.__name__, func)
        if pre is not None:
            self._before[func.__name__] = pre
        if post is not None:
            self._after[func.__name__] = post

    def name_of(self, function):
        name = function.__name__
        if getattr(self, name, None) is not function:
            raise ValueError(f"{name} is no reducer: Reducer.addReducer({name}) makes it one, in all processes")
        return name

    def before(self, name, data, contributor):
        function = self._before.get(name)
        return data if function is None else function(data, contributor)

    def after(self, name, result):
        function = self._after.get(name)
        return result if function is None else function(result)


Reducer = Reducers()
