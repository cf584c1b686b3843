# SPDX-License-Identifier: Apache-2.0
"""Chare classes of C++ (native.cpp) in programs of Python."""

import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import imbrex as ix

native = pytest.importorskip("native_chares")
Cell, Counter = native.Cell, native.Counter

SHAPE = (3, 4)
NUMBERS = [2 * (10 * i + j) for i in range(3) for j in range(4)]


class Reader(ix.Chare):
    """A chare of Python that calls chares of C++."""

    @ix.entry
    async def total(self, cells):
        return await cells.number.reduce(ix.sum) + await cells[1, 2].number.call()

    @ix.entry
    async def feed(self, cell, count):
        for i in reversed(range(count)):
            cell.halo.send(i, 0.5 + i)
        return await cell.text.call("at ")


class Listener(ix.Chare):
    """A chare of Python that chares of C++ call."""
    values = ix.Mailbox[str]()

    def __init__(self):
        self.total = 0

    @ix.entry
    def sum_of(self, values, who):
        assert isinstance(values, np.ndarray) and who == "cell"
        return float(values.sum())

    @ix.entry
    async def twice(self, values):
        await ix.sleep(0)
        return 2 * values

    @ix.entry
    def count(self):
        self.total += 1
        return self.total

    @ix.entry
    def add(self, n):
        self.total += n

    @ix.entry
    async def read(self):
        return await self.values.receive(3), self.total

    @ix.entry
    def text(self, what):
        return what

    @ix.entry
    def fail(self, what):
        raise KeyError(what)


def test_calls_return_results_of_each_type(run):
    async def main():
        cells = Cell.array(SHAPE, 2)
        assert cells.shape == SHAPE and len(cells) == 12
        cell = cells[2, 3]
        assert await cell.number.call() == 46
        assert await cell.half.call() == 23.0
        assert await cell.is_first.call() is False and await cells[0, 0].is_first.call() is True
        assert await cell.text.call("at ") == "at (2, 3)"
        assert await cell.text.call(before="by name ") == "by name (2, 3)"
        row = await cell.row.call(5)
        assert isinstance(row, np.ndarray) and row.dtype == np.float64 and list(row) == [23.0] * 5
        row[0] = 1  # its own memory
        cell.set.send(2)
        await ix.quiescence()
        await cell.set.call(3)
        assert await cell.number.call() == 69
        assert await cells.set.call(1) is None
        assert await cell.number.call() == 23
        return True
    assert run(main) in (True, None)


def test_reductions(run):
    async def main():
        cells = ix.array(Cell, SHAPE, 2)
        assert await cells.number.reduce(ix.sum) == sum(NUMBERS)
        assert await cells.number.reduce(ix.max) == max(NUMBERS)
        assert await cells.number.reduce(ix.min) == 0
        assert await cells.half.reduce(ix.sum) == sum(NUMBERS) / 2
        assert await cells.number.reduce(ix.gather) == NUMBERS
        assert await cells.is_first.reduce(ix.any) is True and await cells.is_first.reduce(ix.all) is False
        assert list(await cells.row.reduce(ix.sum, 3)) == [sum(NUMBERS) / 2] * 3
        assert await cells.text.reduce(ix.gather, "") == [f"({i}, {j})" for i in range(3) for j in range(4)]
        assert await cells.around.reduce(ix.sum, 0.5) == 12 * 1.5
        some = cells.section([(0, 1), (2, 2)])
        assert await some.number.reduce(ix.sum) == 2 * (1 + 22)
        with pytest.raises(TypeError, match="ix|imbrex.gather"):
            await cells.text.reduce(ix.sum, "")
        with pytest.raises(TypeError, match="has no result to reduce"):
            await cells.set.reduce(ix.sum, 1)
    run(main)


def test_mailboxes_and_chares_of_python(run):
    async def main():
        cells = Cell.array(SHAPE, 2)
        reader = ix.chare(Reader)
        assert await reader.total.call(cells) == sum(NUMBERS) + 24
        waiting = cells[0, 0].add.call(4)
        assert await reader.feed.call(cells[0, 0], 4) == "at (0, 0)"
        assert await waiting == 0.5 + 1.5 + 2.5 + 3.5
        row = cells[1, 1].next_row.call()
        cells[1, 1].rows.send(np.arange(1000.0))
        assert np.array_equal(await row, np.arange(1000.0))
        rows = cells.next_row.reduce(ix.gather)
        cells.rows.send(0, [1, 2.5])  # to all; a list will do
        assert all(list(r) == [1.0, 2.5] for r in await rows)
        with pytest.raises(TypeError, match=r"Cell.halo.send takes values of float, not 'text', of type str"):
            cells[0, 0].halo.send("text")
    run(main)


def test_arrays_arrive_without_a_copy_if_given(run, machine):
    async def main():
        cell = Cell.array((1, 1), 1)[0, 0]
        values = np.arange(1 << 18, dtype=np.int32)
        if machine == "alone":  # others may pack every message
            where = values.ctypes.data
            assert await cell.address.call(values) != where
            assert await cell.address.call(ix.give(values)) == where
            assert not values.flags.writeable
        grid = np.arange(6.0).reshape(2, 3)
        assert await cell.sum.call(grid) == 15.0
        assert await cell.sum.call(ix.give(grid)) == 15.0
        assert await cell.total.call([1, 2, 3]) == 6
        assert await cell.total.call(np.arange(5)) == 10
        for wrong in (np.arange(3), grid.T, [1.0], None):
            with pytest.raises(TypeError, match=r"argument 1 \(values\).*a C-contiguous array of float64"):
                await cell.sum.call(wrong)
    run(main)


def test_proxies_travel(run):
    async def main():
        cells = Cell.array(SHAPE, 2)
        assert await cells[0, 0].number_of.call(cells[2, 3]) == 1011
        assert await cells[0, 0].sum_of.call(cells) == sum(NUMBERS)
        again = await cells[0, 1].all.call()
        assert again == cells and again.shape == SHAPE
        assert await again[2, 3].number.call() == 46
        assert cells[1, 1] == cells[1, 1] and cells[1, 1] != cells[1, 2] and "Cell" in repr(cells[1, 1])
        assert pickle.loads(pickle.dumps(cells[1, 1])) == cells[1, 1]
        with pytest.raises(TypeError, match="a proxy of one"):
            await cells[0, 0].number_of.call(cells)
        with pytest.raises(TypeError, match="an array of"):
            await cells[0, 0].sum_of.call(ix.array(Reader, 2))
    run(main)


def test_groups_single_chares_and_inserted_elements(run):
    async def main():
        group = Counter.group(10)
        assert await group.next.reduce(ix.sum) == 11 * ix.num_pes()
        assert await group.on.reduce(ix.gather) == list(range(ix.num_pes()))
        last = ix.num_pes() - 1
        one = Counter.chare(5, on=last)
        assert await one.next.call() == 6 and await one.next.call() == 7 and await one.on.call() == last
        line = Counter.sparse_array(100)
        for i in range(0, 100, 9):
            line.insert(i, i)
        await ix.quiescence()
        assert await line.next.reduce(ix.sum) == sum(range(0, 100, 9)) + 12
        await line.destroy()
        await ix.array(Counter, 4, first=3).created()
        cells = Cell.sparse_array(SHAPE)
        cells.insert((2, 1), 4)
        assert await cells[2, 1].number.call() == 84
        with pytest.raises(TypeError, match="make an array"):
            Cell.group(1)
    run(main)


def test_migration(run):
    async def main():
        cells = Cell.array((2, 2), 3)
        to = ix.num_pes() - 1
        cells[1, 1].halo.send(0, 4.0)  # travels unread
        assert await cells[1, 1].move.call(to) == to
        assert await cells[1, 1].add.call(1) == 4.0
        assert await cells[1, 1].number.call() == 33
    run(main)


def test_exceptions(run):
    async def main():
        cells = Cell.array(SHAPE, 2)
        with pytest.raises(IndexError, match="no cell 2"):
            await cells[0, 2].fail.call(2)
        with pytest.raises(IndexError, match="no cell 1"):
            await cells.fail.call(1)
        with pytest.raises(RuntimeError, match="late"):
            await cells[0, 0].fail_late.call()
        await cells.fail.call(99)
    run(main)


@pytest.mark.parametrize("call, words", [
    (lambda c: c.text.call(), r"Cell.text\(before: str\) -> str was given no argument 1 \(before\)"),
    (lambda c: c.text.call("a", "b"), "was given 2 arguments"),
    (lambda c: c.text.call(after="a"), "has no argument after"),
    (lambda c: c.text.call("a", before="b"), "was given 2 arguments"),
    (lambda c: c.text.call(3), r"argument 1 \(before\) as 3, of type int, which does not convert to str"),
    (lambda c: c.set.call(2.5), "does not convert to int32"),
    (lambda c: c.set.call(1 << 40), "does not convert to int32"),
    (lambda c: c.small.call(-1), "does not convert to uint8"),
    (lambda c: c.around.call(None), "does not convert to float"),
    (lambda c: c.total.call(["a"]), "does not convert to numbers as int64"),
])
def test_wrong_arguments_are_told(run, call, words):
    async def main():
        with pytest.raises(TypeError, match=words):
            await call(Cell.array((1, 1), 1)[0, 0])
    run(main)


def test_wrong_uses_of_classes_are_told(run):
    async def main():
        with pytest.raises(TypeError, match="have 2 dimensions, and this shape has 1"):
            Cell.array(4, 1)
        with pytest.raises(TypeError, match="have 2 dimensions"):
            ix.keyed_array(Cell)
        with pytest.raises(TypeError, match="declares no constructor"):
            native.NotMade.array(3)
        with pytest.raises(TypeError, match=r"factor: int32"):
            Cell.array(SHAPE, "2")
        with pytest.raises(TypeError, match="make chares by Cell.array"):
            Cell(1)
        with pytest.raises(AttributeError, match="has no entry or port numbre; did you mean number"):
            Cell.array(SHAPE, 1).numbre
    run(main)


def test_help_shows_signatures():
    assert "A cell of a torus." in Cell.__doc__ and "Cell.text(before: str) -> str" in Cell.__doc__
    assert "Cell.halo: a mailbox of float" in Cell.__doc__
    assert Cell.__module__ == "native_chares"


def test_chares_of_cpp_call_chares_of_python(run):
    async def main():
        cells = Cell.array((2, 2), 1)
        listeners = ix.array(Listener, 3)
        assert await cells[0, 0].ask.call(listeners[1], np.arange(4.0) + 1) == 10.0 + 2.0
        asked = [cells[i, j].ask.call(listeners[2], [0.5]) for i in (0, 1) for j in (0, 1)]
        assert await ix.when_all(*asked) == [1.5] * 4
        await cells[1, 1].keep.call(listeners[0])
        await cells[1, 1].move.call(ix.num_pes() - 1)
        assert await cells[1, 1].ask_kept.call() == 1
        cells[0, 1].tell_all.send(listeners, 5)
        await ix.quiescence()
        assert await listeners.read.reduce(ix.gather) == [("from C++", 6), ("from C++", 5), ("from C++", 5)]
    run(main)


@pytest.mark.parametrize("entry, kind, words", [
    ("none", ix.Error, "test_native.Listener of Python has no entry or port none"),
    ("values", ix.Error, "is a port of Python, and no entry"),
    ("text", ix.Error, "Listener.text of Python returned 'text', of type str, which does not convert to float"),
    ("fail", KeyError, "text"),
    ("count", TypeError, r"test_native.Listener.count\(\) was given \(str\)"),
])
def test_wrong_calls_of_python_are_told(run, entry, kind, words):
    async def main():
        with pytest.raises(kind, match=words):
            await Cell.array((1, 1), 1)[0, 0].ask_in_vain.call(ix.chare(Listener), entry)
    run(main)


def test_a_proxy_of_another_class_is_refused(run):
    async def main():
        with pytest.raises(TypeError, match="a proxy of one test_native.Listener"):
            await Cell.array((1, 1), 1)[0, 0].keep.call(ix.chare(Reader))
        with pytest.raises(ix.Error, match="a proxy of a chare of Python is used, but names none"):
            await Cell.array((1, 1), 1)[0, 0].ask_kept.call()
    run(main)


def test_entries_run_without_the_lock_of_the_interpreter(run, machine):
    if machine != "alone":
        pytest.skip("one run is enough")
    turns = 0
    stop = threading.Event()

    def count():
        nonlocal turns
        while not stop.is_set():
            turns += 1

    async def main():
        cell = Cell.array((1, 1), 1)[0, 0]
        await cell.number.call()
        other = threading.Thread(target=count)
        other.start()
        await cell.compute.call(0.001)  # from now on its calls are known to be long
        before = turns
        assert await cell.compute.call(0.2) > 0
        made = turns - before
        stop.set()
        other.join()
        return made
    # With the lock held, the other thread would have had one turn or none.
    assert run(main) > 100


def test_several_pes_run_chares_of_cpp(machine):
    if machine != "alone":
        pytest.skip("one run is enough")

    async def main():
        cells = Cell.array((4, 4), 1)
        pes = await cells.pe_here.reduce(ix.gather)
        listeners = ix.array(Listener, 6)
        sums = [cells[i, j].ask.call(listeners[(i + j) % 6], [1.0, 2.0]) for i in range(4) for j in range(4)]
        assert await ix.when_all(*sums) == [5.0] * 16
        for _ in range(20):
            assert await cells.around.reduce(ix.sum, 0.0) == 16
        return set(pes)
    assert ix.run(main, argv=[], pes=3) == {0, 1, 2}


def test_equal_names_in_two_modules_are_refused(machine):
    if machine != "alone":
        pytest.skip("one run is enough")
    program = """
import imbrex as ix, native_chares, native_twin
ix.run(lambda: None, argv=[])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 1
    assert "two libraries have an entry method of one name" in done.stderr and "counter" in done.stderr
