# SPDX-License-Identifier: Apache-2.0
"""Exceptions of the runtime, and how exceptions travel between processes."""

import pickle
import traceback
import types

from imbrex import _pickling


class Error(Exception):
    """The runtime refuses something: its text says what, and what to do instead."""


class UsageError(Error):
    """The command line or the settings ask for something impossible."""


class RemoteError(Error):
    """An exception that could not travel: its text has the original's type and text."""


class RemoteTraceback(Exception):
    """The cause of an exception that was raised elsewhere: where, and its traceback."""

    def __str__(self):
        return self.args[0]


def pack(exception, who):
    """The exception in words, and in bytes that `unpack` makes it of again."""
    lines = traceback.format_exception(type(exception), exception, exception.__traceback__)
    trace = "".join(lines).rstrip("\n")
    last = "".join(traceback.format_exception_only(type(exception), exception)).rstrip("\n")
    words = last + "\n" + "\n".join("  " + line for line in trace.split("\n"))
    where = f"{who}:\n{trace}" if who else trace
    try:
        form = _pickling.dumps((exception, where))
        pickle.loads(form)
    except Exception:
        form = pickle.dumps((None, f"{last}\n\n{where}"))
    return words, form


def unpack(form, words):
    """The exception again, with what `pack` knew of it as its cause."""
    try:
        exception, where = pickle.loads(form)
    except Exception:
        exception, where = None, words
    if exception is None:
        exception = RemoteError(words.split("\n", 1)[0])
    exception.__cause__ = RemoteTraceback("\n\n" + where)
    return exception


def place(awaitable):
    """Where a coroutine waits, the innermost place: "prog.py:12, in run"."""
    found = "an unknown place"
    while isinstance(awaitable, types.CoroutineType):
        frame = awaitable.cr_frame
        if frame is not None:
            found = f"{frame.f_code.co_filename}:{frame.f_lineno}, in {frame.f_code.co_name}"
        awaitable = awaitable.cr_await
    return found
