# SPDX-License-Identifier: Apache-2.0
"""The operations of reductions. Arrays of NumPy are combined element by element."""

import builtins
import operator

_NAMES = ("none", "sum", "product", "min", "max", "all", "any", "bit_and", "bit_or", "bit_xor", "gather", "function")


class Operation:
    """An operation of reductions. Any function of two values is one, too, if all processes can import it."""

    __slots__ = ("kind",)

    def __init__(self, kind):
        self.kind = kind

    def __repr__(self):
        return f"imbrex.{_NAMES[self.kind]}"

    def __reduce__(self):
        return _NAMES[self.kind]  # unpickling yields the same object in every process


sum, product, min, max, all, any, bit_and, bit_or, bit_xor, gather = (Operation(k) for k in range(1, 11))


def _is_array(value):
    return type(value).__module__ == "numpy" and hasattr(value, "shape")


def _smaller(a, b):
    if _is_array(a) or _is_array(b):
        import numpy
        return numpy.minimum(a, b)
    return b if b < a or b != b else a  # NaN propagates


def _larger(a, b):
    if _is_array(a) or _is_array(b):
        import numpy
        return numpy.maximum(a, b)
    return b if a < b or b != b else a


def _both(a, b):
    if _is_array(a) or _is_array(b):
        import numpy
        return numpy.logical_and(a, b)
    return bool(a) and bool(b)


def _either(a, b):
    if _is_array(a) or _is_array(b):
        import numpy
        return numpy.logical_or(a, b)
    return bool(a) or bool(b)


#: By kind; None where no two values are combined.
functions = (None, operator.add, operator.mul, _smaller, _larger, _both, _either, operator.and_, operator.or_,
             operator.xor, None)


def kind_of(operation):
    """The number of an operation; a function of two values has the number of `function`."""
    if isinstance(operation, Operation):
        return operation.kind
    for own in (sum, min, max, all, any):
        if operation is getattr(builtins, _NAMES[own.kind]):
            return own.kind
    if callable(operation):
        return len(functions)
    raise TypeError(f"{operation!r} is no operation of a reduction: give imbrex.sum or its like, or a function of two "
                    f"values")


def name_of(kind, function):
    """The name of an operation in errors."""
    if kind < len(functions):
        return f"imbrex.{_NAMES[kind]}"
    return getattr(function, "__qualname__", None) or type(function).__qualname__
