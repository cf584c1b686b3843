# SPDX-License-Identifier: Apache-2.0
"""Chare classes of C++, which modules define by `imbrex/python/native.hpp`."""

from imbrex import _creation


class NativeChare:
    """The base of the chare classes that modules of C++ define. `Block.array(shape, ...)` makes an array,
    `Block.group(...)` a chare on each PE, `Block.chare(...)` one chare. Proxies are used like those of chares of
    Python."""

    def __new__(cls, *_arguments, **_named):
        raise TypeError(f"{cls.__qualname__} is a chare class: make chares by {cls.__qualname__}.array(shape, ...), "
                        f".group(...) or .chare(...)")

    @classmethod
    def array(cls, shape, /, *arguments, placement=_creation.in_bricks, named=None, **keywords):
        """An array of chares, each constructed from the arguments; see `imbrex.array`."""
        return _creation.array(cls, shape, *arguments, placement=placement, named=named, **keywords)

    @classmethod
    def sparse_array(cls, shape, /, *, named=None):
        """An array without elements at first; see `imbrex.sparse_array`."""
        return _creation.sparse_array(cls, shape, named=named)

    @classmethod
    def group(cls, /, *arguments, **keywords):
        """One chare on each PE; see `imbrex.group`."""
        return _creation.group(cls, *arguments, **keywords)

    @classmethod
    def chare(cls, /, *arguments, on=None, priority=0, **keywords):
        """A single chare; see `imbrex.chare`."""
        return _creation.chare(cls, *arguments, on=on, priority=priority, **keywords)


def make_class(module, name, text):
    """The type that stands for a class of a module."""
    return type(name, (NativeChare,), {"__module__": module, "__doc__": text, "__slots__": ()})


def describe(cls, line):
    """Adds the signature of a member to the help of its class."""
    cls.__doc__ = f"{cls.__doc__}\n\n    {line}" if cls.__doc__ else f"    {line}"
