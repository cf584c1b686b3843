# SPDX-License-Identifier: Apache-2.0
import warnings

import pytest

import imbrex as ix


class Counter(ix.Chare):
    def __init__(self, start=0):
        self.count = start

    @ix.entry
    def add(self, n, times=1):
        self.count += n * times
        return self.count

    @ix.entry
    async def add_slowly(self, n, *, times=1):
        for _ in range(times):
            await ix.sleep(1e-6)
            self.count += n
        return self.count

    @ix.entry
    def collect(self, *values, **named):
        return values, named

    @ix.entry
    async def add_to(self, other, n):
        result = await other.add.call(n)
        return await self.helper(result)

    async def helper(self, n):
        await ix.sleep(0)
        return n + self.count


def test_entries_are_sent_and_called(run):
    async def main():
        counters = ix.array(Counter, 4, 10)
        assert await counters[1].add.call(5) == 15
        assert await counters[1].add.call(5, 2) == 25
        assert await counters[1].add.call(n=1, times=3) == 28
        assert await counters[1].add.call(1, times=2) == 30
        assert await counters[3].add_slowly.call(2, times=3) == 16
        counters[2].add.send(7)
        counters[2].add_slowly.send(1, times=2)
        await ix.quiescence()
        assert await counters[2].add.call(0) == 19
        assert await counters[0].add_to.call(counters[2], 1) == 30
        assert await counters[0].collect.call(1, "b", c=3) == ((1, "b"), {"c": 3})
    run(main)


def test_broadcasts_reach_all_elements(run):
    async def main():
        counters = ix.array(Counter, 7)
        counters.add.send(3)
        counters.add_slowly.send(2, times=2)
        await ix.quiescence()
        assert await counters.add.reduce(ix.gather, 0) == [7] * 7
        assert await counters.add.call(1) is None
        assert await counters.add_slowly.reduce(ix.sum, 1) == 7 * 9
    run(main)


def test_wrong_calls_are_refused_where_they_are_made(run):
    async def main():
        c = ix.array(Counter, 2)[1]
        with pytest.raises(AttributeError, match=r"Counter has no entry or port ad; did you mean add\?"):
            c.ad.send(1)
        with pytest.raises(TypeError, match=r"Counter.add\(n, times=1\) was given \(\): missing a required argument"):
            c.add.send()
        with pytest.raises(TypeError, match=r"was given \(int, int, int\): too many positional arguments"):
            c.add.send(1, 2, 3)
        with pytest.raises(TypeError, match=r"unexpected keyword argument 'tims'; did you mean times\?"):
            c.add_slowly.call(1, tims=3)
        with pytest.raises(TypeError, match=r"Counter.add is called by .send\(...\), .call\(...\)"):
            c.add(1)
        with pytest.raises(TypeError, match="Counter.add of one chare has no reduce"):
            c.add.reduce(ix.sum, 1)
        with pytest.raises(TypeError, match=r"Counter.__init__\(start=0\) was given \(int, int\)"):
            ix.array(Counter, 2, 1, 2)
        with pytest.raises(TypeError, match="int'> is no chare class: derive one from imbrex.Chare"):
            ix.array(int, 2)
        with pytest.raises(TypeError, match="needs an operation first"):
            ix.array(Counter, 2).add.reduce()
    run(main)


def test_classes_that_cannot_be_are_refused():
    with pytest.raises(TypeError, match="no entry or port can be called insert"):
        class Wrong(ix.Chare):
            @ix.entry
            def insert(self):
                pass
    with pytest.raises(TypeError, match="is a generator"):
        @ix.entry
        def numbers(self):
            yield 1
    with pytest.raises(TypeError, match="has no self"):
        class Selfless(ix.Chare):
            @ix.entry
            def alone():
                pass


class Base(ix.Chare):
    @ix.entry
    def name(self):
        return "base"

    @ix.entry
    def both(self):
        return self.name() + self.more()

    def more(self):
        return "-"


class Derived(Base):
    @ix.entry
    def name(self):
        return "derived"

    def more(self):
        return "+" + super().name()


def test_classes_inherit_entries(run):
    async def main():
        assert await ix.chare(Derived).both.call() == "derived+base"
        assert await ix.chare(Base).both.call() == "base-"
    run(main)


def test_entries_are_methods_as_well():
    counter = Counter(3)
    assert counter.add(4) == 7
    with pytest.raises(ix.Error, match="no chare of a run"):
        counter.where
    with pytest.raises(ix.Error, match="no PE runs on this thread"):
        ix.pe()


def test_forgotten_and_repeated_awaits_are_told(run):
    async def main():
        c = ix.chare(Counter)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            c.add.call(1)
        assert [str(w.message) for w in told] == [f"{__name__}.Counter.add.call() was never awaited"]
        again = c.add.call(1)
        await again
        with pytest.raises(RuntimeError, match="awaited twice"):
            await again
        with pytest.raises(TypeError, match="gave a NoneType, which imbrex cannot resume"):
            import asyncio
            await asyncio.sleep(0)
    run(main)
