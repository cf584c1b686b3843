# SPDX-License-Identifier: Apache-2.0
"""Values with the classes and functions that they need, for processes that do not run the same program: by cloudpickle,
which sends by value what `__main__`, and so each cell of a notebook, defines.

A chare class has a number in a session, by which it goes once all processes have it.
"""

import io
import types

try:
    import cloudpickle
except ImportError as e:
    raise ImportError("sessions of imbrex (imbrex.start) need cloudpickle: pip install cloudpickle") from e

from imbrex import _classes

_numbers = {}
_by_number = {}


def _numbered(number):
    return _by_number[number]


def _code_of_file(name, parts):
    return types.CodeType(*parts).replace(co_filename=name)


def learn(cls, number):
    """Notes that all processes have the class under that number."""
    _numbers[cls] = number
    _by_number[number] = cls


def forget_all():
    _numbers.clear()
    _by_number.clear()


def knows(cls):
    return cls in _numbers


class Pickler(cloudpickle.Pickler):
    """Pickles values and notes chare classes without a number. Code objects keep their file name for tracebacks, which
    newer versions of cloudpickle drop."""

    def __init__(self, file, **options):
        super().__init__(file, **options)
        self.new_classes = []

    def reducer_override(self, obj):
        if isinstance(obj, type) and issubclass(obj, _classes.Chare) and obj is not _classes.Chare:
            number = _numbers.get(obj)
            if number is not None:
                return _numbered, (number,)
            self.new_classes.append(obj)
        if isinstance(obj, types.CodeType):
            _, parts = self.dispatch_table[types.CodeType](obj)
            return _code_of_file, (obj.co_filename, parts)
        return super().reducer_override(obj)


def dumps(value, protocol=5, buffer_callback=None, pickler=Pickler):
    with io.BytesIO() as file:
        pickler(file, protocol=protocol, buffer_callback=buffer_callback).dump(value)
        return file.getvalue()
