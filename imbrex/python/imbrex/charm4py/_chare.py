# SPDX-License-Identifier: Apache-2.0
"""Chares, how they are created, and their proxies."""

import functools
import inspect
import operator

from imbrex.charm4py import _coroutines, wait
from imbrex.charm4py._channel import Queue
from imbrex.charm4py._reducer import Reducer


def coro(function):
    """Decorates a method or a pool's task that may wait: it runs in a greenlet."""
    function._c4_is_coro = True
    return function


threaded = coro  # the older name of `coro`


def coro_ext(event_notify=False):
    """`coro` with options of charm4py's. Imbrex does not support the notification of waits."""
    if event_notify:
        raise NotImplementedError("coro_ext(event_notify=True): imbrex notifies no chare when its coroutines wait; "
                                  "leave it out")
    return coro


def when(condition):
    """Messages to the method wait until the condition, a text on `self` and the arguments, holds."""
    def with_condition(function):
        names = list(inspect.signature(function).parameters)[1:]
        function._c4_when = (condition, {name: place for place, name in enumerate(names)})
        return function
    return with_condition


def register(cls):
    return cls


@functools.cache
def condition_of(function):
    text, places = function._c4_when
    return wait.parse_cond_str(text, function.__module__, places)


class _Kind(type):
    def __call__(cls, *arguments, **named):
        if cls is Chare:
            return _make_chare(*arguments, **named)
        return super().__call__(*arguments, **named)


class Chare(metaclass=_Kind):
    """The base of chare classes. Chare(T, args=[], onPE=-1) makes a single chare."""

    def __new__(cls, *arguments, **named):
        self = super().__new__(cls)
        self._c4 = None
        return self

    def __reduce__(self):
        return _chare_here, (self._c4.collection, self._c4.index)

    @property
    def thisIndex(self):
        return self._c4.index

    @property
    def thisProxy(self):
        return self._c4.proxy

    @property
    def migratable(self):
        return self._c4.is_migratable

    @property
    def _numthreads(self):
        return self._c4.threads

    def wait(self, condition):
        """Suspends the coroutine until the condition, a text on `self`, holds."""
        module = type(self).__module__
        cond = wait.parse_cond_str(condition, module)
        if not cond.holds(self):
            self._c4.waits.append((cond, _coroutines.waker()))
            _coroutines.suspend()

    def reduce(self, callback, data=None, reducer=None, section=None):
        self._c4.contribute(self, callback, data, reducer, section)

    def contribute(self, data, reducer, callback, section=None):
        self._c4.contribute(self, callback, data, reducer, section)

    def allreduce(self, data=None, reducer=None, section=None):
        return self._c4.contribute(self, None, data, reducer, section)

    def migrate(self, toPe):
        _coroutines.here().migrate(self, toPe)

    def migrated(self):
        """Called on the destination PE after a migration."""

    def resumeFromSync(self):
        """Called after balancing."""

    def setMigratable(self, migratable):
        self._c4.is_migratable = migratable

    def AtSync(self):
        _coroutines.here().at_sync(self)


class ArrayMap(Chare):
    """Maps array elements to PEs: a group whose `procNum(index)` is the PE on which an element is created."""


def _chare_here(collection, index):
    return _coroutines.here().collections[collection].elements[index]


def _state_here(collection, index):
    return _chare_here(collection, index)._c4


class State:
    """The runtime's state of a chare, `chare._c4`."""

    def __init__(self, proxy, collection, index, is_measured=False):
        self.proxy = proxy
        self.is_measured = is_measured
        self.collection = collection
        self.index = index
        self.sort_key = (collection, index if isinstance(index, tuple) else (index,))
        self.is_migratable = True
        self.threads = 0
        self.load = 0.0
        self.waits = []      # (condition, wake)
        self.tagged = {}     # method -> tag -> messages
        self.held = []       # messages with other conditions
        self.reductions = {}  # array or section -> number of the next reduction
        self.sections = set()
        self.channels = {}
        self.channel_counts = {}
        self.is_busy = False
        self.is_named = False  # the trace has its name

    @property
    def numbers(self):
        """Numbers of the collection and of the chare in a trace."""
        pe, number = self.collection >> 40, self.collection & 0xfffff
        return 0x40000000 | (pe & 0x3ff) << 20 | number, hash(self.sort_key) & 0x7fffffffffffffff

    def __reduce__(self):
        """Pickled inside a chare's migrating state as a reference to the state on the destination."""
        return _state_here, (self.collection, self.index)

    def name(self, chare):
        """The chare in messages to users: Worker(3)."""
        at = self.index if isinstance(self.index, tuple) else (self.index,)
        return f"{type(chare).__qualname__}({', '.join(map(str, at))})"

    def new_channel(self, remote):
        other = remote.collection, remote.index
        number = self.channel_counts.get(other, 0)
        self.channel_counts[other] = number + 1
        key = (*other, number)
        self.channel(key)
        return key

    def channel(self, key):
        if key not in self.channels:
            self.channels[key] = Queue()
        return self.channels[key]

    def contribute(self, chare, callback, data, reducer, section):
        key = self.collection if section is None else section.key
        number = self.reductions.get(key, 0)
        self.reductions[key] = number + 1
        name = None if reducer is None or data is None and reducer is not Reducer.gather else Reducer.name_of(reducer)
        value = None if name is None else Reducer.before(name, data, chare)
        return _coroutines.here().contribute(key, number, name, value, callback)


def _ints(given, what):
    """An index or a shape."""
    at = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    try:
        return tuple(map(operator.index, at))
    except TypeError:
        raise TypeError(f"{what} is an int, or a tuple of ints, not {given!r}") from None


class Proxy:
    """Names a chare, a collection or a section of chares."""

    def __init__(self, cls, collection, dims=None, index=None, section_key=None, is_single=False, onto=None):
        self._cls, self._dims, self._is_single, self._onto = cls, dims, is_single, onto
        self.collection, self.index, self.section_key = collection, index, section_key
        self._identity = (collection, index, section_key)

    def __reduce__(self):
        return Proxy, (self._cls, self.collection, self._dims, self.index, self.section_key, self._is_single,
                       self._onto)

    def __eq__(self, other):
        return isinstance(other, Proxy) and self._identity == other._identity

    def __hash__(self):
        return hash(self._identity)

    def __repr__(self):
        return f"<proxy of {self._cls.__name__} {self._identity}>"

    @property
    def key(self):
        return self.collection if self.section_key is None else self.section_key

    @property
    def issec(self):
        return self.section_key is not None

    @property
    def section(self):
        if self.section_key is None:
            raise AttributeError("this proxy is of no section")
        return self.section_key

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        getattr(self._cls, name)
        method = self.__dict__[name] = RemoteMethod(self, name)  # cached for the next lookup
        return method

    def element(self, index):
        return self if self._is_single else Proxy(self._cls, self.collection, self._dims, index)

    def __getitem__(self, index):
        if self._is_single:
            return self
        slices = index if isinstance(index, tuple) else (index,)
        if any(isinstance(s, slice) for s in slices):
            if self._dims is None:
                raise IndexError("an array without bounds cannot be sliced")
            ranges = tuple(range(*s.indices(n)) if isinstance(s, slice) else range(s, s + 1)
                           for s, n in zip(slices, self._dims, strict=True))
            return _coroutines.here().split(self, 1, "ranges", ranges)[0]
        if self._cls_is_of_group():
            pes = range(self._dims[0]) if self._onto is True else self._onto
            if index not in pes:
                where = f"all {len(pes)} PEs" if self._onto is True else f"the PEs {', '.join(map(str, pes))}"
                raise IndexError(f"{index} is no PE of the group of {self._cls.__name__}, which is on {where}")
            return self.element(index)
        return self.element(self._place(index))

    def _place(self, index):
        at = _ints(index, f"an index of the array of {self._cls.__name__}")
        if self._dims is not None and len(at) != len(self._dims):
            raise IndexError(f"index {index} has {len(at)} dimensions, and the array of {self._cls.__name__} has the "
                             f"shape {self._dims}")
        return at

    def _cls_is_of_group(self):
        return self._onto is not None

    def ckInsert(self, index, args=(), onPE=-1):
        _coroutines.here().insert(self, self._place(index), list(args), onPE)

    def ckDoneInserting(self):
        _coroutines.here().done_inserting(self)


class RemoteMethod:
    """A method of a proxy's chares. A call sends a message; the object itself can be sent, to be called elsewhere."""

    __slots__ = ("name", "proxy")

    def __init__(self, proxy, name):
        self.proxy, self.name = proxy, name

    def __reduce__(self):
        return RemoteMethod, (self.proxy, self.name)

    def __call__(self, *args, awaitable=False, ret=False, **kwargs):
        return _coroutines.here().call(self.proxy, self.name, args, kwargs or None, awaitable or ret, ret)


def _check_class(cls):
    if not (isinstance(cls, type) and issubclass(cls, Chare)):
        raise TypeError(f"{cls!r} is no chare class: derive one from Chare, and give the class itself")


def _make_chare(chare_type, args=(), onPE=-1):
    _check_class(chare_type)
    return _coroutines.here().create(chare_type, "single", (1,), list(args), onPE, False, None)


def Group(chare_type, args=(), onPEs=None):
    """One chare on each PE, or on the PEs given."""
    _check_class(chare_type)
    return _coroutines.here().create(chare_type, "group", None, list(args), -1, False, onPEs)


def Array(chare_type, dims=None, ndims=-1, args=(), map=None, useAtSync=False):
    """An array of that shape; without one, of elements that ckInsert makes."""
    _check_class(chare_type)
    if dims is not None:
        given, dims = dims, _ints(dims, f"the shape of an array of {chare_type.__name__}")
        if any(n < 0 for n in dims):
            raise ValueError(f"an array of {chare_type.__name__} cannot have the shape {given}: each extent must be 0 "
                             f"or more")
    return _coroutines.here().create(chare_type, "array", dims, list(args), map, useAtSync, None)
