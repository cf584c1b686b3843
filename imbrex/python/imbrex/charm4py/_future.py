# SPDX-License-Identifier: Apache-2.0
"""Futures: values that come later, for coroutines of the PE that made them."""

from imbrex.charm4py import _coroutines


class Future:
    """Receives `num_vals` values by `send`, or by a call of it, from anywhere. `get` suspends the coroutine until they
    are there, and gives the value, or the list of several."""

    def __init__(self, num_vals=1):
        node = _coroutines.here()
        self._count = num_vals
        self._values = []
        self._wakes = []
        self._pe = node.pe
        self._number = node.keep_future(self)

    def __reduce__(self):
        return _future_at, (self._pe, self._number)

    def ready(self):
        return len(self._values) >= self._count

    def get(self):
        if not self.ready():
            wake = _coroutines.waker()
            self._wakes.append(wake)
            _coroutines.suspend()
        for value in self._values:
            if isinstance(value, _coroutines.Raised):
                raise value.exception
        return self._values[0] if self._count == 1 else list(self._values)

    def send(self, result=None):
        self._values.append(result)
        if self.ready():
            wakes, self._wakes = self._wakes, []
            for wake in wakes:
                wake(self)

    def __call__(self, result=None):
        self.send(result)

    def when_ready(self, wake):
        """Calls `wake` with this future once it is ready, perhaps at once; for waits on several futures."""
        if self.ready():
            wake(self)
        else:
            self._wakes.append(wake)


class RemoteFuture:
    """A reference to a future of another PE, for sending values."""

    def __init__(self, pe, number):
        self._pe, self._number = pe, number

    def __reduce__(self):
        return _future_at, (self._pe, self._number)

    def send(self, result=None):
        _coroutines.here().send(self._pe, "future", self._number, result)

    def __call__(self, result=None):
        self.send(result)

    def fetch(self):
        """A future on this PE that receives the other one's value."""
        own = Future()
        _coroutines.here().send(self._pe, "fetch", self._number, own)
        return own

    def get(self):
        return self.fetch().get()


class _Lost:
    """Stands for a future that no longer exists."""

    def send(self, result=None):
        pass

    __call__ = send


def _future_at(pe, number):
    node = _coroutines.here()
    if node.pe != pe:
        return RemoteFuture(pe, number)
    return node.futures.get(number) or _Lost()
