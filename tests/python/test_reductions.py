# SPDX-License-Identifier: Apache-2.0
import pickle

import numpy as np
import pytest

import imbrex as ix


def longest(a, b):
    return a if len(a) >= len(b) else b


class Part(ix.Chare):
    @ix.entry
    def number(self):
        return self.where + 1

    @ix.entry
    def real(self):
        return self.where / 2

    @ix.entry
    def huge(self):
        return 2**62

    @ix.entry
    def text(self):
        return "abcde"[:self.where]

    @ix.entry
    def flag(self, n):
        return self.where < n

    @ix.entry
    async def vector(self, n):
        await ix.sleep(0)
        return np.arange(n) + self.where

    @ix.entry
    def fail(self, at):
        if self.where == at:
            raise KeyError(at)
        return 1

    @ix.entry
    def mixed(self):
        return "text" if self.where else 1

    @ix.entry
    async def together(self):
        total = self.all_reduce(self.where, ix.sum)
        largest = self.all_reduce(np.array([self.where, -self.where]), ix.max)
        all_of_them = self.all_reduce(str(self.where), ix.gather)
        return await total, list(await largest), await all_of_them

    @ix.entry
    async def unless_first(self, operation, members):
        value = self.where if self.where else lambda: 0
        return await (self.all_reduce(value, operation) if members is None else
                      self.all_reduce(members, value, operation))

    @ix.entry
    async def by_given(self, operation):
        return operation is ix.max, await self.all_reduce(self.where, operation)

    @ix.entry
    async def some_together(self, members):
        return await self.all_reduce(members, self.where, ix.sum)


def test_operations_combine(run):
    async def main():
        parts = ix.array(Part, 5)
        expected = {ix.sum: 15, ix.product: 120, ix.min: 1, ix.max: 5, ix.bit_and: 0, ix.bit_or: 7, ix.bit_xor: 1}
        for operation, result in expected.items():
            assert await parts.number.reduce(operation) == result, operation
        assert await parts.real.reduce(ix.sum) == 5.0
        assert await parts.real.reduce(ix.min) == 0.0
        assert await parts.real.reduce(max) == 2.0
        assert await parts.huge.reduce(sum) == 5 * 2**62
        assert await parts.text.reduce(longest) == "abcd"
        assert await parts.text.reduce(ix.gather) == ["", "a", "ab", "abc", "abcd"]
        assert await parts.flag.reduce(ix.all, 5) is True
        assert await parts.flag.reduce(ix.all, 4) is False
        assert await parts.flag.reduce(ix.any, 1) is True
        assert await parts.flag.reduce(ix.any, 0) is False
    run(main)


@pytest.mark.parametrize("n", [3, 5000])
def test_arrays_are_combined_element_by_element(run, n):
    async def main():
        parts = ix.array(Part, 5)
        assert np.array_equal(await parts.vector.reduce(ix.sum, n), 5 * np.arange(n) + 10)
        assert np.array_equal(await parts.vector.reduce(ix.max, n), np.arange(n) + 4)
        assert np.array_equal(await parts.vector.reduce(ix.min, n), np.arange(n))
        gathered = await parts.vector.reduce(ix.gather, n)
        assert [int(v[0]) for v in gathered] == [0, 1, 2, 3, 4]
    run(main)


def test_elements_reduce_among_themselves(run):
    async def main():
        parts = ix.array(Part, 5)
        expected = (10, [4, 0], ["0", "1", "2", "3", "4"])
        assert await parts.together.reduce(ix.gather) == [expected] * 5
        some = parts.section([1, 3, 4])
        assert await some.some_together.reduce(ix.gather, some) == [8, 8, 8]
    run(main)


class Writer(ix.Chare):
    @ix.entry
    async def write(self, size, operation):
        result = await self.all_reduce(np.full(size, 1.0), operation)
        mine = result[0] if isinstance(result, list) else result
        mine += self.where
        await ix.sleep(0.001)
        return mine[0], mine[-1]


@pytest.mark.parametrize("size", [3, 600, 30_000])
@pytest.mark.parametrize("operation, value", [(ix.sum, 5), (ix.gather, 1), (ix.max, 1)])
def test_a_result_is_each_elements_own(run, size, operation, value):
    async def main():
        results = await ix.array(Writer, 5).write.reduce(ix.gather, size, operation)
        assert results == [(value + i, value + i) for i in range(5)]
    run(main)


class Holder(ix.Chare):
    @ix.entry
    def value(self, where, number):
        return number if self.where == where else float(self.where)

    @ix.entry
    def is_even(self):
        return self.where % 2 == 0


@pytest.mark.parametrize("number", [float("nan"), np.float64("nan")])
def test_what_is_no_number_spreads(run, number):
    async def main():
        for placement in (ix.in_blocks, ix.round_robin):
            holders = ix.array(Holder, 8, placement=placement)
            for where in range(8):
                for operation in (ix.min, ix.max, ix.sum):
                    assert np.isnan(await holders.value.reduce(operation, where, number))
    run(main)


def test_functions_of_python_are_operations(run):
    async def main():
        holders = ix.array(Holder, 5)
        assert [await holders.is_even.reduce(f) for f in (all, any, min, max, sum)] == [False, True, False, True, 3]
    run(main)


def first(a, b):
    return a


def last(a, b):
    return b


@pytest.mark.parametrize("operation", [ix.sum, ix.gather])
def test_a_value_that_cannot_be_sent_is_told_to_all(run, operation):
    async def main():
        parts = ix.array(Part, 5)
        for members, few in ((None, 1), (parts.section([0, 4]), 4)):
            calls = [parts[i].unless_first.call(operation, members) for i in range(0, 5, few)]
            for call in calls:
                with pytest.raises((AttributeError, TypeError, pickle.PicklingError), match="pickle|local object"):
                    await call
    run(main)


def test_operations_can_be_sent(run):
    async def main():
        assert await ix.array(Part, 5).by_given.reduce(ix.gather, ix.max) == [(True, 4)] * 5
    run(main)


class Disagreeing(ix.Chare):
    @ix.entry
    async def reduce(self, one, others):
        return await self.all_reduce(self.where + 1, one if self.where == 2 else others)


@pytest.mark.parametrize(("one", "others", "words"), [
    (ix.max, ix.sum, "imbrex.max, and others imbrex.sum"), (ix.sum, ix.max, "imbrex.max, and others imbrex.sum"),
    (first, last, "first, and others last"), (first, ix.sum, "first, and others imbrex.sum")])
def test_elements_that_give_other_operations_are_told(run, one, others, words):
    async def main():
        with pytest.raises(ix.Error, match=f"the elements disagree about a reduction: some give {words}"):
            await ix.array(Disagreeing, 4).reduce.reduce(ix.gather, one, others)
        agreed = await ix.array(Disagreeing, 4).reduce.reduce(ix.gather, first, first)
        assert agreed in [[i] * 4 for i in (1, 2, 3, 4)]
    run(main)


def test_failures_reach_the_awaiter(run):
    async def main():
        parts = ix.array(Part, 5)
        with pytest.raises(KeyError) as raised:
            await parts.fail.reduce(ix.sum, 3)
        assert "Part(3), entry fail, on PE" in str(raised.value.__cause__)
        with pytest.raises(TypeError, match="unsupported operand"):
            await parts.mixed.reduce(ix.sum)
        with pytest.raises(TypeError, match="is no operation of a reduction"):
            parts.number.reduce(3)
        with pytest.raises((AttributeError, TypeError), match="pickle|local object"):
            parts.number.reduce(lambda a, b: a)
        assert await parts.fail.reduce(ix.sum, 9) == 5
    run(main)
