# SPDX-License-Identifier: Apache-2.0
import datetime
import random

import numpy as np
import pytest

import imbrex as ix


class Record:
    def __init__(self, array):
        self.array = array


class Echo(ix.Chare):
    def __init__(self):
        self.kept = None

    @ix.entry
    def echo(self, *values):
        return values

    @ix.entry
    async def echo_later(self, *values):
        await ix.sleep(0)
        return values

    @ix.entry
    def keep(self, value):
        self.kept = value

    @ix.entry
    def scale(self, factor):
        self.kept *= factor

    @ix.entry
    def total(self):
        return float(np.sum(self.kept))

    @ix.entry
    def kept_value(self):
        return self.kept

    @ix.entry
    def make(self, n):
        return ix.give(np.ones(n))


def metadata_of(dtype):
    return dtype.metadata, [metadata_of(dtype[name]) for name in dtype.names or ()]


def same(a, b):
    if isinstance(a, np.ndarray):
        return type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape and \
            metadata_of(a.dtype) == metadata_of(b.dtype) and \
            (a.tobytes() == b.tobytes() if not a.dtype.hasobject else np.array_equal(a, b))
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return type(b) is dict and a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, Record):
        return isinstance(b, Record) and same(a.array, b.array)
    return type(a) is type(b) and (a == b or a != a)


def values():
    yield from (None, True, False, 0, -1, 2**63 - 1, -2**63, 2**63, -2**200)
    yield from (0.0, -1.5, float("nan"), float("inf"), 2 - 3j)
    yield from ("", "text", "é✓", "\udc80", "x" * 5000, b"", b"\0raw", b"y" * 100000, bytearray(b"z" * 9000))
    yield from ((), (1, ("a", (None, 2.5))), [1, [2]], {"a": (1, 2)}, {3}, frozenset("ab"), range(3), ...)
    yield from (datetime.date(2026, 1, 2), np.float32(1.5), np.int8(-3), np.bool_(True), np.complex64(1j))
    yield np.datetime64("2026")
    yield Record(np.arange(3000.0))
    for dtype in "?bBhHiIlLqQefdgFDG":
        yield np.arange(7).astype(dtype)
    for n in (0, 1, 500, 100_000):
        yield np.random.default_rng(n).random(n)
    block = np.arange(60000.0).reshape(20, 30, 100)
    yield from (block, block.T, block[::2, 1:, ::-1], np.asfortranarray(block[0]), block[3:4])
    yield from (np.array(7), np.zeros((3, 0)), np.array(["a", "bc"]), np.array([1, "x", None], dtype=object))
    yield from (np.linspace(0, 1, 5000).astype(">f8")[::2], np.asfortranarray(np.ones((3, 4)).astype(">c8")))
    yield from (np.array([b"ab", b"c"]), np.array(["2026-01-01", "NaT"], "M8[ns]")[:1], np.arange(3).astype(">m8[s]"))
    for dtype in (np.dtype("u1", metadata={"enum": {"red": 1}}), np.dtype(">f8", metadata={"unit": "m"}),
                  np.dtype([("a", np.dtype("i4", metadata={"n": 1}))])):
        yield np.zeros(5, dtype)
        yield np.zeros(5000, dtype)
    yield np.array([(1, (2.5, b"xy"))] * 900, np.dtype([("a", "u1"), ("b", [("c", ">f4"), ("d", "S2")])], align=True))
    yield from (np.zeros(2, "V6"), np.array(["", ""]), np.zeros((2, 0), ">i4"), np.zeros(2, [("o", object)]))
    yield from (np.zeros(4, [("a", "i4"), ("b", "f8")]), np.arange(5).astype(">i4"), np.array(["2026-01-01"], "M8[D]"))


def test_values_arrive_as_they_were(run):
    async def main():
        chares = ix.array(Echo, 4)
        all_values = tuple(values())
        for i in range(4):
            for v in all_values:
                assert same((v,), await chares[i].echo.call(v)), repr(v)
            back = await chares[i].echo_later.call(*all_values, **{})
            assert same(all_values, back)
    run(main)


def random_value(draw, depth=3):
    kind = draw.randrange(9 if depth else 6)
    if kind == 0:
        return draw.choice((None, True, False))
    if kind == 1:
        return draw.randrange(-2**draw.randrange(1, 70), 2**draw.randrange(1, 70))
    if kind == 2:
        return draw.random()
    if kind == 3:
        return "".join(draw.choices("abé✓", k=draw.randrange(20)))
    if kind == 4:
        return draw.randbytes(draw.randrange(3000))
    if kind == 5:
        shape = [draw.randrange(4) for _ in range(draw.randrange(4))] + [draw.choice((1, 3, 2000))]
        array = np.random.default_rng(draw.randrange(99)).random(shape).astype(draw.choice("fdiq"))
        return draw.choice((array, array.T, array[::-1]))
    inner = [random_value(draw, depth - 1) for _ in range(draw.randrange(4))]
    return (tuple(inner), inner, dict(enumerate(inner)))[kind - 6]


def test_random_values_arrive_as_they_were(run):
    async def main():
        chares = ix.array(Echo, 3)
        draw = random.Random(36)
        for n in range(300):
            v = random_value(draw)
            assert same((v,), await chares[n % 3].echo.call(v)), repr(v)
    run(main)


@pytest.mark.parametrize("n", [10, 100_000])
def test_arrays_are_copied_and_can_be_written_to(run, n):
    async def main():
        chares = ix.array(Echo, 3)
        a = np.ones(n)
        for i in range(3):
            chares[i].keep.send(a)
        a[:] = 7  # the sent value does not change any more
        await ix.quiescence()
        chares.scale.send(2)
        await ix.quiescence()
        assert await chares.total.reduce(ix.gather) == [2.0 * n] * 3
        chares.keep.send(np.ones(n))
        await ix.quiescence()
        chares[0].scale.send(5)  # each has an array of its own
        await ix.quiescence()
        assert await chares.total.reduce(ix.gather) == [5.0 * n, n, n]
        kept = await chares[0].kept_value.call()
        kept[:] = 0
        assert await chares[0].total.call() == 5.0 * n
    run(main)


def test_given_arrays_are_handed_over(run):
    async def main():
        chares = ix.array(Echo, 3)
        for i in range(3):
            a = np.full(50_000, float(i))
            chares[i].keep.send(ix.give(a))
            with pytest.raises(ValueError, match="read-only"):
                a[0] = 1
        await ix.quiescence()
        chares.scale.send(2)
        await ix.quiescence()
        assert await chares.total.reduce(ix.gather) == [0.0, 100_000.0, 200_000.0]
        made = await chares[1].make.call(20_000)
        where = made.ctypes.data
        made += 1
        assert where == made.ctypes.data
        assert made.sum() == 40_000
        assert await chares[1].echo.call(ix.give(3)) == (3,)
    run(main)


def test_what_is_given_is_closed_and_shared_with_nobody(run, tmp_path):
    def all_kinds():
        for n in (3, 50_000):
            yield np.ones(n), None
            base = np.ones(n)
            yield base[:], base
            memory = bytearray(np.ones(n).tobytes())
            yield np.frombuffer(memory), np.frombuffer(memory)
            yield np.ones(n).astype(">f8"), None
            yield np.memmap(tmp_path / f"{ix.process()}.{n}", "f8", "w+", shape=n), None
            yield np.array([None] * n), None

    async def main():
        kept = ix.chare(Echo, on=0)
        for array, other in all_kinds():
            before = array.copy()
            kept.keep.send(ix.give(array))
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 7
            if other is not None:
                other[0] = 7  # which the receiver's array does not see
            await ix.quiescence()
            assert np.array_equal(await kept.kept_value.call(), before)
    run(main)


def test_what_cannot_be_sent_is_refused_at_the_call(run):
    async def main():
        c = ix.chare(Echo)
        with pytest.raises((AttributeError, TypeError), match="pickle|local object"):
            c.keep.send(lambda: 1)
        result = c.keep.call(1)
        for value, words in ((ix.give(np.ones(3)), "stand in a tuple: take it out"), (c.keep, "send the proxy"),
                             (result, "await it, and send the result")):
            with pytest.raises(TypeError, match=words):
                c.keep.send([value])
        await result
        loop = ()
        for _ in range(100_000):
            loop = (loop,)
        with pytest.raises(RecursionError):
            c.keep.send(loop)
        while loop:
            loop = loop[0]
    run(main)
