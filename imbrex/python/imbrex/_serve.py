# SPDX-License-Identifier: Apache-2.0
"""The processes of a session: process 0 executes the requests of the program that began it (`imbrex._session`)."""

import collections
import contextlib
import itertools
import os
import pickle
import sys
import threading
import time
import warnings
from multiprocessing import connection

from imbrex import _by_value, _classes, _core, _creation, _errors, _pickling, _run, _session

_SECONDS_TO_END = 2


class Librarian(_classes.Chare):
    """A chare in each process that makes the classes received from the program."""

    @_classes.entry
    def define(self, form):
        if _core.pe() % (_core.num_pes() // _core.num_processes()) != 0:
            return  # another PE of the process makes them
        with _classes.postponed() as made:
            numbered = pickle.loads(form)
        for cls in made:
            _classes.define(cls, in_all_processes=True)
        for number, cls in numbered.items():
            _by_value.learn(cls, number)


class Making:
    """Arrays and groups whose elements do not all exist yet, and sections of them."""

    def __init__(self, handle, created):
        self.handles, self.created = [handle], created


class Desk(_classes.Chare):
    """On PE 0: takes commands in their order. Those that name an array or group whose elements are not all there wait
    until they are, and so do later ones that name something that these name."""

    commands = _classes.Mailbox()
    all_made = _classes.Mailbox()

    def __init__(self, librarians):
        self.librarians = librarians
        self.making = {}  # by handle
        self.later = []  # waiting commands, each with the handles that it names
        self.asked = None  # the command waiting in `all_made`

    @_classes.entry
    async def serve(self):
        for number in itertools.count():
            form = await _door.next(self.commands, number)
            if form is None:
                return
            try:
                _session.named = named = set()
                what, *arguments = pickle.loads(form)
                if what == "define":
                    await self.librarians.define.call(*arguments)
                elif what == "quiescence":
                    if self.making:
                        self.asked = number
                        await self.all_made.receive(number)
                    await _door.quiescence()
                    _answer(*arguments, None)
                elif what not in ("create", "section") and self.must_wait(named):
                    self.later.append((named, what, arguments))
                else:
                    self.do(named, what, arguments)
            except Exception as e:
                _answer_error(None, e)

    def must_wait(self, named):
        return not (self.making.keys().isdisjoint(named) and all(named.isdisjoint(n) for n, *_ in self.later))

    def do(self, named, what, arguments):
        never_made = [p for p in map(_session.proxies.get, named) if isinstance(p, _session.NeverMade)]
        if not never_made:
            return getattr(self, "do_" + what)(*arguments)
        if what in ("create", "section"):
            _session.proxies[arguments[0]] = never_made[0]
        _answer_error(arguments[0] if what in ("await", "run") else None, never_made[0].reason)

    def do_create(self, handle, maker, arguments):
        try:
            _session.proxies[handle] = made = getattr(_core, maker)(*arguments)
            if maker == "make_chare":
                return
            self.making[handle] = Making(handle, made.created())
        except Exception as e:
            _session.proxies[handle] = _session.NeverMade(e)
            raise
        self.proxy.settle.send(handle)

    @_classes.entry
    async def settle(self, handle):
        """Waits until all elements exist. If one cannot be created, none may be used."""
        making = self.making[handle]
        try:
            await making.created
        except Exception as e:
            _session.proxies.update(dict.fromkeys(making.handles, _session.NeverMade(e)))
            _answer_error(None, e)
        for made in making.handles:
            del self.making[made]
        later, self.later = self.later, []
        for named, what, arguments in later:
            if self.must_wait(named):
                self.later.append((named, what, arguments))
                continue
            try:
                self.do(named, what, arguments)
            except Exception as e:
                _answer_error(None, e)
        if self.asked is not None and not self.making:
            self.proxy.all_made.send(self.asked, None)
            self.asked = None

    def do_section(self, handle, proxy, members):
        try:
            _session.proxies[handle] = proxy.section(members)
        except Exception as e:
            _session.proxies[handle] = _session.NeverMade(e)
            raise
        for making in {self.making[n] for n in _session.named if n in self.making}:
            making.handles.append(handle)
            self.making[handle] = making

    def do_send(self, proxy, name, arguments, named):
        getattr(proxy, name).send(*arguments, **named)

    def do_insert(self, proxy, index, arguments, named):
        proxy.insert(index, *arguments, **named)

    def do_destroy(self, proxy):
        proxy.destroy()

    def do_await(self, number, proxy, path, arguments, named):
        """Replies with the result of a method, such as `proxy.entry.call`."""
        try:
            method = proxy
            for name in path:
                method = getattr(method, name)
            _waiting[number] = method(*arguments, **named)
        except Exception as e:
            _answer_error(number, e)
            return
        self.proxy.answer.send(number)

    def do_waits(self, number):
        _core.ask_who_waits(lambda thrown, waits: _answer(number, (thrown, _of_program(waits))))

    def do_run(self, number, function, arguments, named):
        try:
            result = function(*arguments, **named)
        except Exception as e:
            _answer_error(number, e)
            return
        if not hasattr(result, "__await__"):
            _answer(number, result)
            return
        _waiting[number] = result
        self.proxy.answer.send(number)

    @_classes.entry
    async def answer(self, number):
        try:
            result = await _waiting.pop(number)
        except Exception as e:
            _answer_error(number, e)
        else:
            _answer(number, result)


def _of_program(waits):
    """Replaces lines about the session's own chares: they stand for the program or are dropped."""
    lines = []
    for line in waits:
        if not line.startswith((__name__, "the main task")):
            lines.append(line)
        elif ", entry answer, " in line:
            lines.append("the program" + line[line.index(" waits for "):line.rindex(", at ")])
    return lines


class _Pickler(_by_value.Pickler):
    """A pickler that converts proxies to proxies of the session."""

    def reducer_override(self, obj):
        if type(obj) is _core.Proxy:
            cls, kind, shape = _core._describe(obj)
            return _session.proxy_of, (obj.__reduce__()[1][0], cls, kind, shape)
        return super().reducer_override(obj)


_to_program = None
_waiting = {}  # requests of the program until they are awaited
_sending = threading.Lock()
_door = None


def _reply(form):
    with _sending, contextlib.suppress(OSError):  # the program may have ended
        _to_program.send_bytes(form)


def _answer(number, value):
    try:
        form = _by_value.dumps((number, True, value), pickler=_Pickler)
    except Exception as e:
        _answer_error(number, e)
    else:
        _reply(form)


def _answer_error(number, exception):
    _reply(pickle.dumps((number, False, _errors.pack(exception, ""))))


class Door:
    """Hands commands of the program from a thread that is no PE to PE 0. It is shut while quiescence is awaited, which
    then covers the run as if the program could send no more."""

    is_for_one = False

    def __init__(self):
        self._lock = threading.Lock()  # guards the fields below
        self._executor = None
        self._outside = collections.deque()

    def open(self):
        with self._lock:
            self._executor = executor = _core.make_executor()
            self._let_in()
        return executor

    def shut(self):
        with self._lock:
            self._executor = None

    def _let_in(self):
        while self._outside and self._executor is not None:
            self._executor.post(self._outside.popleft())
            if self.is_for_one:
                self._executor = None

    def hand_in(self, function):
        """Called on the receiving thread."""
        with self._lock:
            self._outside.append(function)
            self._let_in()

    async def next(self, commands, number):
        if self._executor is None:
            self.open()
        return await commands.receive(number)

    async def quiescence(self):
        self.shut()
        await _core.quiescence()


class DoorForOne(Door):
    """The gate of commands on a deterministic machine: it admits one command when nothing else can run. So the
    behaviour of the chares depends on the commands and not on their arrival times."""

    is_for_one = True

    async def next(self, commands, number):
        await _core.quiescence()
        kept = self.open()  # the PE drops the last reference
        form = await commands.receive(number)
        with self._lock:
            del kept
        return form


def _receive(desk):
    """Receives commands on a thread of its own."""
    for number in itertools.count():
        try:
            form = _to_program.recv_bytes() or None
        except (EOFError, OSError):
            os._exit(1)  # the program was killed, so no one needs the rest of the run
        _door.hand_in(lambda number=number, form=form: desk.commands.send(number, form))
        if form is None:
            break
    time.sleep(_SECONDS_TO_END)  # an entry may never return
    os._exit(1)


async def _main():
    global _to_program, _door
    _to_program = connection.Client(os.environ["IMBREX_SESSION"], "AF_UNIX")
    desk = _creation.chare(Desk, _creation.group(Librarian), on=0)
    _door = Door() if _core.on_threads() else DoorForOne()
    threading.Thread(target=_receive, args=(desk,), daemon=True).start()
    _answer(None, (_core.num_pes(), _core.num_processes()))
    await desk.serve.call()
    _door.shut()


def main():
    _pickling.dumps = _by_value.dumps
    try:
        _run.run(_main)
    finally:
        if _door is not None:
            _door.shut()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _waiting.clear()  # no warning: the session ends, so the program cannot await these
        sys.stdout.flush()
