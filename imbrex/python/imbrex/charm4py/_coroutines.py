# SPDX-License-Identifier: Apache-2.0
"""Coroutines: what may wait runs in greenlets of a pool, for each new one costs a mapping of memory.

All else runs in the PE's own greenlet, the hub. Who makes a greenlet go on notes it in `ready`, and the hub resumes it
before it takes the next message.
"""

import collections
import pickle

try:
    import greenlet
except ImportError as e:
    raise ImportError("programs of charm4py need greenlet on imbrex: pip install greenlet") from e

from imbrex import _core

_DONE = object()
runtimes = {}


def here():
    """The runtime of this PE."""
    try:
        return runtimes[_core.pe()]
    except Exception:
        raise RuntimeError("this is available only in a program that charm.start has started") from None


def suspend():
    """Suspends the running coroutine until its waker is called."""
    runtime = here()
    if is_hub():
        raise RuntimeError("only coroutines can wait: decorate the method with @coro")
    runtime.hub.switch(None)


def is_hub():
    return greenlet.getcurrent() is here().hub


class turn:
    """Records in the trace that a method of a chare runs or resumes."""

    def __init__(self, chare, method, goes_on=False):
        self._chare, self._goes_on = chare, goes_on
        self._names = f"{type(chare).__qualname__}::{method}", *chare._c4.numbers
        self._is_recorded = False
        self.waits = False  # whether the method waits when the block ends

    def __enter__(self):
        self._is_recorded = (_core.resume_turn if self._goes_on else _core.begin_turn)(*self._names)
        state = self._chare._c4
        if self._is_recorded and not state.is_named:
            state.is_named = True
            _, collection, element = self._names
            _core.name_turns(collection, type(self._chare).__qualname__, element, state.name(self._chare))
        return self

    def __exit__(self, *raised):
        if not self._is_recorded:
            return
        if self.waits or self._goes_on:
            _core.suspend_turn(*self._names, not self.waits)
        if not self._goes_on:
            _core.end_turn()


class waker:
    """A callable that resumes the coroutine that made it, once."""

    def __init__(self):
        self._greenlet = greenlet.getcurrent()
        self._ready = here().ready

    def __call__(self, _=None):
        if self._greenlet is not None:
            self._ready.append(self._greenlet)
            self._greenlet = None


class Raised:
    """An exception received instead of a value."""

    def __init__(self, exception):
        self.exception = exception

    def __reduce__(self):
        try:
            pickle.loads(pickle.dumps(self.exception))
        except Exception:
            return Raised, (RuntimeError(f"{type(self.exception).__name__}: {self.exception}"),)
        return Raised, (self.exception,)


class Coroutines:
    """The part of a PE's runtime that handles coroutines."""

    def begin_coroutines(self):
        """In the hub."""
        self.records = _core.is_traced()
        self.hub = greenlet.getcurrent()
        self.ready = collections.deque()
        self.idle = []
        self.made = []

    def _switch(self, own, given):
        """Runs a greenlet until it waits or ends."""
        chare = own.chare
        if self.records and chare is not None:
            with turn(chare, own.method, given is None) as its:
                said = own.switch(given)
                its.waits = said is None
        else:
            said = own.switch(given)
        if said is not None:
            self.idle.append(own)
            own.chare = None
            if chare is not None:
                chare._c4.threads -= 1
            if said is not _DONE:
                raise said
        if chare is not None:
            self.flush(chare)
        return said is not None

    def places(self):
        """Positions of waiting coroutines, each with its chare; for deadlock reports of this PE."""
        found = []
        for own in self.made:
            frame = own.gr_frame
            if frame is None or own in self.idle:
                continue
            while frame.f_back is not None and frame.f_globals["__name__"].startswith("imbrex."):
                frame = frame.f_back
            code = frame.f_code
            whose = "" if own.chare is None else f" of {own.chare._c4.name(own.chare)}"
            found.append(f"{code.co_filename}:{frame.f_lineno}, in {code.co_name}{whose}")
        return found

    def start(self, chare, function, method=""):
        """Runs a function in a greenlet for a method of a chare. True if the function has ended."""
        if self.idle:
            own = self.idle.pop()
        else:
            own = greenlet.greenlet(self._work, self.hub)
            self.made.append(own)
        own.chare = chare
        own.method = method
        if chare is not None:
            chare._c4.threads += 1
        return self._switch(own, function)

    def _work(self, function):
        while True:
            said = _DONE
            try:
                function()
            except greenlet.GreenletExit:
                raise
            except BaseException as e:
                said = e
            function = self.hub.switch(said)
