# SPDX-License-Identifier: Apache-2.0
"""Pickling of values for checkpoints. Their proxies are names, which another run translates."""

import inspect
import io
import pickle

from imbrex import _core, _errors

_REFUSED = {
    _core.Awaitable: "an awaitable, as of call or sleep, cannot be saved: await it before the balance point",
    _core.Member: "an entry or port of a proxy cannot be saved: keep the proxy",
    _core.Port: "a port of another chare cannot be saved: keep the proxy of that chare",
    _core.Given: "a value of imbrex.give cannot be saved: keep the value",
}


def proxy_again(form):
    """Makes a proxy that a checkpoint has; called by pickle."""
    return _core._proxy_of_form(form)


class _Pickler(pickle.Pickler):
    def reducer_override(self, value):
        words = _REFUSED.get(type(value))
        if words is not None:
            raise TypeError(words)
        if type(value) is _core.Proxy:
            return self.reduce_proxy(value)
        return NotImplemented

    def reduce_proxy(self, proxy):
        return proxy_again, (_core._form_of_proxy(proxy),)


class _PicklerWithoutProxies(_Pickler):
    def reduce_proxy(self, proxy):
        raise TypeError("a proxy is no value to save by imbrex.save: give the array a name, and let "
                        "imbrex.restored find it")


def dumps(value, protocol=5, buffer_callback=None, pickler=_Pickler):
    with io.BytesIO() as file:
        pickler(file, protocol=protocol, buffer_callback=buffer_callback).dump(value)
        return file.getvalue()


def dumps_value(value):
    return dumps(value, pickler=_PicklerWithoutProxies)


def reason(state, raised):
    """The text of the reason why pickle refuses a state; names the attribute if it can be found."""
    for name, value in _attributes(state):
        try:
            dumps(value)
        except Exception as e:
            return f"its attribute {name}: {e}; its __getstate__ may leave it out"
    return f"its state cannot be pickled: {raised}"


def _attributes(state):
    parts = state if isinstance(state, tuple) else (state,)
    return [pair for part in parts if isinstance(part, dict) for pair in part.items()]


def check_class(cls):
    """Refuses classes that another run would not find by their names."""
    if isinstance(cls, type) and "<locals>" in cls.__qualname__:
        raise _errors.UsageError(f"{cls.__qualname__} is defined in a function, where no other run finds it: define "
                                 f"it in a module, so that its arrays can have names")


def can_merge(cls):
    """True if the class has a method `merge(self, old)`, which is no entry."""
    function = inspect.getattr_static(cls, "merge", None)
    return inspect.isfunction(function) and not getattr(function, "__imbrex_entry__", False)
