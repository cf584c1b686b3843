# SPDX-License-Identifier: Apache-2.0
"""The state of a program's chares on each PE, and the messages between PEs. Messages call the methods of a runtime
that begin with `on_`."""

import collections
import functools
import itertools
import socket
import time
import weakref

from imbrex import _classes, _core, _creation, _errors, _operations
from imbrex.charm4py import _chare
from imbrex.charm4py._charm import Charm4PyError, charm
from imbrex.charm4py._coroutines import Coroutines, Raised, runtimes, turn
from imbrex.charm4py._future import Future
from imbrex.charm4py._migration import Migration
from imbrex.charm4py._reductions import Reduction, Reductions
from imbrex.charm4py._sections import Sections
from imbrex.charm4py._tasks import Tasks


class Node(_classes.Chare):
    """The chare of a PE through which its runtime sends and receives. Its names are those that traces and errors show
    of messages between the program's chares."""

    _shown_as = "charm4py"
    news = _classes.Mailbox()

    @_classes.entry
    def host(self):
        return socket.gethostname()

    @_classes.entry
    def begin(self, nodes, hosts):
        runtimes[_core.pe()] = self.runtime = Runtime(nodes, self.proxy, hosts)

    @_classes.entry
    def message(self, what, *arguments):
        self.runtime.handle(what, arguments)

    @_classes.entry
    def own_message(self, number):
        self.runtime.handle(*self.runtime.own.pop(number))

    @_classes.entry
    async def timer(self, number, seconds):
        await _core.sleep(seconds)
        self.runtime.handle("timer", (number,))

    @_classes.entry
    async def quiescence(self, number):
        await _core.quiescence()
        self.runtime.handle("timer", (number,))

    @_classes.entry
    async def end(self):
        await self.news.receive()

    @staticmethod
    def places(frame):
        """Positions at which the program's coroutines wait; shown instead of `end`."""
        return frame.f_locals["self"].runtime.places()


_errors.places[Node.end.__code__] = Node.places


class Collection:
    """This PE's record of an array, a group or a single chare."""

    def __init__(self, cls, kind, dims, place, is_synced):
        self.cls, self.kind, self.dims, self.place, self.is_synced = cls, kind, dims, place, is_synced
        self.elements = {}
        self.homes = {}    # index -> PE, for elements that messages were sent to
        self.moved = {}    # index -> PE, for elements that have migrated
        self.waiting = {}  # index -> messages for elements that do not exist yet
        self.grows = kind == "array" and dims is None  # by ckInsert, at any time
        self.has_changed = self.grows  # elements on this PE differ from the initial ones
        self.total = None  # number of elements, if it does not grow
        self.inserted = collections.Counter()  # requesting PE -> elements inserted here
        self.announced = {}  # PE that has called ckDoneInserting -> elements that it had inserted here
        self.broadcasts = []  # broadcasts that wait until it is filled
        self.born = 0  # elements inserted here
        self.begun = {}  # key of a reduction -> the first number that has not begun here

    @property
    def members(self):
        return self.elements.values()

    @property
    def is_filled(self):
        """True if all elements inserted before ckDoneInserting are here."""
        return bool(self.announced) and all(self.inserted[pe] >= n for pe, n in self.announced.items())


class Collector:
    """Awaits the reply of each PE to a broadcast."""

    def __init__(self, future, pes, has_results):
        self.future, self.missing, self.has_results = future, pes, has_results
        self.results = []
        self.error = None


class Reply:
    """Sends the result of one call to its future."""

    def __init__(self, future, has_result):
        self.future, self.has_result = future, has_result

    def __call__(self, result):
        try:
            self.future.send(result if self.has_result or isinstance(result, Raised) else None)
        except Exception as e:  # the result cannot be pickled; the awaiting coroutine gets the error
            self.future.send(Raised(e))


def _note_of(exception, method):
    """Adds a note that names the chare to an exception that ends the program."""
    chare = getattr(method, "__self__", None)
    state = getattr(chare, "_c4", None)
    if state is not None:
        exception.add_note(f"It came from {state.name(chare)}.{method.__name__} on PE {_core.pe()}.")


class Runtime(Coroutines, Reductions, Sections, Migration, Tasks):
    def __init__(self, nodes, own_node, hosts):
        self.pe, self.pes = _core.pe(), _core.num_pes()
        self.hosts = hosts
        self.begin_coroutines()
        self.measures_loads = True
        self.own = {}
        self.futures = weakref.WeakValueDictionary()
        self.timers = {}
        self.collections = {}
        self.sections = {}
        self.section_totals = {}
        self.unknown = collections.defaultdict(list)  # messages for collections that this PE does not have yet
        self.reductions = collections.defaultdict(Reduction)
        self.whole_reductions = collections.defaultdict(Reduction)
        self.to_begin = {}  # key -> the last reduction that the root has begun on all PEs
        self.awaiting_all = collections.defaultdict(list)
        self.creations = {}
        self.insertions = collections.defaultdict(collections.Counter)
        self.collectors = {}
        self.missing_arrivals = {}
        self.balance_steps = 0
        self.tasks = {}
        self.busy = [0] * self.pes
        self.count_of_singles = self.pe
        self._numbers = itertools.count(1)
        self._node = own_node
        self._to_all = nodes.message
        self._to = [nodes[pe].message for pe in range(self.pes)]
        self._to_own = own_node.own_message
        self._handlers = {name[3:]: getattr(self, name) for name in dir(self) if name.startswith("on_")}
        itself = Collection(type(charm), "group", (self.pes,), True, False)
        itself.elements[self.pe] = charm
        itself.total = self.pes
        self.collections[0] = itself
        charm._c4 = _chare.State(_chare.Proxy(type(charm), 0, (self.pes,), onto=True), 0, self.pe)

    # Messages

    def number(self):
        return self.pe << 40 | next(self._numbers)

    def send(self, pe, what, *arguments):
        if pe == self.pe:
            number = next(self._numbers)
            self.own[number] = what, arguments
            self._to_own.send(number)
        else:
            self._to[pe].send(what, *arguments)

    def send_to_all(self, what, *arguments):
        self._to_all.send(what, *arguments)

    def handle(self, what, arguments):
        try:
            self._handlers[what](*arguments)
            ready = self.ready
            while ready:
                self._switch(ready.popleft(), None)
        except SystemExit as e:
            self.exit(e.code)

    def exit(self, code):
        if code is not None and not isinstance(code, int):
            print(code, flush=True)
            code = 1
        _core.exit(code or 0)

    def keep_future(self, future):
        number = next(self._numbers)
        self.futures[number] = future
        return number

    def on_future(self, number, value):
        future = self.futures.get(number)
        if future is not None:
            future.send(value)

    def on_fetch(self, number, future):
        own = self.futures.get(number)
        if own is None:
            future.send(Raised(RuntimeError("this future no longer exists")))
            return
        own.when_ready(lambda f: future.send(f._values[0] if len(f._values) == 1 else f._values))

    # Calls

    def call(self, proxy, name, args, kwargs, wants_future, has_result):
        future = Future() if wants_future else None
        if proxy.index is not None:
            self.send_to_element(proxy, "call", name, args, kwargs,
                                 None if future is None else Reply(future, has_result))
            return future
        to = None
        if future is not None:
            to = self.pe, self.keep_collector(future, has_result), has_result
        if proxy.key in self.collections or proxy.issec or proxy._dims is not None:
            self.send_to_all("broadcast", proxy.key, name, args, kwargs, to)
        else:  # behind what was inserted before
            self.unknown[proxy.key].append(("own_broadcast", (proxy.key, name, args, kwargs, to)))
        return future

    def on_own_broadcast(self, *what):
        self.send_to_all("broadcast", *what)

    def keep_collector(self, future, has_results=False):
        number = next(self._numbers)
        self.collectors[number] = Collector(future, self.pes, has_results)
        return number

    def send_to_element(self, proxy, what, *payload):
        cid, index = proxy.collection, proxy.index
        c = self.collections.get(cid)
        if c is None:
            self.unknown[cid].append(("element", (cid, index, what, payload)))
        elif index in c.elements:
            self.send(self.pe, "element", cid, index, what, payload)
        else:
            pe = c.moved.get(index)
            if pe is None:
                pe = c.homes.get(index)
                if pe is None:
                    pe = c.homes[index] = self.home(c, index)
            self.send(pe, "element", cid, index, what, payload)

    def home(self, c, index):
        """The PE on which an element was created, or would be."""
        if c.kind == "group":
            return index
        if c.kind == "single":
            return c.place
        if c.place is not None:
            return self.collections[c.place].elements[self.pe].procNum(index)
        if c.dims is None:
            return hash(index) % self.pes
        place, size = 0, 1
        for i, n in zip(index, c.dims, strict=True):
            if not 0 <= i < n:
                raise IndexError(f"index {index} is outside the array of {c.cls.__name__}, whose shape is {c.dims}")
            place, size = place * n + i, size * n
        return place * self.pes // size

    def on_element(self, cid, index, what, payload):
        c = self.collections.get(cid)
        if c is None:
            self.unknown[cid].append(("element", (cid, index, what, payload)))
            return
        chare = c.elements.get(index)
        if chare is None:
            pe = c.moved.get(index)
            home = self.home(c, index)
            if pe is None and home == self.pe:
                c.waiting.setdefault(index, []).append((what, payload))
            else:
                self.send(home if pe is None else pe, "element", cid, index, what, payload)
        elif what == "call":
            name, args, kwargs, reply = payload
            self.invoke(chare, name, args, kwargs, reply)
        else:
            key, number, values = payload
            chare._c4.channel(key).put(number, values)

    def invoke(self, chare, name, args, kwargs, reply):
        method = getattr(chare, name)
        function = getattr(method, "__func__", method)
        if hasattr(function, "_c4_when"):
            condition = _chare.condition_of(function)
            if not condition.holds(chare, args):
                self._hold(chare, condition, (name, args, kwargs, reply))
                return
        self._run(chare, method, function, args, kwargs, reply)
        self.flush(chare)

    def _run(self, chare, method, function, args, kwargs, reply):
        is_measured = chare._c4.is_measured and self.measures_loads
        begin = time.perf_counter() if is_measured else 0.0
        if getattr(function, "_c4_is_coro", False):
            self.start(chare, functools.partial(self._body, method, args, kwargs, reply), function.__name__)
        elif self.records:
            with turn(chare, function.__name__):
                self._body(method, args, kwargs, reply)
        else:
            self._body(method, args, kwargs, reply)
        if is_measured:
            chare._c4.load += time.perf_counter() - begin

    def _body(self, method, args, kwargs, reply):
        if kwargs is None:
            kwargs = {}
        try:
            result = method(*args, **kwargs)
        except Exception as e:
            if reply is None:
                _note_of(e, method)
                raise
            result = Raised(e)
        if reply is not None:
            reply(result)

    def _hold(self, chare, condition, message):
        state = chare._c4
        if hasattr(condition, "attrib_name"):
            try:
                state.tagged.setdefault(message[0], {}).setdefault(
                    message[1][condition.arg_idx], collections.deque()).append(message)
                return
            except TypeError:  # a tag without a hash
                pass
        state.held.append(message)

    def _next_held(self, chare):
        """Removes and returns a message whose condition holds now."""
        state = chare._c4
        for name, by_tag in state.tagged.items():
            condition = _chare.condition_of(getattr(type(chare), name))
            tag = getattr(chare, condition.attrib_name)
            queue = by_tag.get(tag)
            if queue:
                message = queue.popleft()
                if not queue:
                    del by_tag[tag]
                return message
        for i, message in enumerate(state.held):
            if _chare.condition_of(getattr(type(chare), message[0])).holds(chare, message[1]):
                del state.held[i]
                return message
        return None

    def flush(self, chare):
        """Called when a chare's state may have changed: resumes coroutines and runs messages that waited for it."""
        state = chare._c4
        if state.is_busy or not (state.waits or state.tagged or state.held):
            return
        state.is_busy = True
        try:
            while True:
                for i, (condition, wake) in enumerate(state.waits):
                    if condition.holds(chare):
                        del state.waits[i]
                        wake()
                        break
                message = self._next_held(chare) if state.tagged or state.held else None
                if message is None:
                    return
                name, args, kwargs, reply = message
                method = getattr(chare, name)
                self._run(chare, method, method.__func__, args, kwargs, reply)
        finally:
            state.is_busy = False

    def members(self, key):
        """Members of a collection or section on this PE; None if this PE does not have it yet."""
        found = self.sections.get(key) if isinstance(key, tuple) else self.collections.get(key)
        return None if found is None else list(found.members)

    def on_broadcast(self, key, name, args, kwargs, to):
        members = self.members(key)
        if members is None:
            self.unknown[key].append(("broadcast", (key, name, args, kwargs, to)))
            return
        array = self._growing(key)
        if array is not None and array.announced and not array.is_filled:
            array.broadcasts.append((key, name, args, kwargs, to))
            return
        if to is None:
            for chare in members:
                self.invoke(chare, name, args, kwargs, None)
            return
        self._gather_replies(members, to, lambda chare, reply: self.invoke(chare, name, args, kwargs, reply))

    def _gather_replies(self, members, to, begin):
        """Notifies a collector once all members have replied. `begin(chare, reply)` begins one member."""
        pe, number, has_results = to
        results = []
        if not members:
            self.send(pe, "collected", number, results)

        def take(chare, result):
            results.append((chare._c4.sort_key, result if has_results or isinstance(result, Raised) else None))
            if len(results) < len(members):
                return
            try:
                self.send(pe, "collected", number, results)
            except Exception as e:  # one result cannot be pickled: the awaiting coroutine gets the error
                self.send(pe, "collected", number, [(key, Raised(e)) for key, _ in results])
        for chare in members:
            begin(chare, functools.partial(take, chare))

    def on_collected(self, number, results):
        c = self.collectors[number]
        c.missing -= 1
        if c.has_results:
            c.results += results
        else:
            c.error = c.error or next((r for _, r in results if isinstance(r, Raised)), None)
        if c.missing > 0:
            return
        del self.collectors[number]
        if c.has_results:
            c.results.sort(key=lambda pair: pair[0])
            c.future.send([r.exception if isinstance(r, Raised) else r for _, r in c.results])
        else:
            c.future.send(c.error)

    # Creation

    def create(self, cls, kind, dims, args, place, is_synced, on_pes):
        cid = self.number()
        index = onto = None
        if kind == "group":
            dims = (self.pes,)
            onto = True if on_pes is None else tuple(on_pes)
            place = onto
        elif kind == "single":
            index = (0,)
            if place < 0:
                place = self.count_of_singles % self.pes
                self.count_of_singles += 1
        else:
            place = None if place is None else place.collection
        proxy = _chare.Proxy(cls, cid, dims, index, is_single=kind == "single", onto=onto)
        future = self.creations[cid] = Future()
        to = self.pe, self.keep_collector(future), False
        self.send_to_all("create", proxy, kind, args, place, is_synced, to)
        return proxy

    def on_create(self, proxy, kind, args, place, is_synced, to):
        if kind == "array" and place is not None and place not in self.collections:
            self.unknown[place].append(("create", (proxy, kind, args, place, is_synced, to)))
            return
        cid = proxy.collection
        c = Collection(proxy._cls, kind, proxy._dims, place, is_synced)
        if kind == "group":
            indices = [self.pe] if place is True or self.pe in place else []
            c.total = self.pes if place is True else len(place)
        elif kind == "single":
            indices = [(0,)] if place == self.pe else []
            c.total = 1
        elif c.dims is None:
            indices = []
        else:
            every = itertools.product(*map(range, c.dims))
            indices = [i for i in every if self.home(c, i) == self.pe]
            c.total = 1
            for n in c.dims:
                c.total *= n
        self.collections[cid] = c
        chares = [self._new_element(c, proxy, i) for i in indices]
        self._gather_replies(chares, to, lambda chare, reply: self._construct(chare, args, reply))
        self._now_known(cid)

    def _new_element(self, c, proxy, index):
        chare = c.cls.__new__(c.cls)
        chare._c4 = _chare.State(proxy, proxy.collection, index, c.is_synced)
        c.elements[index] = chare
        return chare

    def _construct(self, chare, args, reply):
        def constructor(*given):  # any exception ends the run: the chare could not be used
            chare.__init__(*given)
            if reply is not None:
                reply(None)
        self._run(chare, constructor, type(chare).__init__, args, None, None)
        self.flush(chare)

    def _now_known(self, key):
        for what, arguments in self.unknown.pop(key, ()):
            self._handlers[what](*arguments)
        self._look_at_whole(key)

    def insert(self, proxy, index, args, pe):
        cid = proxy.collection
        c = self.collections.get(cid)
        if c is None:  # the creation message is in transit
            self.unknown[cid].append(("own_insertion", (proxy, index, args, pe)))
            return
        if pe < 0:
            pe = self.home(c, index)
        self.insertions[cid][pe] += 1
        self.send(pe, "insert", proxy, index, args, self.pe)

    def on_own_insertion(self, proxy, index, args, pe):
        self.insert(proxy, index, args, pe)

    def on_insert(self, proxy, index, args, asker):
        cid = proxy.collection
        c = self.collections.get(cid)
        if c is None:
            self.unknown[cid].append(("insert", (proxy, index, args, asker)))
            return
        chare = self._new_element(c, proxy, index)
        if c.grows:
            chare._c4.reductions.update(c.begun)
            c.born += 1
            c.inserted[asker] += 1
        self._construct(chare, args, None)
        self._tell_home(c, cid, index)
        self._deliver_waiting(c, cid, index)
        self._look_at_fill(c, cid)

    def done_inserting(self, proxy):
        cid = proxy.collection
        if cid in self.collections:
            self.send_to_all("done_inserting", cid, self.pe, dict(self.insertions[cid]))
        else:
            self.unknown[cid].append(("own_end_of_insertion", (proxy,)))

    def on_own_end_of_insertion(self, proxy):
        self.done_inserting(proxy)

    def on_done_inserting(self, cid, asker, insertions):
        c = self.collections.get(cid)
        if c is None:
            self.unknown[cid].append(("done_inserting", (cid, asker, insertions)))
            return
        c.announced[asker] = insertions.get(self.pe, 0)
        self._look_at_fill(c, cid)

    # Time

    def after(self, seconds, function):
        number = next(self._numbers)
        self.timers[number] = function
        self._node.timer.send(number, seconds)

    def when_quiet(self, function):
        number = next(self._numbers)
        self.timers[number] = function
        self._node.quiescence.send(number)

    def on_timer(self, number):
        self.timers.pop(number)()

    def on_begin_main(self):
        charm.run_entry()


async def _main():
    if _core.has_checkpoints():
        raise _errors.UsageError("--checkpoint and --restart: programs of charm4py cannot be saved, since their "
                                 "waiting methods keep stacks; write the chares for imbrex itself")
    if _core.num_pes() != _core.num_processes():
        raise Charm4PyError(f"{_core.num_pes()} PEs in {_core.num_processes()} processes: each PE of a program of "
                            f"charm4py has its own globals, so start it by imbrex run -n {_core.num_pes()}")
    nodes = _creation.group(Node)
    hosts = await nodes.host.reduce(_operations.gather)
    await nodes.begin.call(nodes, hosts)
    nodes[0].message.send("begin_main")
    await nodes.end.call()


charm.main = _main
