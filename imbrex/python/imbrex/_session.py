# SPDX-License-Identifier: Apache-2.0
"""Sessions: a notebook, a program of asyncio or a prompt has chares beside it, in processes of their own.

The program's side. It and process 0 (`imbrex._serve`) are connected by a socket: commands go there in their order, and
the results come back in any order.
"""

import asyncio
import atexit
import collections
import concurrent.futures
import contextlib
import io
import itertools
import math
import os
import signal
import socket
import subprocess
import sys
import threading
import warnings
from multiprocessing import connection

from imbrex import _by_value, _classes, _command_line, _core, _creation, _errors, _folders, _operations

_SECONDS_TO_START = 60
_SECONDS_TO_END = 10
_SECONDS_TO_TELL = 2


class Result(concurrent.futures.Future):
    """The future result of a call: awaited in asyncio; elsewhere `result()` waits for it."""

    def __init__(self, name, session):
        super().__init__()
        self._name, self._session = name, session
        self._is_wanted = name is None

    def __await__(self):
        self._is_wanted = True
        return asyncio.wrap_future(self).__await__()

    def result(self, timeout=None):
        self._is_wanted = True
        return self._in_time(super().result, timeout)

    def exception(self, timeout=None):
        self._is_wanted = True
        return self._in_time(super().exception, timeout)

    def _in_time(self, wait, timeout):
        try:
            return wait(timeout)
        except TimeoutError:
            if self.done():
                raise  # the exception was raised by an entry
        raise TimeoutError(f"{self._name or 'the request'} has not ended within {timeout} s"
                           + self._session.text_of_waits())

    def add_done_callback(self, function):
        self._is_wanted = True
        super().add_done_callback(function)

    def __del__(self):
        if not self._is_wanted:
            warnings.warn(f"{self._name} was never awaited", RuntimeWarning, stacklevel=2)


class Proxy:
    """Names chares of a session, like the proxies of a run (docs/python.md)."""

    def __init__(self, session, handle, steps, cls, kind, shape):
        self._session, self._handle, self._steps = session, handle, steps
        self._cls, self._kind, self._shape = cls, kind, shape

    def __reduce__(self):
        return proxy_here, (self._handle, self._steps)

    def __eq__(self, other):
        if not isinstance(other, Proxy):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self):
        return hash(self._identity())

    def _identity(self):
        return self._session, self._handle, self._steps

    def __repr__(self):
        text = {"element": "chare", "array": "array of", "group": "group of", "section": "section of"}[self._kind]
        at = "".join(repr(a) if isinstance(a, tuple) else f"({a!r})" for n, a in self._steps if n == "item")
        return f"<{text} {self._cls.__qualname__}{at}>"

    def _with(self, kind, name, argument):
        return Proxy(self._session, self._handle, (*self._steps, (name, argument)), self._cls, kind, self._shape)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        members = self._session.members_of(self._cls)
        if name not in members:
            _classes.refuse_member(self._cls.__qualname__, members, name)
        return Member(self, name, members[name])

    def __getitem__(self, index):
        if self._kind not in ("array", "group"):
            raise TypeError("only arrays and groups have elements by index")
        if self._shape is not None:
            at = _core._index(index, "an index")
            index = at if len(at) > 1 else at[0]
            if len(at) != len(self._shape) or not all(0 <= i < n for i, n in zip(at, self._shape, strict=True)):
                shape = self._shape if len(self._shape) > 1 else self._shape[0]
                raise IndexError(f"index {index} is outside the array of {self._cls.__qualname__}, whose shape is "
                                 f"{shape}")
        else:
            _classes.text_of_key(index)
        return self._with("element", "item", index)

    def __len__(self):
        if self._shape is None or self._kind not in ("array", "group"):
            raise TypeError("only arrays with dense indices, and groups, have a length")
        size = 1
        for n in self._shape:
            size *= n
        return size

    @property
    def shape(self):
        if self._shape is None or self._kind not in ("array", "group"):
            raise AttributeError("only arrays with dense indices have a shape")
        return self._shape

    def insert(self, index, /, *arguments, **named):
        self[index]
        places, rest = _bound(self._cls, "__init__", _classes.signature_of_constructor(self._cls), arguments, named)
        self._session.tell("insert", self, index, places, rest)

    def section(self, members):
        members = list(members)
        for index in members:
            self[index]
        handle = self._session.new_handle()
        self._session.tell("section", handle, self, members)
        return Proxy(self._session, handle, (), self._cls, "section", self._shape)

    def with_priority(self, priority):
        return self._with(self._kind, "priority", priority)

    def coalesced(self):
        return self._with(self._kind, "coalesced", None)

    def created(self):
        return self._session.ask(None, "await", self, ("created",), (), {})

    def destroy(self):
        if self._kind == "element":
            return self._session.tell("destroy", self)
        return self._session.ask(None, "await", self, ("destroy",), (), {})


class Member:
    """An entry or port of the chares that a proxy names."""

    def __init__(self, proxy, name, signature):
        self._proxy, self._name, self._signature = proxy, name, signature

    def _arguments(self, given, named):
        if self._signature is None:
            return given, named
        return _bound(self._proxy._cls, self._name, self._signature, given, named)

    def send(self, *arguments, **named):
        self._proxy._session.tell("send", self._proxy, self._name, *self._arguments(arguments, named))

    def call(self, *arguments, **named):
        return self._ask("call", *self._arguments(arguments, named))

    def reduce(self, operation, *arguments, **named):
        _operations.kind_of(operation)
        places, rest = self._arguments(arguments, named)
        return self._ask("reduce", (operation, *places), rest)

    def _ask(self, how, places, rest):
        p = self._proxy
        name = f"{p._cls.__qualname__}.{self._name}.{how}()"
        return p._session.ask(name, "await", p, (self._name, how), places, rest)


def _check_class(cls):
    if not (isinstance(cls, type) and issubclass(cls, _classes.Chare)):
        raise TypeError(f"{cls!r} is no chare class: derive one from imbrex.Chare, and give the class itself")


def _bound(cls, name, signature, given, named):
    return _classes.bind(cls.__qualname__, name, signature, given, named)


def proxy_of(form, cls, kind, shape):
    """The proxy of the session for one in a received result."""
    return Proxy(_creation.beside, form, (), cls, kind, shape)


#: In process 0: objects by the program's handles.
proxies = {}
#: In process 0: handles named by the command being read.
named = set()


class NeverMade:
    """In process 0, stands for chares whose creation failed; uses raise the reason."""

    def __init__(self, reason):
        self.reason = reason


def proxy_here(handle, steps):
    """In process 0, the proxy for one of the program's proxies."""
    if isinstance(handle, int):
        named.add(handle)
        proxy = proxies[handle]
    else:
        proxy = _core._proxy(handle)
    if isinstance(proxy, NeverMade):
        return proxy
    for name, argument in steps:
        if name == "item":
            proxy = proxy[argument]
        elif name == "priority":
            proxy = proxy.with_priority(argument)
        else:
            proxy = proxy.coalesced()
    return proxy


class Session:
    """Processes with chares for this program (`imbrex.start`). `with imbrex.start(...)` stops it at the end."""

    def __init__(self, processes, options):
        self._words = _words_to_start(processes, options)
        self._lock = threading.Lock()  # guards the fields below
        self._results = {}
        self._numbers = itertools.count(1)
        self._end = None  # why it has ended
        self._last_lines = collections.deque(maxlen=40)
        self._members = {}
        self.num_pes = self.num_processes = 0

    def begin(self):
        with _folders.temporary("session") as folder:
            with socket.socket(socket.AF_UNIX) as door:
                address = os.path.join(folder, "session")
                door.bind(address)
                door.listen(1)
                door.settimeout(0.05)
                self._process = subprocess.Popen(
                    self._words, env=_environment(address), stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
                self._relays = [self._begin_thread(self._relay, self._process.stdout, "stdout"),
                                self._begin_thread(self._relay, self._process.stderr, "stderr")]
                self._connection = self._accept(door)
        greeting = Result(None, self)
        self._results[None] = greeting
        self._reader = self._begin_thread(self._receive)
        self.num_pes, self.num_processes = greeting.result(_SECONDS_TO_START)

    def _accept(self, door):
        for _ in range(int(_SECONDS_TO_START / door.gettimeout())):
            try:
                return connection.Connection(door.accept()[0].detach())
            except TimeoutError:
                if self._process.poll() is not None:
                    raise self._error_of_end() from None
        self._kill()
        raise _errors.Error(f"the processes of the session have not begun within {_SECONDS_TO_START} s: "
                            f"{' '.join(self._words)}")

    def _begin_thread(self, function, *arguments):
        thread = threading.Thread(target=function, args=arguments, daemon=True, name="imbrex session")
        thread.start()
        return thread

    def _relay(self, pipe, name):
        """Forwards output of the processes to this one."""
        for line in pipe:
            if name == "stderr":
                self._last_lines.append(line)
            stream = getattr(sys, name)
            if stream is not None:
                stream.write(line)
                stream.flush()

    def _receive(self):
        while True:
            try:
                number, is_value, value = _by_value.cloudpickle.loads(self._connection.recv_bytes())
            except (EOFError, OSError):
                break
            result = self._results.pop(number, None)
            error = None if is_value else _errors.unpack(value[1], value[0])
            if result is None:  # errors of commands that no one awaits
                if error is not None:
                    sys.stderr.write(f"imbrex: error: a command of the session failed: {value[0]}\n")
            elif result.set_running_or_notify_cancel():
                result.set_result(value) if is_value else result.set_exception(error)
        self._wait_for_end()
        end = self._error_of_end()
        with self._lock:
            self._end = end
            lost, self._results = self._results, {}
        for result in lost.values():
            if result.set_running_or_notify_cancel():
                result.set_exception(end)

    def _wait_for_end(self):
        try:
            self._process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._kill()

    def _kill(self):
        self._process.terminate()
        try:
            self._process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def _error_of_end(self):
        for thread in self._relays:
            thread.join(1)
        status = self._process.returncode
        words = "".join(self._last_lines).strip()
        return _errors.Error(f"the session has ended (status {status}): imbrex.start() begins another"
                             + (f"\n{words}" if words else ""))

    def _check(self):
        if self._end is not None:
            raise _errors.Error(*self._end.args)

    @property
    def has_ended(self):
        return self._end is not None

    def new_handle(self):
        return next(self._numbers)

    def members_of(self, cls):
        if cls not in self._members:
            self._members[cls] = _classes.members_of(cls)
        return self._members[cls]

    def tell(self, what, *arguments):
        """Sends a command without a reply. Classes that it needs are sent first."""
        with self._lock:
            self._check()
            self._send((what, *arguments))

    def ask(self, name, what, *arguments):
        """Sends a command with a reply; `name` is for the warning if the reply is never awaited."""
        with self._lock:
            self._check()
            result = Result(name, self)
            number = next(self._numbers)
            self._results[number] = result
            try:
                self._send((what, number, *arguments))
            except BaseException:
                del self._results[number]
                result._is_wanted = True
                raise
        return result

    def _send(self, command):
        form, new = _dumps(command)
        while new:
            numbered = {next(self._numbers): cls for cls in dict.fromkeys(new)}
            classes, _ = _dumps(numbered)
            self._connection.send_bytes(_dumps(("define", classes))[0])
            for number, cls in numbered.items():
                _by_value.learn(cls, number)
            form, new = _dumps(command)
        try:
            self._connection.send_bytes(form)
        except OSError:
            pass  # the session has ended; the reading thread notifies all who wait

    # Functions by which `imbrex._creation` makes arrays, with the signatures of `imbrex._core`

    def make_array(self, cls, shape, placement, name, arguments, named):
        _check_class(cls)
        if name:
            raise _errors.Error(f"named={name!r}: a session has no checkpoints, so leave out the name of the array")
        if shape is not None:
            shape = _core._index(shape, "a shape")
            if min(shape) < 0 or math.prod(shape) > 2 ** (62 if placement == _creation._SPARSE else 40):
                raise _errors.Error(f"an array of {cls.__qualname__} cannot have the shape "
                                    f"{shape if len(shape) > 1 else shape[0]}: each extent must be 0 or more, and "
                                    f"there may be 2^40 elements at most; 2^62 in a sparse array")
        return self._create("array", shape, "make_array", cls, arguments, named, cls, shape, placement, name)

    def make_group(self, cls, arguments, named):
        return self._create("group", (self.num_pes,), "make_group", cls, arguments, named, cls)

    def make_chare(self, cls, pe, priority, arguments, named):
        return self._create("element", None, "make_chare", cls, arguments, named, cls, pe, priority)

    def _create(self, kind, shape, maker, cls, arguments, named, *first):
        _check_class(cls)
        if maker != "make_array" or first[2] != 2:  # elements of sparse arrays are inserted later
            arguments, named = _bound(cls, "__init__", _classes.signature_of_constructor(cls), arguments, named)
        handle = self.new_handle()
        self.tell("create", handle, maker, (*first, arguments, named))
        return Proxy(self, handle, (), cls, kind, shape)

    def run(self, function, /, *arguments, **named):
        """Runs a function in process 0, most often `async def`, as a main task. Its result can be awaited."""
        return self.ask(f"run({getattr(function, '__qualname__', function)!s})", "run", function, arguments, named)

    def quiescence(self):
        return self.ask("quiescence()", "quiescence")

    def text_of_waits(self):
        """Text of the waiting entries in the session; empty if the session does not reply soon."""
        if threading.current_thread() is self._reader:
            return ""
        try:
            asked = self.ask(None, "waits")
        except _errors.Error:  # the session has ended meanwhile
            return ""
        if not concurrent.futures.wait([asked], _SECONDS_TO_TELL).done or asked.exception() is not None:
            return "; the waiting entries are unknown, as a PE of the session is busy"
        thrown, waits = asked.result()
        lines = [*thrown, *(["the call does not end yet, since other elements have not ended"] if thrown else []),
                 *waits]
        return "".join(f"\n  {line}" for line in lines)

    def stop(self):
        """Ends the processes. Results that are still awaited raise an imbrex.Error."""
        with self._lock, contextlib.suppress(OSError):
            self._connection.send_bytes(b"")
        self._reader.join()
        if _creation.beside is self:
            _creation.beside = None

    def leave(self):
        """Called in a forked process: the session stays with its parent, which has the reading thread."""
        self._connection.close()
        self._lock = threading.Lock()  # another thread may have held the lock
        if self._end is None:
            self._end = _errors.Error("a process that has been forked has no part in the session of the process that "
                                      "began it: use it there, or call imbrex.start() here")
        lost, self._results = self._results, {}
        for result in lost.values():
            result._is_wanted = True  # suppresses the warning: the parent may await it
            if result.set_running_or_notify_cancel():
                result.set_exception(self._end)

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.stop()


def _dumps(command):
    """The pickled value, and the chare classes in it that the session does not have yet."""
    with io.BytesIO() as file:
        pickler = _by_value.Pickler(file, protocol=5)
        pickler.dump(command)
        return file.getvalue(), pickler.new_classes


def _words_to_start(processes, options):
    if processes < 1:
        raise _errors.UsageError(f"{processes} processes are impossible: start 1 or more")
    if processes > 1 and options.get("machine", "threads") != "threads":
        raise _errors.UsageError(f"machine={options['machine']!r}: that machine is one process, so leave out "
                                 f"processes={processes}, and give pes={processes}")
    for name in options:
        if name.startswith(("checkpoint", "restart")):
            raise _errors.UsageError(f"{name}={options[name]!r}: a session has no checkpoints; write a program that "
                                     f"calls imbrex.run")
    words = _command_line.words_of(options, ["processes"])
    serve = [sys.executable, "-c", "from imbrex._serve import main; main()", *words]
    return serve if processes == 1 else [_command_line.command(), "run", "-n", str(processes), *serve]


def _environment(address):
    path = os.pathsep.join(os.path.abspath(p) for p in sys.path)
    return dict(os.environ, IMBREX_SESSION=address, PYTHONPATH=path,
                PYTHONUNBUFFERED="1")


def start(processes, options):
    if _core.in_run():
        raise _errors.Error("imbrex.start was called in a run: a run has its chares already")
    before = _creation.beside
    if before is not None and not before.has_ended:
        raise _errors.Error("a session goes on already: end it first by imbrex.stop()")
    _by_value.forget_all()
    session = Session(processes, options)
    session.begin()
    _creation.beside = session
    return session


def stop():
    if _creation.beside is not None:
        _creation.beside.stop()


def _leave():
    if _creation.beside is not None:
        _creation.beside.leave()


atexit.register(stop)
os.register_at_fork(after_in_child=_leave)
