# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import imbrex as ix


class Nomad(ix.Chare):
    port = ix.Mailbox()
    road = ix.Channel()

    def __init__(self, n):
        self.data = np.arange(n) + self.where
        self.moves = 0

    @ix.entry
    def move(self, pe):
        self.moves += 1
        self.migrate_to(pe)

    @ix.entry
    def look(self):
        return ix.pe(), self.moves, int(self.data.sum())

    @ix.entry
    def connect(self):
        self.road.connect(self.peers[(self.where + 1) % len(self.peers)].road)

    @ix.entry
    async def say(self, *values):
        for v in values:
            self.road.send(v)

    @ix.entry
    async def hear(self, n):
        return [await self.road.receive() for _ in range(n)]

    @ix.entry
    async def take(self, n):
        return [await self.port.receive(k) for k in range(n)]


class Guarded(ix.Chare):
    def __init__(self):
        self.secret = 1
        self.cache = lambda: 1

    def __getstate__(self):
        return {"secret": self.secret}

    def __setstate__(self, state):
        self.secret = state["secret"] + 1
        self.cache = None

    @ix.entry
    def move(self, pe):
        self.migrate_to(pe)

    @ix.entry
    def look(self):
        return self.secret, self.cache is None, ix.pe()


def test_chares_move_with_their_state(run):
    async def main():
        nomads = ix.array(Nomad, 4, 5000)
        sums = [sum(range(5000)) + 5000 * i for i in range(4)]
        for step in range(6):
            for i in range(4):
                nomads[i].move.send((i + step) % ix.num_pes())
            await ix.quiescence()
            looks = await nomads.look.reduce(ix.gather)
            assert looks == [((i + step) % ix.num_pes(), step + 1, sums[i]) for i in range(4)]
    run(main)


def test_unread_values_and_connections_move(run):
    async def main():
        nomads = ix.array(Nomad, 3, 1)
        await nomads.connect.call()
        await nomads[0].say.call("a", "b")
        for k in range(3):
            nomads[1].port.send(k, k * k)
        await ix.quiescence()
        for i in range(3):
            nomads[i].move.send((i + 1) % ix.num_pes())
        await ix.quiescence()
        await nomads[0].say.call("c")
        assert await nomads[1].hear.call(3) == ["a", "b", "c"]
        assert await nomads[1].take.call(3) == [0, 1, 4]
    run(main)


def test_state_is_what_getstate_says(run, machine):
    async def main():
        g = ix.array(Guarded, 1)[0]
        home = (await g.look.call())[2]
        g.move.send((home + 1) % ix.num_pes())
        await ix.quiescence()
        secret, cleared, pe = await g.look.call()
        assert pe == (home + 1) % ix.num_pes()
        # Between PEs of a process it moves as it is.
        assert (secret, cleared) == ((2, True) if ix.num_pes() > 1 and machine != "threads" else (1, False))
        with pytest.raises(ix.Error, match="there is no|PEs"):
            await g.move.call(99)
    run(main)


class Replaced(ix.Chare):
    box = ix.Mailbox()

    def __init__(self):
        self.n = 7

    def __getstate__(self):
        return self.__dict__.copy()

    def __setstate__(self, state):
        self.__dict__ = state

    @ix.entry
    def move(self, pe):
        self.migrate_to(pe)

    @ix.entry
    async def take(self):
        return self.n, await self.box.receive(1)


def test_a_setstate_may_replace_all_attributes(run):
    async def main():
        one = ix.chare(Replaced)
        for pe in (*range(ix.num_pes()), 0):
            one.box.send(1, pe)
            await ix.quiescence()
            await one.move.call(pe)
            assert await one.take.call() == (7, pe)
    run(main)


class Stuck(ix.Chare):
    def __init__(self, fails):
        self.fails = fails

    def __getstate__(self):
        if self.fails == "to leave":
            raise ValueError("no state today")
        return self.fails

    def __setstate__(self, state):
        raise ValueError("no state tomorrow")

    @ix.entry
    def move(self):
        self.migrate_to((ix.pe() + 1) % ix.num_pes())


@pytest.mark.parametrize("fails, words", [("to leave", "no state today"), ("to arrive", "no state tomorrow")])
def test_a_state_that_cannot_be_ends_the_run(failure, machine, fails, words):
    if machine != "deterministic":
        pytest.skip("there is one PE")

    async def main():
        ix.array(Stuck, 3, fails).move.send()
        await ix.quiescence()
    text = failure(main)
    assert words in text and "which migrates, threw ValueError" in text


class Walker(ix.Chare):
    port = ix.Mailbox()

    def __init__(self):
        self.visited = []
        self.closed = 0

    @ix.entry
    def plain(self):
        pass

    @ix.entry
    async def walk(self, steps, *, by=1):
        try:
            while steps > 0:
                steps -= 1
                self.visited.append(ix.pe())
                self.migrate_to((ix.pe() + by) % ix.num_pes())
                await self.balance_point(self.walk, steps, by=by)
        finally:
            self.closed += 1
        return len(self.visited)

    @ix.entry
    async def path(self):
        return self.visited, self.closed

    @ix.entry
    async def hold(self):
        return await self.port.receive()

    @ix.entry
    async def misuse(self, how, other=None):
        self.migrate_to((ix.pe() + 1) % ix.num_pes())
        if how == "beside":
            await ix.when_all(self.point())
        elif how == "plain":
            await self.balance_point(self.plain)
        elif how == "no entry":
            await self.balance_point(self.point)
        elif how == "nothing":
            await self.balance_point()
        elif how == "arguments":
            await self.balance_point(self.walk)
        else:
            await self.balance_point(self.walk, 0)
        self.migrate_to(ix.pe())
        return "stays"

    async def point(self):
        await self.balance_point(self.walk, 0)

    @ix.entry
    def kept(self):
        self.migrate_to(ix.pe())


def test_an_entry_goes_on_elsewhere_from_its_balance_point(run):
    async def main():
        n = ix.num_pes()
        walkers = ix.array(Walker, 3)
        assert await walkers[1].walk.call(7) == 7
        path, closed = await walkers[1].path.call()
        start = path[0]
        assert path == [(start + k) % n for k in range(7)]
        assert closed == (1 if n == 1 else 8)
        assert await walkers.walk.reduce(ix.sum, 4, by=2) == 7 + 4 * 3
        assert await walkers.walk.reduce(ix.gather, 1) == [5, 12, 5]
        walkers[0].walk.send(3)
        await ix.quiescence()
        assert len((await walkers[0].path.call())[0]) == 8
    run(main)


def test_a_balance_point_is_the_entrys_own(run):
    async def main():
        w = ix.array(Walker, 1)[0]
        wrong = {"plain": "Walker.balance_point takes an async def entry of this chare first, such as self.run, not",
                 "no entry": "takes an async def entry", "nothing": "takes an async def entry",
                 "arguments": r"walk\(steps, \*, by=1\) was given \(\)"}
        for how, words in wrong.items():
            with pytest.raises(TypeError, match=words):
                await w.misuse.call(how)
            await w.kept.call()
        if ix.num_pes() == 1:
            return
        with pytest.raises(ix.Error, match="by the entry method itself, not by a task"):
            await w.misuse.call("beside")
        await w.kept.call()
        held = w.hold.call()
        with pytest.raises(ix.Error, match=r"\(0\) cannot migrate at its balance_point: its entry hold is suspended"):
            await w.misuse.call("two")
        w.port.send(5)
        assert await held == 5
    run(main)
