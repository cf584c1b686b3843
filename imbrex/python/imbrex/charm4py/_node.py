# SPDX-License-Identifier: Apache-2.0
"""What each PE knows of a program's chares, and the messages by which PEs tell each other.

Methods of a runtime that begin with `on_` are what messages call. They run in the PE's own greenlet, the hub; what may
wait runs in greenlets of a pool, for each new one costs a mapping of memory. Who makes a greenlet go on notes it in
`ready`, and the hub resumes it before it takes the next message.
"""

import collections
import functools
import itertools
import pickle
import random
import socket
import time
import weakref

try:
    import greenlet
except ImportError as e:
    raise ImportError("programs of charm4py need greenlet on imbrex: pip install greenlet") from e

from imbrex import _classes, _core

_DONE = object()
_runtimes = {}


def here():
    """The runtime of this PE."""
    try:
        return _runtimes[_core.pe()]
    except Exception:
        raise RuntimeError("this is only there in a program that charm.start has started") from None


def suspend():
    """Suspends the coroutine that runs until its waker is called."""
    runtime = here()
    if is_hub():
        raise RuntimeError("only coroutines can wait: decorate the method with @coro")
    runtime.hub.switch(None)


def is_hub():
    return greenlet.getcurrent() is here().hub


class waker:
    """Called, it has the coroutine that made it go on, once."""

    def __init__(self):
        self._greenlet = greenlet.getcurrent()
        self._ready = here().ready

    def __call__(self, _=None):
        if self._greenlet is not None:
            self._ready.append(self._greenlet)
            self._greenlet = None


class Raised:
    """The exception that came in the place of a value."""

    def __init__(self, exception):
        self.exception = exception

    def __reduce__(self):
        try:
            pickle.loads(pickle.dumps(self.exception))
        except Exception:
            return Raised, (RuntimeError(f"{type(self.exception).__name__}: {self.exception}"),)
        return Raised, (self.exception,)


class Node(_classes.Chare):
    """The chare of a PE through which its runtime sends and receives."""

    news = _classes.Mailbox()

    @_classes.entry
    def host(self):
        return socket.gethostname()

    @_classes.entry
    def begin(self, nodes, hosts):
        _runtimes[_core.pe()] = self.runtime = Runtime(nodes, self.proxy, hosts)

    @_classes.entry
    def take(self, what, *arguments):
        self.runtime.handle(what, arguments)

    @_classes.entry
    def take_own(self, number):
        self.runtime.handle(*self.runtime.own.pop(number))

    @_classes.entry
    async def after(self, number, seconds):
        await _core.sleep(seconds)
        self.runtime.handle("timer", (number,))

    @_classes.entry
    async def when_quiet(self, number):
        await _core.quiescence()
        self.runtime.handle("timer", (number,))

    @_classes.entry
    async def stay(self):
        await self.news.receive()


class Collection:
    """An array, a group or a single chare, as this PE knows it."""

    def __init__(self, cls, kind, dims, place, is_synced):
        self.cls, self.kind, self.dims, self.place, self.is_synced = cls, kind, dims, place, is_synced
        self.elements = {}
        self.moved = {}    # index -> PE, of elements that are not where they began
        self.waiting = {}  # index -> messages for elements that are not there yet
        self.has_changed = kind == "array" and dims is None  # its elements here are not those that it began with
        self.total = None

    @property
    def members(self):
        return self.elements.values()


class Section:
    def __init__(self, members):
        self.members = members
        self.has_changed = False


class Reduction:
    """Contributions to a reduction that have come to this PE."""

    def __init__(self):
        self.count = 0
        self.values = []
        self.callback = None
        self.name = None
        self.is_for_all = False


class Collector:
    """Awaits what each PE says of a broadcast."""

    def __init__(self, future, pes, has_results):
        self.future, self.missing, self.has_results = future, pes, has_results
        self.results = []
        self.error = None


class Reply:
    """Where the result of one call goes."""

    def __init__(self, future, has_result):
        self.future, self.has_result = future, has_result

    def __call__(self, result):
        self.future.send(result if self.has_result or isinstance(result, Raised) else None)


class Runtime:
    def __init__(self, nodes, own_node, hosts):
        from imbrex.charm4py import _charm, _chare
        self.pe, self.pes = _core.pe(), _core.num_pes()
        self.hosts = hosts
        self.hub = greenlet.getcurrent()
        self.ready = collections.deque()
        self.idle = []
        self.own = {}
        self.futures = weakref.WeakValueDictionary()
        self.timers = {}
        self.collections = {}
        self.sections = {}
        self.section_totals = {}
        self.unknown = collections.defaultdict(list)  # messages about what has not been heard of yet
        self.reductions = collections.defaultdict(Reduction)
        self.whole_reductions = collections.defaultdict(Reduction)
        self.awaiting_all = collections.defaultdict(list)
        self.creations = {}
        self.insertions = collections.Counter()
        self.collectors = {}
        self.syncs = collections.defaultdict(list)
        self.missing_arrivals = {}
        self.tasks = {}
        self.busy = [0] * self.pes
        self.count_of_singles = self.pe
        self._numbers = itertools.count(1)
        self._node = own_node
        self._to_all = nodes.take
        self._to = [nodes[pe].take for pe in range(self.pes)]
        self._to_own = own_node.take_own
        self._handlers = {name[3:]: getattr(self, name) for name in dir(self) if name.startswith("on_")}
        self._states = _chare
        charm = _charm.charm
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
            future.send(Raised(RuntimeError("this future is there no more")))
            return
        own.when_ready(lambda f: future.send(f._values[0] if len(f._values) == 1 else f._values))

    # Coroutines

    def _switch(self, own, given):
        """Has a greenlet run until it waits or is done."""
        said = own.switch(given)
        chare = own.chare
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

    def start(self, chare, function):
        """Runs a function in a greenlet. True if it has ended."""
        own = self.idle.pop() if self.idle else greenlet.greenlet(self._work, self.hub)
        own.chare = chare
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

    # Calls

    def call(self, proxy, name, args, kwargs, wants_future, has_result):
        from imbrex.charm4py._future import Future
        future = Future() if wants_future else None
        if proxy.index is not None:
            self.send_to_element(proxy, "call", name, args, kwargs,
                                 None if future is None else Reply(future, has_result))
            return future
        to = None
        if future is not None:
            to = self.pe, self.keep_collector(future, has_result)
        self.send_to_all("broadcast", proxy.key, name, args, kwargs, to)
        return future

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
            self.send(self.home(c, index) if pe is None else pe, "element", cid, index, what, payload)

    def home(self, c, index):
        """Where an element was created, or would be."""
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
            condition = self._states.condition_of(function)
            if not condition.holds(chare, args):
                self._hold(chare, condition, (name, args, kwargs, reply))
                return
        self._run(chare, method, function, args, kwargs, reply)
        self.flush(chare)

    def _run(self, chare, method, function, args, kwargs, reply):
        body = functools.partial(self._body, method, args, kwargs, reply)
        begin = time.perf_counter()
        if getattr(function, "_c4_is_coro", False):
            self.start(chare, body)
        else:
            body()
        chare._c4.load += time.perf_counter() - begin

    def _body(self, method, args, kwargs, reply):
        if reply is None:
            method(*args, **kwargs)
            return
        try:
            result = method(*args, **kwargs)
        except Exception as e:
            result = Raised(e)
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
        """A message whose condition holds now."""
        state = chare._c4
        for name, by_tag in state.tagged.items():
            condition = self._states.condition_of(getattr(type(chare), name))
            tag = getattr(chare, condition.attrib_name)
            queue = by_tag.get(tag)
            if queue:
                message = queue.popleft()
                if not queue:
                    del by_tag[tag]
                return message
        for i, message in enumerate(state.held):
            if self._states.condition_of(getattr(type(chare), message[0])).holds(chare, message[1]):
                del state.held[i]
                return message
        return None

    def flush(self, chare):
        """The state of a chare has perhaps changed: has go on what waited for that."""
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
        """Those of a collection or section that are here; None if it has not been heard of."""
        found = self.sections.get(key) if isinstance(key, tuple) else self.collections.get(key)
        return None if found is None else list(found.members)

    def on_broadcast(self, key, name, args, kwargs, to):
        members = self.members(key)
        if members is None:
            self.unknown[key].append(("broadcast", (key, name, args, kwargs, to)))
            return
        if to is None:
            for chare in members:
                self.invoke(chare, name, args, kwargs, None)
            return
        self._gather_replies(members, to, lambda chare, reply: self.invoke(chare, name, args, kwargs, reply))

    def _gather_replies(self, members, to, begin):
        """Tells a collector once all members have replied. `begin(chare, reply)` has one begin."""
        pe, number = to
        results = []
        if not members:
            self.send(pe, "collected", number, results)

        def take(chare, result):
            results.append((chare._c4.sort_key, result))
            if len(results) == len(members):
                self.send(pe, "collected", number, results)
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
        proxy = self._states.Proxy(cls, cid, dims, index, is_single=kind == "single", onto=onto)
        from imbrex.charm4py._future import Future
        future = self.creations[cid] = Future()
        self.send_to_all("create", proxy, kind, args, place, is_synced, (self.pe, self.keep_collector(future)))
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
        chare._c4 = self._states.State(proxy, proxy.collection, index)
        c.elements[index] = chare
        return chare

    def _construct(self, chare, args, reply):
        def constructor(*given):  # whatever it raises ends the run: nobody could use the chare
            chare.__init__(*given)
            if reply is not None:
                reply(None)
        self._run(chare, constructor, type(chare).__init__, args, {}, None)
        self.flush(chare)

    def _now_known(self, key):
        for what, arguments in self.unknown.pop(key, ()):
            self._handlers[what](*arguments)
        self._look_at_whole(key)

    def insert(self, proxy, index, args, pe):
        c = self.collections.get(proxy.collection)
        self.insertions[proxy.collection] += 1
        if pe < 0:
            if c is None:  # its creation is on its way
                self.unknown[proxy.collection].append(("insert_somewhere", (proxy, index, args)))
                return
            pe = self.home(c, index)
        self.send(pe, "insert", proxy, index, args)

    def on_insert_somewhere(self, proxy, index, args):
        self.send(self.home(self.collections[proxy.collection], index), "insert", proxy, index, args)

    def on_insert(self, proxy, index, args):
        cid = proxy.collection
        c = self.collections.get(cid)
        if c is None:
            self.unknown[cid].append(("insert", (proxy, index, args)))
            return
        chare = self._new_element(c, proxy, index)
        self._construct(chare, args, None)
        self._tell_home(c, cid, index)
        self._deliver_waiting(c, cid, index)

    def done_inserting(self, proxy):
        self.send_to_all("total", proxy.collection, self.insertions[proxy.collection])

    def on_total(self, cid, total):
        c = self.collections.get(cid)
        if c is None:
            self.unknown[cid].append(("total", (cid, total)))
            return
        c.total = total
        self._look_at_whole(cid)

    # Reductions

    def root(self, key):
        return key[0] if isinstance(key, tuple) else key % self.pes

    def contribute(self, key, number, name, value, callback):
        own = self.reductions[key, number]
        own.count += 1
        own.name = name
        own.callback = callback
        if name is not None:
            own.values.append(value)
        future = None
        if callback is None:
            from imbrex.charm4py._future import Future
            future = Future()
            own.is_for_all = True
            self.awaiting_all[key, number].append(future)
        if self._all_have_contributed(key, number, own):
            self._pass_on(key, number)
        return future

    def _all_have_contributed(self, key, number, own):
        found = self.sections.get(key) if isinstance(key, tuple) else self.collections.get(key)
        if found is None:
            return False
        if not found.has_changed:
            return own.count >= len(found.members)
        return all(c._c4.reductions.get(key, 0) > number for c in found.members)

    def _pass_on(self, key, number):
        own = self.reductions.pop((key, number))
        values = own.values
        if own.name is not None and len(values) > 1:
            values = [self._reduce(own.name, values)]
        self.send(self.root(key), "partial", key, number, own.count, own.name, values, own.callback, own.is_for_all)

    def _reduce(self, name, values):
        from imbrex.charm4py._reducer import Reducer
        return getattr(Reducer, name)(values)

    def on_partial(self, key, number, count, name, values, callback, is_for_all):
        whole = self.whole_reductions[key, number]
        whole.count += count
        whole.values += values
        whole.name, whole.callback, whole.is_for_all = name, callback, is_for_all
        self._look_at(key, number)

    def _total(self, key):
        if isinstance(key, tuple):
            heard, total = self.section_totals.get(key, (0, 0))
            return total if heard == self.pes else None
        c = self.collections.get(key)
        return None if c is None else c.total

    def _look_at_whole(self, key):
        for known, number in list(self.whole_reductions):
            if known == key:
                self._look_at(key, number)
        for known, number in list(self.reductions):
            if known == key and self._all_have_contributed(key, number, self.reductions[known, number]):
                self._pass_on(key, number)

    def _look_at(self, key, number):
        whole = self.whole_reductions[key, number]
        if whole.count != self._total(key):
            return
        from imbrex.charm4py._reducer import Reducer
        del self.whole_reductions[key, number]
        arguments = ()
        if whole.name is not None and whole.name != "nop":
            arguments = (Reducer.after(whole.name, self._reduce(whole.name, whole.values)),)
        if whole.is_for_all:
            self.send_to_all("result", key, number, arguments)
        else:
            whole.callback(*arguments)

    def on_result(self, key, number, arguments):
        for future in self.awaiting_all.pop((key, number), ()):
            future.send(*arguments)

    # Sections

    def _new_sections(self, proxy, n):
        keys = [(self.pe, self.number()) for _ in range(n)]
        return keys, [self._states.Proxy(proxy._cls, proxy.collection, proxy._dims, None, key, onto=proxy._onto)
                      for key in keys]

    def split(self, proxy, n, how, data):
        """`how`: "function" of a chare, "ranges" of indices, or "elements", a list of indices for each section."""
        keys, proxies = self._new_sections(proxy, n)
        self.send_to_all("split", proxy.key, keys, how, data)
        return proxies

    def on_split(self, parent, keys, how, data):
        members = self.members(parent)
        if members is None:
            self.unknown[parent].append(("split", (parent, keys, how, data)))
            return
        if how == "elements":
            data = [set(indices) for indices in data]
        found = [[] for _ in keys]
        for chare in members:
            index = chare._c4.index
            if how == "function":
                which = data(chare)
                which = [which] if isinstance(which, int) else which
            elif how == "ranges":
                at = index if isinstance(index, tuple) else (index,)
                which = [0] if all(i in r for i, r in zip(at, data, strict=True)) else []
            else:
                which = [s for s, indices in enumerate(data) if index in indices]
            for s in which:
                if s >= 0:
                    found[s].append(chare)
        self._keep_sections(keys, found)

    def combine(self, proxies):
        keys, [proxy] = self._new_sections(proxies[0], 1)
        self.send_to_all("combine", keys[0], [p.key for p in proxies])
        return proxy

    def on_combine(self, key, parents):
        for parent in parents:
            if self.members(parent) is None:
                self.unknown[parent].append(("combine", (key, parents)))
                return
        self._keep_sections([key], [list(dict.fromkeys(c for p in parents for c in self.members(p)))])

    def _keep_sections(self, keys, found):
        for key, members in zip(keys, found, strict=True):
            self.sections[key] = Section(members)
            for chare in members:
                chare._c4.sections.add(key)
        self.send(keys[0][0], "members", keys, [len(members) for members in found])
        for key in keys:
            self._now_known(key)

    def on_members(self, keys, counts):
        for key, count in zip(keys, counts, strict=True):
            heard, total = self.section_totals.get(key, (0, 0))
            self.section_totals[key] = heard + 1, total + count
            self._look_at_whole(key)

    # Migration

    def migrate(self, chare, to, balancing_root=None):
        state = chare._c4
        if to == self.pe:
            return
        if state.threads or state.waits:
            raise RuntimeError(f"{type(chare).__name__}{state.index} cannot migrate: one of its coroutines waits")
        cid, index = state.collection, state.index
        c = self.collections[cid]
        own = {name: value for name, value in chare.__dict__.items() if name != "_c4"}
        carried = (state.is_migratable, state.tagged, state.held, state.reductions, state.sections, state.channels,
                   state.channel_counts)
        form = pickle.dumps((carried, own), 5)
        del c.elements[index]
        c.moved[index] = to
        for key in state.sections:
            self.sections[key].members.remove(chare)
        self._membership_changes(c, cid, state.sections)
        self.send(to, "arrive", state.proxy, index, form, balancing_root)

    def _membership_changes(self, c, cid, sections):
        c.has_changed = True
        for key in sections:
            self.sections[key].has_changed = True
        for key in (cid, *sections):
            self._look_at_whole(key)

    def on_arrive(self, proxy, index, form, balancing_root):
        cid = proxy.collection
        c = self.collections.get(cid)
        if c is None:
            self.unknown[cid].append(("arrive", (proxy, index, form, balancing_root)))
            return
        chare = self._new_element(c, proxy, index)
        carried, own = pickle.loads(form)
        state = chare._c4
        (state.is_migratable, state.tagged, state.held, state.reductions, state.sections, state.channels,
         state.channel_counts) = carried
        chare.__dict__.update(own)
        for key in state.sections:
            self.sections[key].members.append(chare)
        self._tell_home(c, cid, index)
        self._membership_changes(c, cid, state.sections)
        chare.migrated()
        self._deliver_waiting(c, cid, index)
        if balancing_root is not None:
            self.send(balancing_root, "sync_arrival", cid)

    def _tell_home(self, c, cid, index):
        c.moved.pop(index, None)
        home = self.home(c, index)
        if home != self.pe:
            self.send(home, "moved", cid, index, self.pe)

    def on_moved(self, cid, index, pe):
        c = self.collections.get(cid)
        if c is None:
            self.unknown[cid].append(("moved", (cid, index, pe)))
            return
        if index in c.elements:
            return
        c.moved[index] = pe
        for what, payload in c.waiting.pop(index, ()):
            self.send(pe, "element", cid, index, what, payload)

    def _deliver_waiting(self, c, cid, index):
        for what, payload in c.waiting.pop(index, ()):
            self.send(self.pe, "element", cid, index, what, payload)

    # Balancing

    def at_sync(self, chare):
        state = chare._c4
        self.send(self.root(state.collection), "at_sync", state.collection, state.index, self.pe, state.load,
                  state.is_migratable)
        state.load = 0.0

    def on_at_sync(self, cid, *what):
        from imbrex.charm4py._charm import charm
        reports = self.syncs[cid]
        reports.append(what)
        if len(reports) < self.collections[cid].total:
            return
        del self.syncs[cid]
        moves = _moves(charm.balancer, reports, self.pes)
        self.missing_arrivals[cid] = len(moves)
        self.send_to_all("moves", cid, self.pe, moves)
        if not moves:
            self.send_to_all("resume", cid)

    def on_moves(self, cid, root, moves):
        c = self.collections[cid]
        for index, pe, to in moves:
            if pe == self.pe:
                self.migrate(c.elements[index], to, root)

    def on_sync_arrival(self, cid):
        self.missing_arrivals[cid] -= 1
        if self.missing_arrivals[cid] == 0:
            self.send_to_all("resume", cid)

    def on_resume(self, cid):
        for chare in self.members(cid):
            self.invoke(chare, "resumeFromSync", (), {}, None)

    # Time

    def after(self, seconds, function):
        number = next(self._numbers)
        self.timers[number] = function
        self._node.after.send(number, seconds)

    def when_quiet(self, function):
        number = next(self._numbers)
        self.timers[number] = function
        self._node.when_quiet.send(number)

    def on_timer(self, number):
        self.timers.pop(number)()

    # Tasks of the pool: PE 0 gives them to the others

    def on_task(self, job, limit, form, future):
        waiting = self.tasks.setdefault(job, [collections.deque(), 0, limit])
        waiting[0].append((form, future))
        self._give_tasks()

    def _give_tasks(self):
        workers = range(1, self.pes) if self.pes > 1 else range(1)
        for job, waiting in list(self.tasks.items()):
            queue, running, limit = waiting
            while queue and (limit < 0 or running < limit):
                pe = min(workers, key=self.busy.__getitem__)
                if self.busy[pe] > 0:
                    return
                self.busy[pe] += 1
                running = waiting[1] = running + 1
                self.send(pe, "run_task", job, *queue.popleft())
            if not queue and running == 0:
                del self.tasks[job]

    def on_run_task(self, job, form, future):
        done = []

        def body():
            try:
                result = [function(*args) for function, args in pickle.loads(form)]
            except Exception as e:
                if future is None:
                    raise
                result = Raised(e)
            if future is not None:
                future.send(result)
            done.append(True)
            self.send(0, "task_done", job, -1 if is_free else self.pe)
        is_free = False
        self.start(None, body)
        if not done:  # it waits: the PE can run others
            is_free = True
            self.send(0, "worker_free", self.pe)

    def on_worker_free(self, pe):
        self.busy[pe] -= 1
        self._give_tasks()

    def on_task_done(self, job, pe):
        if pe >= 0:
            self.busy[pe] -= 1
        waiting = self.tasks.get(job)
        if waiting is not None:
            waiting[1] -= 1
        self._give_tasks()

    def on_begin_main(self):
        from imbrex.charm4py._charm import charm
        charm.run_entry()


def _moves(balancer, reports, pes):
    """Which elements go where: (index, PE, other PE)."""
    if balancer is None or pes == 1:
        return []
    if balancer.startswith("Rand"):
        wanted = [(index, pe, random.randrange(pes)) for index, pe, _, is_migratable in reports if is_migratable]
        return [move for move in wanted if move[1] != move[2]]
    loads = [0.0] * pes
    for _, pe, load, _ in reports:
        loads[pe] += load
    average = sum(loads) / pes
    moves = []
    for index, pe, load, is_migratable in sorted(reports, key=lambda r: -r[2]):
        to = min(range(pes), key=loads.__getitem__)
        if is_migratable and loads[pe] > 1.05 * average and loads[to] + load < loads[pe]:
            loads[pe] -= load
            loads[to] += load
            moves.append((index, pe, to))
    return moves
