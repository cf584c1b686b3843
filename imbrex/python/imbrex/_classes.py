# SPDX-License-Identifier: Apache-2.0
"""Chare classes: registration of class statements, and binding of calls to entries."""

import contextlib
import difflib
import inspect
import types

from imbrex import _core

_CONSTRUCTOR, _PLAIN, _COROUTINE, _MAILBOX, _CHANNEL, _DEVICE_CHANNEL = range(6)
_PROXY_NAMES = frozenset(name for name in dir(_core.Proxy) if not name.startswith("_"))
_CHARE_NAMES = frozenset(name for name in dir(_core.ChareBase) if not name.startswith("_"))
_postponed = None


def entry(function):
    """Makes a method an entry, which messages may call: a plain one, or `async def`, which may wait."""
    if not inspect.isfunction(function):
        raise TypeError(f"entry is for methods, not for {function!r}")
    if inspect.isasyncgenfunction(function) or inspect.isgeneratorfunction(function):
        raise TypeError(f"{function.__qualname__} is a generator: an entry is a plain function, or async def with "
                        f"await")
    function.__imbrex_entry__ = True
    return function


class _Port:
    """A port as declared in a chare class; each chare gets its own port of that name."""

    def __set_name__(self, owner, name):
        self._name = name

    def __get__(self, instance, owner):
        if instance is None:
            return self
        raise AttributeError(
            f"{owner.__qualname__}.{self._name} belongs to chares of a run: create one, as by imbrex.array")

    def __class_getitem__(cls, item):
        return cls


class Mailbox(_Port):
    """Values from other chares, each with a reference number. The chare's entries receive them in any order:
    `proxy.halo.send(3, face)` there, `await self.halo.receive(3)` here. Early values wait."""
    kind, text = _MAILBOX, "mailbox"


class Channel(_Port):
    """One end of an ordered two-way stream between two chares, each connected to the other:
    `self.right.connect(self.peers[i + 1].left)`, then `self.right.send(value)` and `await self.right.receive()`."""
    kind, text = _CHANNEL, "channel"


class DeviceChannel(_Port):
    """A channel of arrays in device memory. Each array is copied once, from the sender's memory to the receiver's
    destination: `lent = self.right.send(face)` there and `await self.left.receive(ghost)` here. The sender awaits
    `lent` before it changes the face."""
    kind, text = _DEVICE_CHANNEL, "device channel"


def _name_of(cls):
    return cls.__qualname__ if cls.__module__ == "__main__" else f"{cls.__module__}.{cls.__qualname__}"


def _beside_self(signature):
    """The parameters without self, which messages supply."""
    parameters = list(signature.parameters.values())
    takes_self_among_others = parameters and parameters[0].kind == inspect.Parameter.VAR_POSITIONAL
    return parameters if takes_self_among_others else parameters[1:]


def _count(signature):
    """Minimum and maximum of positional arguments (maximum -1: any), and whether some are keyword-only."""
    parameters = _beside_self(signature)
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    least = sum(1 for p in positional if p.default is p.empty)
    is_open = any(p.kind == p.VAR_POSITIONAL for p in parameters)
    has_keywords = any(p.kind == p.KEYWORD_ONLY and p.default is p.empty for p in parameters)
    return least, -1 if is_open else len(positional), has_keywords


def _text_of(signature):
    """The signature that processes compare: parameters without values and annotations, which may contain addresses."""
    return ", ".join(f"{p.kind.name} {p.name}" + ("" if p.default is p.empty else "=")
                     for p in signature.parameters.values())


def _member(name, kind, function):
    try:
        signature = inspect.signature(function)
    except ValueError as e:
        raise TypeError(f"{function!r} cannot be an entry: {e}") from None
    if not signature.parameters:
        raise TypeError(f"{function.__qualname__} has no self: an entry is a method")
    least, most, has_keywords = _count(signature)
    return name, kind, function, signature, _text_of(signature), least, most, has_keywords


def _replaced_by(cls):
    """The defined class of which this class is a new version, as by @dataclass(slots=True); None if there is none."""
    for known in reversed(_defined):
        old = known[0]
        if (old.__module__, old.__qualname__) != (cls.__module__, cls.__qualname__):
            continue
        own = [name for name, value in vars(old).items() if isinstance(value, (types.FunctionType, _Port))]
        return known if own and all(vars(cls).get(name) is vars(old)[name] for name in own) else None
    return None


def _is_plain(function):
    return not any(kind(function) for kind in (
        inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction))


def _members(cls):
    if cls.__init__ is object.__init__:
        yield "__init__", _CONSTRUCTOR, None, inspect.Signature(), "()", 0, 0, False
    elif _is_plain(cls.__init__):
        yield _member("__init__", _CONSTRUCTOR, cls.__init__)
    else:
        raise TypeError(f"{cls.__qualname__}.__init__ may not wait, and yields nothing: make it a plain function, and "
                        f"await in an entry")
    for name in dict.fromkeys(n for c in reversed(cls.__mro__) for n in vars(c)):
        value = inspect.getattr_static(cls, name)
        if isinstance(value, _Port):
            yield name, value.kind, None, None, value.text, 0, 0, False
        elif getattr(getattr(value, "__func__", None) or getattr(value, "fget", None), "__imbrex_entry__", False):
            raise TypeError(f"{cls.__qualname__}.{name} is a {type(value).__name__}: an entry is a method of a chare; "
                            f"leave out one of the two")
        elif getattr(value, "__imbrex_entry__", False):
            is_coroutine = inspect.iscoroutinefunction(inspect.unwrap(value))
            yield _member(name, _COROUTINE if is_coroutine else _PLAIN, value)


def _method_for_balancers(cls, name):
    """The method of that name if it takes no arguments and is no entry, else None."""
    function = inspect.getattr_static(cls, name, None)
    if not inspect.isfunction(function) or getattr(function, "__imbrex_entry__", False):
        return None
    least, _, has_keywords = _count(inspect.signature(function))
    if least > 0 or has_keywords:
        return None
    if not _is_plain(function):
        raise TypeError(f"{cls.__qualname__}.{name} is called by the balancer and may not wait: make it a plain "
                        f"function, or give it another name")
    return function


class Chare(_core.ChareBase):
    """The base of chare classes. Proxies name a chare on any PE."""

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        if _postponed is None:
            define(cls)
        else:
            _postponed.append(cls)

    def __reduce_ex__(self, protocol):
        if type(self).__reduce__ is not object.__reduce__:
            return super().__reduce_ex__(protocol)
        raise TypeError(f"a {type(self).__qualname__} cannot be sent or pickled: give others its proxy, self.proxy")


#: Chare classes, with their constructors as they were when they were defined.
_defined = []


def define(cls, in_all_processes=False):
    """Defines a chare class in this process."""
    replaced = _replaced_by(cls)
    if replaced is not None:
        _core.replace_class(replaced[0], cls)
        replaced[0] = cls
        return
    members = list(_members(cls))
    _defined.append([cls, cls.__init__])
    for name, *_ in members:
        if name in _PROXY_NAMES or name in _CHARE_NAMES:
            raise TypeError(f"{cls.__qualname__}: no entry or port can be called {name}, which proxies or chares "
                            f"have already: give it another name")
    for base in cls.__mro__[:cls.__mro__.index(Chare)]:
        for name in vars(base):
            if name in _CHARE_NAMES:
                raise TypeError(f"{cls.__qualname__}: no attribute of the class can be called {name}, which chares "
                                f"have already: give it another name")
    methods = tuple(_method_for_balancers(cls, name) for name in ("expected_load", "departs", "arrived"))
    _core.define_class(cls, vars(cls).get("_shown_as") or _name_of(cls), members, methods, in_all_processes)


def look_for_constructors():
    """Registers constructors added after the class statement, as by @dataclass."""
    for known in _defined:
        cls, constructor = known
        if cls.__init__ is not constructor:
            known[1] = cls.__init__
            _core.set_constructor(cls, next(_members(cls)))


@contextlib.contextmanager
def postponed():
    """Yields a list that collects chare classes made meanwhile; the caller passes them to `define`."""
    global _postponed
    before, _postponed = _postponed, []
    try:
        yield _postponed
    finally:
        _postponed = before


def members_of(cls):
    """The entries and ports of a chare class: their signatures by their names, None for ports."""
    return {name: signature for name, kind, _, signature, *_ in _members(cls) if kind != _CONSTRUCTOR}


def signature_of_constructor(cls):
    return next(_members(cls))[3]


def bind(class_name, entry_name, signature, given, named):
    """The arguments of a call: positional ones, and keyword-only ones. Raises TypeError."""
    parameters = _beside_self(signature)
    own = signature.replace(parameters=parameters)
    try:
        bound = own.bind(*given, **named)
    except TypeError as e:
        names = [p.name for p in parameters]
        hint = ""
        for name in named:
            if name not in names and (near := difflib.get_close_matches(name, names, 1)):
                hint = f"; did you mean {near[0]}?"
        raise TypeError(f"{class_name}.{entry_name}{own} was given "
                        f"{_call_text(given, named)}: {e}{hint}") from None
    return bound.args, bound.kwargs


def _call_text(given, named):
    words = [type(a).__name__ for a in given] + [f"{n}={type(a).__name__}" for n, a in named.items()]
    return "(" + ", ".join(words) + ")"


def refuse_member(class_name, members, name):
    near = difflib.get_close_matches(name, [*members, *_PROXY_NAMES], 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    has = ", ".join(members) or "none"
    raise AttributeError(f"{class_name} has no entry or port {name}{hint} (it has {has}; methods become entries by "
                         f"@imbrex.entry)")


def proxy_again(form):
    """Restores a proxy; called by pickle."""
    return _core._proxy(form)


def _is_key(value):
    return type(value) in (str, bytes, int) or type(value) is tuple and all(map(_is_key, value))


def text_of_key(key):
    """A key as text that `ast.literal_eval` reads."""
    if _is_key(key):
        return repr(key)
    raise TypeError(f"a key of an array is a str, bytes, an int or a tuple of these, not {key!r}")


def state_of(chare):
    """The state of a chare for a migration: its __getstate__ without ports."""
    getstate = getattr(chare, "__getstate__", None)
    state = getstate() if getstate is not None else chare.__dict__
    if _has_slots(state):
        return _without_ports(state[0] or {}), state[1]
    return _without_ports(state) if isinstance(state, dict) else state


def _has_slots(state):
    """True if `state` is from object's own __getstate__ for a class with slots: a pair of the __dict__ and the
    slots."""
    return isinstance(state, tuple) and len(state) == 2 and isinstance(state[0] or {}, dict) and \
        isinstance(state[1], dict)


def _without_ports(attributes):
    return {name: value for name, value in attributes.items() if not isinstance(value, _core.Port)}


def restore(chare, state):
    setstate = getattr(chare, "__setstate__", None)
    if setstate is not None:
        setstate(state)
    elif _has_slots(state):
        chare.__dict__.update(state[0] or {})
        for name, value in state[1].items():
            setattr(chare, name, value)
    elif state is not None:
        chare.__dict__.update(state)
