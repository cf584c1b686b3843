# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import imbrex as ix


class Cell(ix.Chare):
    halo = ix.Mailbox[tuple[int, np.ndarray]]()
    news = ix.Mailbox()
    left = ix.Channel()
    right = ix.Channel[int]()

    def __init__(self):
        self.seen = []

    @ix.entry
    async def exchange(self, steps):
        n = len(self.peers)
        total = 0.0
        for t in range(steps):
            for side in (-1, 1):
                self.peers[(self.where + side) % n].halo.send(t, (side, np.full(10, self.where + t / 8)))
            for _ in range(2):
                side, face = await self.halo.receive(t)
                assert face[0] == (self.where - side) % n + t / 8
                total += face.sum()
        return total

    @ix.entry
    async def by_numbers(self, *numbers):
        return [await self.news.receive(n) for n in numbers]

    @ix.entry
    async def any_of(self, n):
        return [await self.news.receive_any() for _ in range(n)]

    @ix.entry
    def unread(self):
        return len(self.news), self.news.has(1), self.news.has(2)

    @ix.entry
    async def talk(self, n):
        peers = self.peers
        self.right.connect(peers[(self.where + 1) % len(peers)].left)
        self.left.connect(peers[(self.where - 1) % len(peers)].right)
        for i in range(n):
            self.right.send((self.where, i))
        heard = [await self.left.receive() for _ in range(n)]
        self.left.send("heard")
        return heard, await self.right.receive()

    @ix.entry
    async def race(self):
        first = await ix.when_any(self.news.receive(1), self.news.receive(2))
        rest = await self.news.receive_any()
        return first, rest

    @ix.entry
    async def give_up(self):
        """A cancelled wait receives nothing more, even if the program still holds it, inside of another wait or not."""
        for number, wrapped in ((1, False), (2, True)):
            held = self.news.receive(number)

            async def inside():
                return await held
            first = await ix.when_any(inside() if wrapped else held, ix.sleep(0.001))
            assert first == (1, None)
            for _ in range(2):
                with pytest.raises(RuntimeError, match="was cancelled"):
                    await held
                self.proxy.news.send(number, "later")
                await ix.sleep(0.001)
            assert await self.news.receive(number) == "later"

    @ix.entry
    async def unconnected(self):
        self.left.send(1)

    @ix.entry
    async def wrong_connection(self):
        self.left.connect(self.peers[0].news)

    @ix.entry
    async def wrong_receive(self):
        await self.left.receive(3)


def test_mailboxes_match_reference_numbers(run):
    async def main():
        cells = ix.array(Cell, 5)
        totals = await cells.exchange.reduce(ix.gather, 20)
        expected = [sum(10 * ((i - 1) % 5 + (i + 1) % 5 + t / 4) for t in range(20)) for i in range(5)]
        assert np.allclose(totals, expected)
        for n in (3, 1, 2):
            cells[4].news.send(n, f"news {n}")
        cells[4].news.send("unnumbered")
        assert await cells[4].by_numbers.call(1, 2, 3, 0) == ["news 1", "news 2", "news 3", "unnumbered"]
    run(main)


def test_mailboxes_keep_what_comes_early(run):
    async def main():
        cells = ix.array(Cell, 3)
        cells.news.send(1, "to all")
        await ix.quiescence()
        assert await cells[2].unread.call() == (1, True, False)
        assert await cells.any_of.reduce(ix.gather, 1) == [["to all"]] * 3
        waits = cells[1].by_numbers.call(5)
        cells[1].news.send(5, np.arange(30_000))
        assert (await waits)[0].sum() == 29_999 * 15_000
    run(main)


def test_channels_keep_the_order(run):
    async def main():
        cells = ix.array(Cell, 4)
        for i, (heard, answer) in enumerate(await cells.talk.reduce(ix.gather, 30)):
            assert heard == [((i - 1) % 4, k) for k in range(30)]
            assert answer == "heard"
    run(main)


def test_a_race_takes_one_value(run):
    async def main():
        cell = ix.array(Cell, 2)[1]
        waits = cell.race.call()
        await ix.quiescence()
        cell.news.send(2, "second")
        cell.news.send(1, "first")
        first, rest = await waits
        assert sorted([first, (1 - first[0], rest)]) == [(0, "first"), (1, "second")]
    run(main)


def test_what_is_given_up_takes_nothing(run):
    async def main():
        await ix.chare(Cell).give_up.call()
    run(main)


def test_wrong_uses_of_ports_are_refused(run):
    async def main():
        cells = ix.array(Cell, 2)
        with pytest.raises(TypeError, match="Cell.news.send takes a value, or a reference number and a value, but 3"):
            cells[0].news.send(1, 2, 3)
        with pytest.raises(TypeError, match="the reference number is str, not an int"):
            cells[0].news.send("1", 2)
        with pytest.raises(TypeError, match="has no call: a mailbox"):
            cells[0].news.call(1)
        with pytest.raises(TypeError, match="the other end of the channel sends to it"):
            cells[0].left.send(1)
        with pytest.raises(ix.Error, match="Cell.left is not connected"):
            await cells[1].unconnected.call()
        with pytest.raises(TypeError, match="connected to a channel of another chare"):
            await cells[1].wrong_connection.call()
        with pytest.raises(TypeError, match="gives its values in their order"):
            await cells[1].wrong_receive.call()
    run(main)
