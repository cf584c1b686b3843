# SPDX-License-Identifier: Apache-2.0
"""Programs of charm4py by imbrex.charm4py: own ones, each of several things (charm4py_programs.py runs charm4py's)."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("greenlet")
COMMAND = os.environ.get("IMBREX_COMMAND")
pytestmark = pytest.mark.skipif(not COMMAND, reason="IMBREX_COMMAND does not name the command imbrex")


@pytest.fixture
def run(tmp_path):
    def on(processes, text, *arguments):
        file = tmp_path / "prog.py"
        file.write_text(text)
        words = [COMMAND, "run", "-n", str(processes), sys.executable, "-m", "imbrex.charm4py", str(file), *arguments]
        return subprocess.run(words, capture_output=True, text=True, timeout=60)
    return on


CALLS = """
import random
import numpy as np
from charm4py import charm, Chare, Group, Array, Future, Reducer, coro, when, Channel, threads, wait

def widest(contributions):
    return max(contributions, key=len)

Reducer.addReducer(widest, post=lambda s: s.upper())

class Cell(Chare):
    def __init__(self, seed=0):
        self.seed = seed
        self.round = 0
        self.order = []

    def number(self, factor=1, *, plus=0):
        return factor * self.thisIndex[0] + plus

    @coro
    def sum_to(self, n):
        return sum(self.thisProxy[i].number(ret=True).get() for i in range(n))

    def refuse(self):
        if self.thisIndex[0] % 2:
            raise LookupError("odd")

    @when("self.round == round")
    def turn(self, round, what):
        self.order.append((round, what))
        self.round += 1

    def turns(self):
        return self.order

    def totals(self, f, g, h, section):
        self.reduce(f, np.full(3, self.thisIndex[0]), Reducer.sum)
        self.reduce(g, "x" * self.thisIndex[0], Reducer.widest)
        if section is not None and self.thisIndex[0] % 2 == 0:
            self.reduce(h, self.thisIndex[0], Reducer.gather, section)

    @coro
    def everyone(self, n):
        return [self.allreduce(self.thisIndex[0] * k, Reducer.max).get() for k in range(n)]

    @coro
    def exchange(self, n):
        count = 7
        ends = [Channel(self, remote=self.thisProxy[(self.thisIndex[0] + d) % count]) for d in (1, -1)]
        for k in range(n):
            for end in ends:
                end.send(self.thisIndex[0], k)
            for end in charm.iwait(ends):
                who, what = end.recv()
                assert what == k and (who - self.thisIndex[0]) % count in (1, count - 1)
        return self.thisIndex[0]

    def place(self):
        return charm.myPe()

class Counter(Chare):
    def __init__(self):
        self.count = 0

    def add(self, n):
        self.count += n

    @coro
    def when_there(self, n):
        self.wait("self.count == " + str(n))
        return self.count

def square(x):
    if x < 0:
        raise ArithmeticError("negative")
    return x * x

@coro
def fibonacci(n):
    return n if n < 2 else sum(charm.pool.map(fibonacci, [n - 1, n - 2]))

def main(args):
    assert args[1:] == ["7", "--own"], args
    a = Array(Cell, 7, args=[3])
    charm.awaitCreation(a)
    assert a[3].number(ret=True).get() == 3
    assert a.number(2, plus=1, ret=True).get() == [2 * i + 1 for i in range(7)]
    assert a[2].sum_to(7, ret=True).get() == 21
    assert a.sum_to(3, awaitable=True).get() is None

    for answer in (a[1].refuse(ret=True), a.refuse(awaitable=True)):
        try:
            answer.get()
            assert False
        except LookupError as e:
            assert "odd" in str(e)
    assert [isinstance(x, LookupError) for x in a.refuse(ret=True).get()] == [i % 2 == 1 for i in range(7)]

    rounds = list(range(20))
    random.Random(1).shuffle(rounds)
    for r in rounds:
        a[4].turn(r, str(r))
    charm.waitQD()
    assert a[4].turns(ret=True).get() == [(r, str(r)) for r in range(20)]

    even = a[::2]
    f, g, h = Future(), Future(), Future()
    a.totals(f, g, h, even)
    assert list(f.get()) == [21, 21, 21]
    assert g.get() == "XXXXXX"
    assert h.get() == [0, 2, 4, 6]
    assert even.number(ret=True).get() == [0, 2, 4, 6]
    some = charm.split(a, 2, elems=[[1, 2], [3]])
    assert [s.number(ret=True).get() for s in some] == [[1, 2], [3]]
    assert sorted(charm.combine(some[0], even).number(ret=True).get()) == [0, 1, 2, 4, 6]
    assert a.everyone(5, ret=True).get() == [[6 * k for k in range(5)]] * 7
    assert a.exchange(6, ret=True).get() == list(range(7))

    counters = Group(Counter)
    waiting = counters.when_there(10, ret=True)
    for k in range(4):
        counters.add(k + 1)
    assert waiting.get() == [10] * charm.numPes()
    assert isinstance(waiting, threads.Future)

    to = (a[0].place(ret=True).get() + 1) % charm.numPes()
    a[0].migrate(to, awaitable=True).get()
    assert a[0].place(ret=True).get() == to
    assert a.number(ret=True).get() == list(range(7))
    assert a.everyone(2, ret=True).get() == [[0, 6]] * 7

    sparse = Array(Cell, ndims=2)
    for k in range(9):
        sparse.ckInsert((k, k * k), args=[k])
    sparse.ckDoneInserting()
    assert sparse[3, 9].number(ret=True).get() == 3

    assert charm.pool.map(square, range(50), chunksize=7) == [square(x) for x in range(50)]
    assert fibonacci(8) == 21
    try:
        charm.pool.map(square, [1, -1])
        assert False
    except ArithmeticError:
        pass
    late = Future(2)
    charm.scheduleCallableAfter(late, 0.02, ["second"])
    late("first")
    assert late.get() == ["first", "second"]
    print("all of it", flush=True)
    exit()

charm.start(main)
print("not reached")
"""


@pytest.mark.parametrize("processes", [1, 3])
def test_a_program_of_much(run, processes):
    done = run(processes, CALLS, "7", f"+p{processes}", "++local", "--own")
    assert (done.returncode, done.stdout) == (0, "all of it\n"), done.stdout + done.stderr


GROWS = """
from charm4py import Array, Chare, Future, Group, Reducer, charm, coro

class Node(Chare):
    def __init__(self, depth):
        self.is_leaf = depth < 0
        if depth > 0:
            i = self.thisIndex[0]
            for child in (2 * i + 1, 2 * i + 2):
                self.thisProxy.ckInsert(child, args=[depth - 1], onPE=child % charm.numPes())
    def count(self, f):
        self.reduce(f, 1, Reducer.sum)
    def grow_and_count(self, f):
        if not self.is_leaf:
            self.thisProxy.ckInsert(self.thisIndex[0] + 100, args=[-1])
        self.count(f)
    @coro
    def all_of(self, rounds):
        return [self.allreduce(1, Reducer.sum).get() for _ in range(rounds)]
    def resumeFromSync(self):
        self.synced()
    def remember(self, f):
        self.synced = f
        self.AtSync()

class Inserter(Chare):
    def insert(self, into, n):
        for k in range(n):
            into.ckInsert(10_000 + self.thisIndex * n + k, args=[0])

def total(tree):
    f = Future()
    tree.count(f)
    return f.get()

def main(args):
    tree = Array(Node, ndims=1)
    tree.ckInsert(0, args=[3])
    tree.ckDoneInserting()
    charm.waitQD()
    assert total(tree) == 15  # the constructors inserted all but one
    assert total(tree) == 15
    Group(Inserter).insert(tree, 4)
    charm.waitQD()
    count = 15 + 4 * charm.numPes()
    assert total(tree) == count
    f = Future()
    tree.grow_and_count(f)
    assert count <= f.get() <= 2 * count  # those that the broadcast finds take part in the reduction
    charm.waitQD()
    count *= 2
    assert total(tree) == count
    rounds = tree.all_of(3, ret=True).get()
    assert rounds == [[count] * 3] * count
    f = Future(count)
    tree.remember(f)
    f.get()
    empty = Array(Node, ndims=1)
    empty.ckInsert(7, args=[0])
    empty.ckDoneInserting()
    assert total(empty) == 1
    for k in range(5):
        empty.ckInsert(k, args=[0])
    empty.ckDoneInserting()
    charm.waitQD()
    assert total(empty) == 6
    print("all of it", flush=True)
    exit()

charm.start(main)
"""


@pytest.mark.parametrize("processes", [1, 3])
def test_arrays_grow_at_any_time(run, processes):
    done = run(processes, GROWS)
    assert (done.returncode, done.stdout) == (0, "all of it\n"), done.stdout + done.stderr


FAILS = """
from charm4py import charm, Chare, Group

class Test(Chare):
    def fail(self):
        if self.thisIndex == 1:
            raise ValueError("on purpose")
    def wait_in_vain(self):
        charm.Future().get()
    def leave(self):
        exit(3)

class Main(Chare):
    def __init__(self, args):
        g = Group(Test)
        getattr(g[1], args[1])()
        charm.Future().get()

charm.start(Main)
"""


@pytest.mark.parametrize("entry, status, words", [
    ("fail", 1, 'raise ValueError("on purpose")'), ("wait_in_vain", 1, "decorate the method with @coro"),
    ("leave", 3, "")])
def test_ends(run, entry, status, words):
    done = run(2, FAILS, entry)
    assert done.returncode == status
    assert words in done.stderr


WAITS = """
from charm4py import charm, Chare, Future, Group, coro

class Worker(Chare):
    @coro
    def run(self):
        self.flag = 0
        self.wait("self.flag == 1")  # in vain

    def fail(self):
        raise ValueError("on purpose")

def main(args):
    workers = Group(Worker)
    getattr(workers[1], args[1])()
    Future().get()

charm.start(main)
"""


def test_reports_name_the_chare_the_method_and_the_line(run):
    line = 1 + WAITS.split("\n").index('        self.wait("self.flag == 1")  # in vain')
    done = run(2, WAITS, "run")
    assert done.returncode == 1 and "deadlock" in done.stderr
    assert f"prog.py:{line}, in run of Worker(1)" in done.stderr
    assert f"prog.py:{line + 8}, in main of Charm(0)" in done.stderr
    done = run(2, WAITS, "fail")
    assert done.returncode == 1 and "It came from Worker(1).fail on PE 1." in done.stderr


WRONG = """
from charm4py import Array, Chare, Group, charm

class Cell(Chare):
    def where(self):
        return self.thisIndex

class NoChare:
    pass

def main(args):
    line, square, sparse = Array(Cell, 3), Array(Cell, (2, 2)), Array(Cell, ndims=1)
    for wrong, words in (
            (lambda: Array(int, 3), "<class 'int'> is no chare class: derive one from Chare"),
            (lambda: Group(NoChare), "NoChare'> is no chare class"),
            (lambda: Chare(Cell.where), "is no chare class"),
            (lambda: Chare(None), "None is no chare class"),
            (lambda: Array(Cell, -1), "an array of Cell cannot have the shape -1: each extent must be 0 or more"),
            (lambda: Array(Cell, "x"), "the shape of an array of Cell is an int, or a tuple of ints, not 'x'"),
            (lambda: line["x"], "an index of the array of Cell is an int, or a tuple of ints, not 'x'"),
            (lambda: line[1.5], "not 1.5"),
            (lambda: square[1], "index 1 has 1 dimensions, and the array of Cell has the shape (2, 2)"),
            (lambda: sparse.ckInsert("x"), "an index of the array of Cell is an int, or a tuple of ints, not 'x'")):
        try:
            wrong()
        except (TypeError, ValueError, IndexError) as e:
            assert words in str(e), e
        else:
            assert False, words
    assert [line[2].where(ret=True).get(), square[[1, 0]].where(ret=True).get()] == [(2,), (1, 0)]
    print("all of it", flush=True)
    exit()

charm.start(main)
"""


def test_what_is_wrong_is_said_where_it_is_written(run):
    done = run(2, WRONG)
    assert (done.returncode, done.stdout) == (0, "all of it\n"), done.stdout + done.stderr


STATE = """
from charm4py import (
    Array, Chare, Options, Reducer, charm, charm4py_version, coro_ext, readonlies, threaded)

class Cell(Chare):
    def __init__(self):
        self.kept, self.lock = 7, lambda: None  # which cannot be pickled

    def __getstate__(self):
        state = dict(self.__dict__)
        del state["lock"]
        return state, self.thisIndex

    def __setstate__(self, given):
        state, index = given
        self.__dict__.update(state)
        self.lock = lambda: index

    def go(self, pe):
        self.migrate(pe)

    def look(self):
        return charm.myPe(), self.kept, self.lock(), self.thisIndex

    @threaded
    def wait_for(self, other):
        return self.thisProxy[other].look(ret=True).get()

    @coro_ext()
    def wait_too(self, other):
        return self.thisProxy[other].look(ret=True).get()

def longest(contributions):
    return max(contributions, key=len)

charm.addReducer(longest)

def main(args):
    seen = []
    a = charm.createArray(Cell, 4, cb=seen.append)
    charm.awaitCreation(a)
    assert seen == [a] and charm4py_version == "1.1" and isinstance(charm.options, Options)
    assert Reducer.longest is longest
    charm.LBTurnInstrumentOff()
    charm.LBTurnInstrumentOn()
    to = charm.numPes() - 1
    a[0].go(to, awaitable=True).get()
    assert a[0].look(ret=True).get() == (to, 7, (0,), (0,)), a[0].look(ret=True).get()
    assert a[1].wait_for(0, ret=True).get() == a[1].wait_too(0, ret=True).get() == (to, 7, (0,), (0,))
    [some] = charm.split(a, 1, slicing=slice(1, 3))
    assert [index for *_, index in some.wait_too(1, ret=True).get()] == [(1,), (1,)]
    print("all of it", flush=True)
    exit()

charm.start(main)
"""


def test_a_chare_moves_with_its_own_state_and_other_names_of_charm4py(run):
    done = run(2, STATE)
    assert (done.returncode, done.stdout) == (0, "all of it\n"), done.stdout + done.stderr


def test_a_program_that_is_not_there(tmp_path):
    done = subprocess.run([sys.executable, "-m", "imbrex.charm4py", "nofile.py", "+p2"], capture_output=True, text=True,
                          cwd=tmp_path, timeout=60)
    assert done.returncode == 1
    assert done.stderr == "imbrex.charm4py: cannot read the program nofile.py: No such file or directory\n"


def test_a_program_without_arguments(run):
    done = run(1, "from charm4py import charm\n\ndef main(args):\n    print(len(args))\n    exit()\n\n"
                  "charm.start(main)\n")
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr


def test_processes_are_started_for_p(run, tmp_path):
    file = tmp_path / "own.py"
    file.write_text("from charm4py import charm\n\ndef main(args):\n    print(charm.numPes(), args[1:])\n    exit()\n\n"
                    "charm.start(main)\n")
    done = subprocess.run([sys.executable, "-m", "imbrex.charm4py", str(file), "x", "+p2"], capture_output=True,
                          text=True, timeout=60)
    assert done.stdout == "2 ['x']\n", done.stderr


OBJECTS = """
from charm4py import charm, Chare, Group, Future, ObjectStore, coro
import numpy as np

def main(args):
    store = Group(ObjectStore)
    pes = charm.numPes()
    for number, value in ((5, "small"), (6, np.arange(5000))):
        home = number % pes
        maker, asker = (home + 1) % pes, (home + 2) % pes
        store[home].request_location_object(number, asker)  # before there is any
        store[maker].create_object(number, value)
        charm.waitQD()
        got = store[asker].lookup_object(number, ret=True).get()
        assert np.array_equal(got, value), got
        assert store[home].lookup_location(number, ret=True).get() in (home, maker, asker)
        assert store[maker].lookup_location(number, ret=True).get() == (maker if maker == home else -1)
        charm.waitQD()  # it has asked the home
        assert store[maker].lookup_location(number, ret=True).get() in (home, maker, asker)
        store[home].request_location_object(number, maker)
        charm.waitQD()
        assert np.array_equal(store[maker].lookup_object(number, ret=True).get(), value)
        store[home].delete_remote_objects(number)
        charm.waitQD()
        assert all(store[pe].lookup_object(number, ret=True).get() is None for pe in range(pes))
    try:
        charm.split(store, 1, elems=[0], cons=[1])
    except Exception as e:
        assert "onPEs" in str(e)
    else:
        raise AssertionError("split(cons=...) was taken")
    print("stored")
    exit()

charm.start(main)
"""


@pytest.mark.parametrize("processes", [1, 3])
def test_objects_are_stored(run, processes):
    done = run(processes, OBJECTS)
    assert (done.returncode, done.stdout) == (0, "stored\n"), done.stderr


MISTAKES = """
from charm4py import charm, Chare, Group, coro

class Maker(Chare):
    def make(self):
        return lambda: 1

    @coro
    def make_later(self):
        return lambda: 1

def attempt(what):
    try:
        what()
    except Exception as e:
        print(e)
    else:
        raise AssertionError("nothing was raised")

def main(args):
    group = Group(Maker)
    attempt(lambda: group[1].make(ret=True).get())
    attempt(lambda: group[1].make_later(ret=True).get())
    print([str(e) for e in group.make(ret=True).get() if isinstance(e, Exception)])
    attempt(lambda: group[7])
    attempt(lambda: group[-1])
    attempt(lambda: Group(Maker, onPEs=[0])[1])
    for called in group[1], group:  # whose results nobody asks for
        assert called.make(awaitable=True).get() is None
    exit()

charm.start(main)
"""


def test_mistakes_are_raised_where_they_are_made(run):
    done = run(2, MISTAKES)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert "Maker.make.<locals>" in lines[0] and "Maker.make_later.<locals>" in lines[1]
    assert lines[2].count("Maker.make.<locals>") == 1, lines  # the own PE's is not pickled
    assert lines[3:] == ["7 is no PE of the group of Maker, which is on all 2 PEs",
                         "-1 is no PE of the group of Maker, which is on all 2 PEs",
                         "1 is no PE of the group of Maker, which is on the PEs 0"]


BALANCED = """
import imbrex
from charm4py import Array, Chare, Future, charm

@imbrex.strategy("by index")
def by_index(p):
    assert p.load.min() >= 0 and p.movable.tolist() == [True] * 5 + [False] and p.node.tolist() == [0] * p.pes
    assert p.coordinates.tolist() == [[i] for i in range(6)]
    return [int(x) % p.pes for x in p.coordinates[:, 0]]

@imbrex.strategy("fails")
def fails(p):
    raise LookupError("no idea")

class Cell(Chare):
    def __init__(self):
        self.synced = None
        if self.thisIndex == (5,) or self.thisIndex == 5:
            self.setMigratable(False)

    def step(self, synced):
        self.synced = synced
        self.AtSync()

    def resumeFromSync(self):
        self.synced((self.thisIndex[0], charm.myPe()))

def main(args):
    cells = Array(Cell, 6, useAtSync=True)
    for _ in range(2):
        synced = Future(6)
        cells.step(synced)
        print(*(pe for _, pe in sorted(synced.get())), flush=True)
    exit()

charm.start(main)
"""


@pytest.mark.parametrize("balancer, places", [
    ("RotateLB", ["1 1 1 0 0 1", "0 0 0 1 1 1"]), ("rotate", ["1 1 1 0 0 1", "0 0 0 1 1 1"]),
    ("NullLB", ["0 0 0 1 1 1"] * 2), ("by index", ["0 1 0 1 0 1"] * 2), ("fails", ["0 0 0 1 1 1"] * 2)])
def test_balancers_are_strategies(run, balancer, places):
    done = run(2, BALANCED, "+balancer", balancer)
    assert (done.returncode, done.stdout.splitlines()) == (0, places), done.stderr
    failed = "imbrex: warning: balance: the strategy 'fails' raised LookupError: no idea (prog.py, line 13); the run " \
             "goes on without balancing\n"
    assert done.stderr == (failed if balancer == "fails" else "")


@pytest.mark.parametrize("words", [["+balancer", "GredyLB"], ["+balancer"]])
def test_an_unknown_balancer_is_refused(run, words):
    done = run(1, BALANCED, *words)
    assert done.returncode == 2 and not done.stdout
    assert f"imbrex: error: {' '.join(words)}: name a balancer of Charm++ (CentralLB, CommAware" in done.stderr
    assert "or a strategy of imbrex (auto, none, segments, " in done.stderr and "by index" in done.stderr


def test_each_balancer_has_a_strategy():
    from imbrex import _core
    from imbrex.charm4py import _balancers
    assert set(_balancers._STRATEGIES) <= set(_core.strategy_names())
