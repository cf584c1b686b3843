# SPDX-License-Identifier: Apache-2.0
"""Tests of a chare class: pytest -p imbrex._pytest test_counter.py"""
import pytest

import imbrex as ix


class Counter(ix.Chare):
    def __init__(self) -> None:
        self.count = 0

    @ix.entry
    def increase(self) -> None:
        self.count += 1

    @ix.entry
    def value(self) -> int:
        return self.count


@pytest.mark.imbrex(processes=2, seeds=10)
async def test_each_round_reaches_all():
    counters = ix.array(Counter, 5)
    for _ in range(3):
        await counters.increase.call()
    assert await counters.value.reduce(ix.sum) == 15
