# SPDX-License-Identifier: Apache-2.0
import pickle

import pytest

import imbrex as ix


class Place(ix.Chare):
    def __init__(self, *given):
        self.given = given
        self.received = []

    @ix.entry
    def here(self):
        return self.where, ix.pe()

    @ix.entry
    def what(self):
        return self.given

    @ix.entry
    async def neighbour(self):
        return await self.peers[(self.where + 1) % len(self.peers)].here.call()

    @ix.entry
    def proxies(self):
        return self.proxy, self.peers

    @ix.entry
    def note(self, n):
        self.received.append(n)

    @ix.entry
    def noted(self):
        return self.received

    @ix.entry
    def end(self):
        self.destroy()


@pytest.mark.parametrize("shape", [(5,), (2, 3), (2, 1, 3), (2, 2, 1, 2), (1, 2, 1, 2, 1), (1, 2, 2, 1, 1, 2)])
def test_arrays_of_each_dimension(run, shape):
    async def main():
        a = ix.array(Place, shape, "x")
        assert a.shape == shape
        places = await a.here.reduce(ix.gather)
        indices = [w if isinstance(w, tuple) else (w,) for w, _ in places]
        assert indices == sorted(indices) and len(set(indices)) == len(a)
        last = tuple(n - 1 for n in shape)
        assert await a[last if len(shape) > 1 else last[0]].what.call() == ("x",)
        with pytest.raises(IndexError, match="is outside the array of .*Place, whose shape is"):
            a[tuple(shape) if len(shape) > 1 else shape[0]]
        with pytest.raises(IndexError):
            a[-1] if len(shape) == 1 else a[0]
        with pytest.raises(TypeError, match="an index is an int"):
            a["north"]
    run(main)


def test_placements(run):
    async def main():
        for placement in (ix.in_bricks, ix.in_blocks, ix.round_robin):
            a = ix.array(Place, 6, placement=placement)
            pes = [pe for _, pe in await a.here.reduce(ix.gather)]
            n = ix.num_pes()
            expected = [i % n if placement == ix.round_robin else i * n // 6 for i in range(6)]
            assert pes == expected
        with pytest.raises(ValueError, match="a placement is"):
            ix.array(Place, 6, placement="anywhere")
        with pytest.raises(ix.Error, match="cannot have the shape"):
            ix.array(Place, -1)
    run(main)


def test_elements_know_their_peers_and_proxies(run):
    async def main():
        a = ix.array(Place, 4)
        for i in range(4):
            assert (await a[i].neighbour.call())[0] == (i + 1) % 4
        own, peers = await a[2].proxies.call()
        assert own == a[2] and hash(own) == hash(a[2]) and own != a[1]
        assert peers == a and repr(peers) == f"<array of {__name__}.Place>"
        assert repr(own) == f"<chare {__name__}.Place(2)>"
        assert pickle.loads(pickle.dumps([own, peers])) == [own, peers]
        assert await a[1].what.call() == ()
    run(main)


def test_groups_have_a_chare_on_each_pe(run):
    async def main():
        g = ix.group(Place, 7)
        await g.created()
        assert len(g) == ix.num_pes()
        assert await g.here.reduce(ix.gather) == [(i, i) for i in range(ix.num_pes())]
        assert g.local.given == (7,) and g.local.where == ix.pe()
        with pytest.raises(AttributeError, match="only groups have a chare on each PE"):
            ix.array(Place, 2).local
        with pytest.raises(AttributeError, match="only arrays with dense indices have a shape"):
            g[0].shape
        await g.destroy()
    run(main)


def test_single_chares(run):
    async def main():
        for pe in range(ix.num_pes()):
            c = ix.chare(Place, "single", on=pe)
            assert (await c.here.call())[1] == pe
            assert await c.what.call() == ("single",)
        c = ix.chare(Place)
        assert repr(c) == f"<chare {__name__}.Place>"
        with pytest.raises(ix.Error, match="no PE|there is no|PEs"):
            ix.chare(Place, on=1000)
        with pytest.raises(ix.Error, match="peers"):
            await c.neighbour.call()
    run(main)


def test_arrays_with_keys(run):
    async def main():
        a = ix.keyed_array(Place)
        keys = ["north", 7, ("x", 3), b"raw"]
        for i, key in enumerate(keys):
            a.insert(key, i)
        await ix.quiescence()
        for i, key in enumerate(keys):
            assert await a[key].what.call() == (i,)
            assert (await a[key].here.call())[0] == key
        a.note.send(1)
        await ix.quiescence()
        assert await a["north"].noted.call() == [1]
        assert sorted(map(len, await a.noted.reduce(ix.gather))) == [1] * 4
        for wrong in (1.5, True, (1, [2]), ("x", (None,))):
            with pytest.raises(TypeError, match="a key of an array is a str"):
                a[wrong]
    run(main)


def test_sparse_arrays(run):
    async def main():
        a = ix.sparse_array(Place, (100, 100))
        waits = a[50, 50].what.call()
        a.insert((50, 50), "late")
        a.insert((0, 99))
        assert await waits == ("late",)
        assert [w for w, _ in await a.here.reduce(ix.gather)] == [(0, 99), (50, 50)]
    run(main)


def test_sections(run):
    async def main():
        a = ix.array(Place, (3, 3))
        diagonal = a.section([(i, i) for i in range(3)])
        assert [w for w, _ in await diagonal.here.reduce(ix.gather)] == [(0, 0), (1, 1), (2, 2)]
        diagonal.note.send(5)
        await ix.quiescence()
        assert sum(map(len, await a.noted.reduce(ix.gather))) == 3
        with pytest.raises(ix.Error, match="a reduction over no elements"):
            await a.section([]).here.reduce(ix.sum)
        with pytest.raises(TypeError, match="not destroyed"):
            diagonal.destroy()
    run(main)


def test_chares_end(run):
    async def main():
        a = ix.array(Place, 3)
        a[0].destroy()
        a[1].end.send()
        await ix.quiescence()
        assert [w for w, _ in await a.here.reduce(ix.gather)] == [2]
        with pytest.raises(ix.Error, match=r"Place\(1\) has been destroyed"):
            await a[1].what.call()
        await a.destroy()
        with pytest.raises(ix.Error, match="has ended|has been destroyed"):
            await a[2].what.call()
    run(main)


def test_priorities(run, machine):
    async def main():
        c = ix.chare(Place, on=0)
        await c.what.call()
        for n in (3, 1, 2):
            c.with_priority(n).note.send(n)
        c.coalesced().note.send(9)
        await ix.quiescence()
        noted = await c.noted.call()
        if machine == "alone":
            assert noted == [9, 1, 2, 3]
        assert sorted(noted) == [1, 2, 3, 9]
        with pytest.raises(ValueError, match="a priority of 32"):
            c.with_priority(32)
    run(main)
