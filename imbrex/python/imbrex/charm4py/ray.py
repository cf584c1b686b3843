# SPDX-License-Identifier: Apache-2.0
"""The module that programs import as charm4py.ray: tasks and actors whose arguments may be futures."""

import copyreg

from imbrex.charm4py import _chare, _coroutines
from imbrex.charm4py._future import Future, RemoteFuture

_kept = []  # keeps futures for later requests of their values


def init(*arguments, **named):
    """Does nothing."""


def _keep(future):
    _kept.append(future)
    return future


def _resolved(values):
    fetched = [v.fetch() if isinstance(v, RemoteFuture) else v for v in values]
    return [v.get() if isinstance(v, Future) else v for v in fetched]


class RemoteFunction:
    def __init__(self, function):
        self._function = function
        self.__name__ = self.__qualname__ = function.__qualname__
        self.__module__ = function.__module__

    def __reduce__(self):
        return self.__qualname__

    def __call__(self, *args):
        return self._function(*args)

    def remote(self, *args):
        from imbrex.charm4py._charm import charm
        return _keep(charm.pool.Task(_call, (self, args), ret=True))


def _call(function, args):
    return function(*_resolved(args))


class RemoteClass:
    def __init__(self, cls):
        self._cls = type(Actor)(cls.__name__, (cls, Actor), {"__module__": cls.__module__, "_c4_wrapper": self})
        self.__name__ = self.__qualname__ = cls.__qualname__
        self.__module__ = cls.__module__

    def __reduce__(self):
        return self.__qualname__

    def remote(self, *args):
        return ActorProxy(_chare.Chare(self._cls, args=args))


class Actor(_chare.Chare):
    @_chare.coro
    def _c4_call(self, name, args):
        return getattr(self, name)(*_resolved(args))


def _class_in(wrapper):
    return wrapper._cls


def _reduced_class(cls):
    wrapper = cls.__dict__.get("_c4_wrapper")
    return cls.__qualname__ if wrapper is None else (_class_in, (wrapper,))


copyreg.pickle(_chare._Kind, _reduced_class)


class ActorProxy:
    def __init__(self, proxy):
        self._proxy = proxy

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return ActorMethod(self._proxy, name)

    def __reduce__(self):
        return ActorProxy, (self._proxy,)


class ActorMethod:
    def __init__(self, proxy, name):
        self._proxy, self._name = proxy, name

    def remote(self, *args):
        return _keep(self._proxy._c4_call(self._name, args, ret=True))


def remote(target):
    return RemoteClass(target) if isinstance(target, type) else RemoteFunction(target)


def put(value):
    future = _keep(Future())
    future.send(value)
    return future


def get(futures):
    return _resolved(futures) if isinstance(futures, (list, tuple)) else _resolved([futures])[0]


def wait(futures, num_returns=1, timeout=None):
    """The ready futures, at least that many, and the others."""
    ready = []
    wakes = []

    def note(one):
        ready.append(one)
        if wakes and len(ready) >= num_returns:
            wakes.pop()()
    own = {id(f.fetch() if isinstance(f, RemoteFuture) else f): f for f in futures}
    for one in futures:
        one.when_ready(note)
    if len(ready) < num_returns:
        wakes.append(_coroutines.waker())
        _coroutines.suspend()
    done = {id(f) for f in ready}
    return [f for k, f in own.items() if k in done], [f for k, f in own.items() if k not in done]
