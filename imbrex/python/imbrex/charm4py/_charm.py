# SPDX-License-Identifier: Apache-2.0
"""`charm`: the programs' interface to the runtime, and on each PE a chare with remote methods."""

import importlib
import inspect
import itertools
import pickle
import sys
import time
import traceback
import types

from imbrex import _core, _run
from imbrex.charm4py import _balancers, _coroutines
from imbrex.charm4py._chare import Array, Chare, coro
from imbrex.charm4py._future import Future
from imbrex.charm4py._reducer import Reducer


class Charm4PyError(Exception):
    """An error for uses that charm4py forbids too."""


class Readonlies:
    """Values that are set on one PE and then sent to all."""

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
        _coroutines.here().send_to_all("broadcast", 0, "_set_readonly", (name, value), None, None)


class Options(types.SimpleNamespace):
    """Options of charm4py. They are accepted but have no effect, except `remote_exec`: imbrex makes these choices
    itself."""


class Pool:
    """Runs functions as tasks on all PEs but the first; on the first if it is the only one."""

    def __init__(self):
        self._jobs = itertools.count(1)

    def _submit(self, tasks, ncores, future):
        runtime = _coroutines.here()
        job = runtime.pe, next(self._jobs)
        for chunk, own in zip(tasks, future, strict=True):
            runtime.send(0, "task", job, ncores, pickle.dumps(chunk, 5), own)

    def _results(self, tasks, chunksize, ncores, multi_future):
        chunks = [tasks[i:i + chunksize] for i in range(0, len(tasks), chunksize)]
        parts = [Future() for _ in chunks]
        if multi_future:
            own = [Future() for _ in tasks]
            for k, part in enumerate(parts):
                part.when_ready(lambda part, k=k: _hand_out(part, own[k * chunksize:(k + 1) * chunksize]))
            for future in own:
                future.parts = parts  # keeps the parts alive while the future is awaited
        else:
            own = Future()
            own.parts = parts
            own.missing = len(parts)
            for part in parts:
                part.when_ready(lambda _: _collect(own))
            if not parts:
                own.send([])
        self._submit(chunks, ncores, parts)
        return own

    def map_async(self, func, iterable, chunksize=1, ncores=-1, multi_future=False):
        return self._results([(func, (x,)) for x in iterable], chunksize, ncores, multi_future)

    def map(self, func, iterable, chunksize=1, ncores=-1):
        return self.map_async(func, iterable, chunksize, ncores).get()

    def submit_async(self, iterable, chunksize=1, ncores=-1, multi_future=False):
        return self._results([(func, (x,)) for func, x in iterable], chunksize, ncores, multi_future)

    def submit(self, iterable, chunksize=1, ncores=-1):
        return self.submit_async(iterable, chunksize, ncores).get()

    def Task(self, func, args, ret=False, awaitable=False):
        future = None
        part = None
        if ret or awaitable:
            future = Future()
            part = future.parts = Future()
            part.when_ready(lambda part: future.send(_only(part, ret)))
        self._submit([[(func, tuple(args))]], -1, [part])
        return future


def _only(part, ret):
    [value] = part._values
    return value if isinstance(value, _coroutines.Raised) else value[0] if ret else None


def _hand_out(part, futures):
    [values] = part._values
    for i, future in enumerate(futures):
        future.send(values if isinstance(values, _coroutines.Raised) else values[i])


def _collect(future):
    future.missing -= 1
    if future.missing == 0:
        values = [part._values[0] for part in future.parts]
        error = next((v for v in values if isinstance(v, _coroutines.Raised)), None)
        future.send(error or [v for some in values for v in some])


class Charm(Chare):
    """The element on each PE of a group that always exists."""

    def __init__(self):
        self.options = Options(profiling=False, quiet=False, remote_exec=False, local_msg_optim=True,
                               local_msg_buf_size=50, pickle_protocol=-1, auto_flush_wait_queues=True,
                               interactive=types.SimpleNamespace(verbose=1, broadcast_imports=True))
        self.pool = Pool()
        self.strategy = None  #: the name of the balancer's strategy
        self.entry = None
        self.main = None  #: what PE 0 runs; `_node` sets it

    # Beginning and end

    def start(self, entry=None, classes=(), modules=(), interactive=False):
        if entry is None or interactive:
            raise Charm4PyError("imbrex has no prompt for programs of charm4py: use imbrex.start in a notebook")
        for name in modules:
            importlib.import_module(name)
        self._read_arguments()
        self.entry = entry
        _run.run(self.main)
        sys.stdout.flush()
        sys.stderr.flush()
        sys.exit(0)

    def _read_arguments(self):
        """Removes arguments that begin with + or ++ from the command line."""
        words = iter(sys.argv)
        left = []
        ignored = []
        for word in words:
            if word == "+balancer":
                self.strategy = _balancers.strategy_of(next(words, None))
            elif word in ("+p", "+libcharm_interface", "+LBDebug", "+LBPeriod", "+pemap", "+commap"):
                next(words, None)
            elif word.startswith("++") or word.startswith("+") and len(word) > 1:
                if not word[2:].isdigit() and word not in ("++local", "++quiet", "+setcpuaffinity"):
                    ignored.append(word)
            else:
                left.append(word)
        sys.argv[:] = left
        if ignored and _core.process() == 0:
            print(f"imbrex: ignored: {' '.join(ignored)}", file=sys.stderr)

    def run_entry(self):
        runtime = _coroutines.here()
        if inspect.isclass(self.entry):
            coro(self.entry.__init__)
            runtime.create(self.entry, "single", (1,), [sys.argv], 0, False, None)
        else:
            runtime.start(self, lambda: self.entry(sys.argv), self.entry.__name__)

    def exit(self, exit_code=0):
        _coroutines.here().exit(exit_code)

    def abort(self, message):
        traceback.print_stack()
        print(message, file=sys.stderr, flush=True)
        _coroutines.here().exit(1)

    # PEs and processes

    def myPe(self):
        return _core.pe()

    def numPes(self):
        return _core.num_pes()

    def _hosts(self):
        return list(dict.fromkeys(_coroutines.here().hosts))

    def myHost(self):
        return self.getPeHost(self.myPe())

    def numHosts(self):
        return len(self._hosts())

    def getHostPes(self, host):
        name = self._hosts()[host]
        return [pe for pe, of in enumerate(_coroutines.here().hosts) if of == name]

    def getHostFirstPe(self, host):
        return self.getHostPes(host)[0]

    def getHostNumPes(self, host):
        return len(self.getHostPes(host))

    def getPeHost(self, pe):
        return self._hosts().index(_coroutines.here().hosts[pe])

    def getPeHostRank(self, pe):
        return self.getHostPes(self.getPeHost(pe)).index(pe)

    def getTopoTreeEdges(self, pe, root_pe, pes=None, bfactor=4):
        """The parent of a PE in a tree, None of the root, and its children."""
        order = [root_pe] + [p for p in (range(self.numPes()) if pes is None else pes) if p != root_pe]
        at = order.index(pe)
        return None if at == 0 else order[(at - 1) // bfactor], order[bfactor * at + 1:bfactor * at + bfactor + 1]

    def getTopoSubtrees(self, root_pe, pes, bfactor=4):
        """The PEs below the root, in at most that many lists, each with its own root first."""
        rest = [p for p in pes if p != root_pe]
        n = min(bfactor, len(rest))
        return [rest[i * len(rest) // n:(i + 1) * len(rest) // n] for i in range(n)]

    # Waiting

    def Future(self, num_vals=1):
        return Future(num_vals)

    def awaitCreation(self, *proxies):
        for proxy in proxies:
            future = _coroutines.here().creations.get(proxy.collection)
            if future is None:
                raise Charm4PyError("awaitCreation is for the PE that has created the chares")
            future.get()

    def iwait(self, awaitables):
        ready = []
        missing = 0
        wakes = []

        def note(one):
            ready.append(one)
            if wakes:
                wakes.pop()()
        for one in awaitables:
            missing += 1
            one.when_ready(note)
        for _ in range(missing):
            if not ready:
                wakes.append(_coroutines.waker())
                _coroutines.suspend()
            yield ready.pop(0)

    def wait(self, awaitables):
        for _ in self.iwait(awaitables):
            pass

    def startQD(self, callback):
        _coroutines.here().when_quiet(callback)

    def waitQD(self):
        self.startQD(_coroutines.waker())
        _coroutines.suspend()

    def sleep(self, secs):
        if _coroutines.is_hub():
            time.sleep(secs)
        else:
            _coroutines.here().after(secs, _coroutines.waker())
            _coroutines.suspend()

    def scheduleCallableAfter(self, callable_obj, secs, args=()):
        _coroutines.here().after(secs, lambda: callable_obj(*args))

    # Sections

    def split(self, proxy, numsections, section_func=None, elems=None, slicing=None, cons=None):
        if cons is not None:
            raise Charm4PyError("split(cons=...) is what charm4py itself constructs groups by: Group(T, onPEs=[...]) "
                                "makes one on some PEs")
        if slicing is not None:
            return [proxy[slicing]]
        if elems is None:
            return _coroutines.here().split(proxy, numsections, "function", section_func)
        if numsections == 1 and not (elems and isinstance(elems[0], list)):
            elems = [elems]
        of_array = not proxy._cls_is_of_group()
        elems = [[i if isinstance(i, tuple) or not of_array else (i,) for i in some] for some in elems]
        return _coroutines.here().split(proxy, numsections, "elements", elems)

    def combine(self, *proxies):
        return _coroutines.here().combine(proxies)

    # Methods that other PEs call

    def updateGlobals(self, global_dict, module_name="__main__"):
        sys.modules[module_name].__dict__.update(global_dict)

    def _check_remote_exec(self):
        if not self.options.remote_exec:
            raise Charm4PyError("code of other PEs is executed only if charm.options.remote_exec is True")

    def exec(self, code, module_name="__main__"):
        self._check_remote_exec()
        exec(code, sys.modules[module_name].__dict__)

    rexec = exec

    def eval(self, expression, module_name="__main__"):
        self._check_remote_exec()
        return eval(expression, sys.modules[module_name].__dict__)

    def createArray(self, cls, dims=None, ndims=-1, args=(), map=None, useAtSync=False, cb=None):
        array = Array(cls, dims, ndims, args, map, useAtSync)
        if cb is not None:
            cb(array)
        return array

    def addReducer(self, func, pre=None, post=None):
        Reducer.addReducer(func, pre, post)

    # Loads, for balancing

    def LBTurnInstrumentOn(self):
        _coroutines.here().measures_loads = True

    def LBTurnInstrumentOff(self):
        _coroutines.here().measures_loads = False

    def printStats(self):
        """Does nothing: imbrex's own --stats reports more."""

    def _set_readonly(self, name, value):
        object.__setattr__(readonlies, name, value)


charm = Charm()
readonlies = Readonlies()
