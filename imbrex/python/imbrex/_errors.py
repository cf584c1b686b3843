# SPDX-License-Identifier: Apache-2.0
"""Exceptions of the runtime, and how exceptions travel between processes."""

import pickle
import traceback
import types

from imbrex import _pickling


#: The public module of these classes, for tracebacks and pickle.
_PACKAGE = "imbrex"


class Error(Exception):
    """The runtime has refused a call. The text names the reason and the remedy."""
    __module__ = _PACKAGE


class UsageError(Error):
    """The command line or the settings are invalid."""
    __module__ = _PACKAGE


class RemoteError(Error):
    """An exception that cannot be pickled. Its text has the type and text of the original."""
    __module__ = _PACKAGE


class RemoteTraceback(Exception):
    """The cause of an exception of another process: its place and its traceback."""
    __module__ = _PACKAGE

    def __str__(self):
        return self.args[0]


_OF_ASYNCIO = "an entry awaits functions of imbrex, such as imbrex.sleep: asyncio's are for programs beside a session"


def pack(exception, who):
    """The exception as text, and as bytes for `unpack`."""
    if type(exception) is RuntimeError and exception.args == ("no running event loop",) and \
            _OF_ASYNCIO not in getattr(exception, "__notes__", ()):
        exception.add_note(_OF_ASYNCIO)
    lines = traceback.format_exception(type(exception), exception, exception.__traceback__)
    trace = "".join(lines).rstrip("\n")
    last = _last_line(exception)
    words = last + "\n" + "\n".join("  " + line for line in trace.split("\n"))
    where = f"{who}:\n{trace}" if who else trace
    try:
        form = _pickling.dumps((exception, where))
        again, _ = pickle.loads(form)
        if not _are_alike(again.args, exception.args):  # the constructor uses its arguments differently
            form = _form_without_constructor(exception, where) or form
    except Exception:
        form = _form_without_constructor(exception, where) or pickle.dumps((None, f"{last}\n\n{where}"))
    return _as_text(words), form


def _last_line(exception):
    """The last line of the traceback: type and text."""
    return "".join(traceback.format_exception_only(type(exception), exception)).rstrip("\n")


def _as_text(words):
    """The text without characters that C++ texts cannot hold: zeros and lone surrogates, as file names may have."""
    return words.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


def _are_alike(some, others):
    try:
        if some == others:
            return True
    except Exception:  # as arrays do
        pass
    return _pickling.dumps(some) == _pickling.dumps(others)


def _again(cls, arguments, state):
    exception = cls.__new__(cls, *arguments)
    exception.args = arguments
    exception.__dict__.update(state)
    return exception


class _WithoutConstructor:
    """An exception whose constructor has other parameters than the base's arguments, which pickle would pass to it.
    Exceptions of a group travel in the same way if necessary."""

    def __init__(self, exception):
        self._exception = exception

    def __reduce__(self):
        e = self._exception
        args = (e.message, [_travelling(one) for one in e.exceptions]) if isinstance(e, BaseExceptionGroup) else e.args
        return _again, (type(e), args, e.__dict__)


def _travelling(exception):
    """The form in which an exception of a group is pickled: itself, its parts without the constructor, or its text."""
    try:
        if _are_alike(pickle.loads(_pickling.dumps(exception)).args, exception.args):
            return exception
    except Exception:
        pass
    if _form_without_constructor(exception, "") is not None:
        return _WithoutConstructor(exception)
    return RemoteError(_last_line(exception))


def _form_without_constructor(exception, where):
    """The pickled exception, restored without its constructor. None if the class defines its own pickling, or cannot
    be pickled."""
    if type(exception).__reduce__ is not BaseException.__reduce__:
        return None
    try:
        form = _pickling.dumps((_WithoutConstructor(exception), where))
        pickle.loads(form)
        return form
    except Exception:
        return None


def unpack(form, words):
    """Restores the exception; its cause is the text that `pack` stored."""
    try:
        exception, where = pickle.loads(form)
    except Exception:
        exception, where = None, words
    if exception is None:
        exception = RemoteError(words.split("\n", 1)[0])
    exception.__cause__ = RemoteTraceback("\n\n" + where)
    return exception


def _raise(form, words):
    raise unpack(form, words)


class Raising:
    """Raises an exception packed by `pack` when it is unpickled."""

    def __init__(self, form, words):
        self._packed = form, words

    def __reduce__(self):
        return _raise, self._packed


#: By the code of a coroutine that waits for others of another kind: a function of its frame that lists their places.
places = {}


def place(awaitable):
    """The innermost line at which a coroutine waits: "prog.py:12, in run"."""
    found = "an unknown location"
    while isinstance(awaitable, types.CoroutineType):
        frame = awaitable.cr_frame
        if frame is not None and frame.f_code in places:
            found = "; ".join(places[frame.f_code](frame)) or "no coroutine of the program"
        elif frame is not None:
            found = f"{frame.f_code.co_filename}:{frame.f_lineno}, in {frame.f_code.co_name}"
        awaitable = awaitable.cr_await
    return found
