# SPDX-License-Identifier: Apache-2.0
"""Faults of Python threads as PEs: concurrent first uses, stops of all threads, shared objects. The other machines must
give equal results."""

import gc
import random

import pytest

import imbrex as ix


class Point:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return self.x == other.x


class Busy(ix.Chare):
    box = ix.Mailbox()

    def __init__(self):
        self.seen = 0
        self.random = random.Random(self.where)

    @ix.entry
    def spread(self, generations):
        """Sends to two others, whose messages do the same."""
        self.seen += 1
        if generations > 0:
            for _ in range(2):
                self.peers[self.random.randrange(len(self.peers))].spread.send(generations - 1)

    @ix.entry
    def count(self):
        return self.seen

    @ix.entry
    def use_all(self, point, *, key):
        return [point, key, self.where, {"nested": (point, 2**70)}]

    @ix.entry
    async def collect(self, rounds):
        """Garbage in cycles, which a collection of all threads finds."""
        for n in range(rounds):
            for _ in range(100):
                cycle = []
                cycle.append(cycle)
            if n % 3 == self.where % 3:
                gc.collect()
            self.peers[(self.where + 1) % len(self.peers)].box.send(n, [self.where, n])
            assert await self.box.receive(n) == [(self.where - 1) % len(self.peers), n]
        return rounds

    @ix.entry
    def fail(self, which):
        if self.where == which:
            raise LookupError(f"chare {which}")
        return self.where


def longer(a, b):
    return a if len(a) >= len(b) else b


def test_messages_come_once(run):
    async def main():
        busy = ix.array(Busy, 7)
        busy[0].spread.send(11)
        await ix.quiescence()
        return await busy.count.reduce(ix.sum)
    assert run(main) in (2**12 - 1, None)


def test_all_that_is_used_first_at_once(run):
    async def main():
        busy = ix.array(Busy, 12)
        for got in await ix.when_all(*(busy[i].use_all.call(Point(i), key="k" * i) for i in range(12))):
            point, key, where, nested = got
            assert (point.x, key, nested) == (where, "k" * where, {"nested": (Point(where), 2**70)})
        longest = await busy.use_all.reduce(ix.gather, Point(3), key="x")
        assert [where for _, _, where, _ in longest] == list(range(12))
    run(main)


def test_collections_of_garbage_while_others_work(run):
    async def main():
        return await ix.array(Busy, 6).collect.reduce(ix.sum, 20)
    assert run(main) in (120, None)


def test_a_reduction_by_a_function_of_python(run):
    async def main():
        return await ix.array(Busy, 9).use_all.reduce(longer, Point(1), key="")
    got = run(main)
    assert got is None or len(got) == 4


def test_errors_of_several_at_once(run):
    async def main():
        busy = ix.array(Busy, 8)
        for which in range(8):
            with pytest.raises(LookupError, match=f"chare {which}"):
                await busy.fail.reduce(ix.sum, which)
    run(main)


def test_classes_that_are_defined_during_a_run(run, machine):
    if machine == "processes":
        pytest.skip("all processes define classes before a run")

    async def main():
        for n in range(20):
            class Late(ix.Chare):
                @ix.entry
                def answer(self, n=n):
                    return n * self.where
            assert await ix.array(Late, 4).answer.reduce(ix.sum) == 6 * n
    run(main)


class Definer(ix.Chare):
    @ix.entry
    async def define(self, rounds):
        for _ in range(rounds):
            class Same(ix.Chare):
                @ix.entry
                def answer(self, there=self.where):
                    return there
            assert await ix.array(Same, 2).answer.reduce(ix.sum) == 2 * self.where


def test_classes_of_one_name_that_are_defined_at_once(run, machine):
    if machine == "processes":
        pytest.skip("all processes define classes before a run")

    async def main():
        await ix.array(Definer, 6).define.call(20)
    run(main)
