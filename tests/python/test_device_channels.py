# SPDX-License-Identifier: Apache-2.0
"""Channels of arrays in the memory of devices, on the emulated device."""
import warnings
import weakref

import numpy as np
import pytest

import imbrex as ix

from device_arrays import Shown, ShownByDLPack1, address, v100_with, view


class Neighbour(ix.Chare):
    left = ix.DeviceChannel()
    right = ix.DeviceChannel()

    @ix.entry
    async def exchange(self, steps, n):
        """Each step both faces grow by those of the neighbours; the lent arrays change right after they were read."""
        peers, at = self.peers, self.where
        self.right.connect(peers[(at + 1) % len(peers)].left)
        self.left.connect(peers[(at - 1) % len(peers)].right)
        out = [ix.device_array(np.full(n, float(at + 10 * side))) for side in range(2)]
        ghosts = [ix.device_array(np.zeros(n)) for _ in range(2)]
        channels = self.left, self.right
        for step in range(steps):
            lent = [channel.send(face) for channel, face in zip(channels, out)]
            if step % 2:
                ghosts = [await channel.receive() for channel in channels]
            else:
                assert await self.right.receive(ghosts[1]) is ghosts[1]
                assert await self.left.receive(ghosts[0]) is ghosts[0]
            for each in lent:
                await each
            for face, ghost in zip(out, ghosts):
                face_there, ghost_there = view(face), view(ghost)
                face_there += ghost_there[::-1] + np.arange(n)
        return [(await face.copy_to_host()).tolist() for face in out]


@pytest.mark.parametrize("n", [1, 3000])
def test_device_channels(device_run, n):
    steps = 6

    async def main():
        chares = ix.array(Neighbour, 5)
        found = await chares.exchange.reduce(ix.gather, steps, n)
        faces = [[np.full(n, float(at + 10 * side)) for side in range(2)] for at in range(5)]
        for _ in range(steps):
            before = [[face.copy() for face in both] for both in faces]
            for at in range(5):
                faces[at][0] += before[(at - 1) % 5][1][::-1] + np.arange(n)
                faces[at][1] += before[(at + 1) % 5][0][::-1] + np.arange(n)
        assert found == [[face.tolist() for face in both] for both in faces]
    device_run(main)


class Wrong(ix.Chare):
    left = ix.DeviceChannel()
    right = ix.DeviceChannel()
    values = ix.Channel()

    def connect(self):
        self.right.connect(self.proxy.left)
        return ix.device_array(np.ones(4))

    @ix.entry
    async def receive_into(self, kind):
        array = self.connect()
        lent = self.right.send(array)
        into = {"shorter": lambda: ix.device_array(np.ones(3)), "integers": lambda: ix.device_array(np.ones(4, int)),
                "host": lambda: np.ones(4), "constant": lambda: Shown(array, data=(address(array), True)),
                "constant by DLPack": lambda: ShownByDLPack1(array, True)}[kind]()
        try:
            await self.left.receive(into)
        finally:
            if kind in ("host", "constant", "constant by DLPack"):  # then the array has not been taken
                right = ix.device_array(np.zeros(4))
                assert await self.left.receive(right) is right and (right.numpy() == 1).all()
            await lent

    @ix.entry
    async def receive_equal_types(self):
        self.connect()
        for sent, received in ("ql", "lq", "QL", "LQ"):
            lent = self.right.send(ix.device_array(np.arange(4).astype(sent)))
            into = ix.device_array(np.zeros(4, received))
            await self.left.receive(into)
            await lent
            assert into.numpy().tolist() == [0, 1, 2, 3]

    @ix.entry
    async def give_up_while_it_is_copied(self):
        self.connect()
        array = ix.device_array(np.arange(200_000.0))
        lent = self.right.send(array)
        into = Shown(ix.device_array(np.zeros(200_000)))
        gone = weakref.ref(into)
        assert (await ix.when_any(self.left.receive(into), ix.sleep(0.01)))[0] == 1
        del into
        assert gone() is not None  # the copy takes 0.3 s
        await lent
        while gone() is not None:
            await ix.sleep(0.001)

    @ix.entry
    def send(self, what):
        self.connect()
        self.right.send(what)

    @ix.entry
    def join_kinds(self):
        self.right.connect(self.proxy.values)

    @ix.entry
    def forget(self):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            self.right.send(self.connect())
        return [str(w.message) for w in told]


def test_what_a_device_channel_refuses(device_run):
    async def main():
        c = ix.chare(Wrong)
        for kind, error, words in (("shorter", ix.Error, r"float64 \(4,\), and receives it into one float64 \(3,\)"),
                                   ("integers", ix.Error, r"into one int64 \(4,\)"),
                                   ("host", TypeError, "receives no array into a numpy.ndarray"),
                                   ("constant", ix.Error, "can only be read"),
                                   ("constant by DLPack", ix.Error, "can only be read")):
            with pytest.raises(error, match=words):
                await ix.chare(Wrong).receive_into.call(kind)
        with pytest.raises(TypeError, match="does not send a list: give an imbrex.DeviceArray"):
            await c.send.call([1])
        with pytest.raises(TypeError, match="channels of different kinds"):
            await c.join_kinds.call()
    device_run(main)


def test_what_is_written_is_kept_though_nobody_waits(run, machine, tmp_path):
    if machine != "alone":
        pytest.skip("in real time")

    async def main():
        await ix.chare(Wrong).give_up_while_it_is_copied.call()
    run(main, device="emulated", device_model=v100_with(tmp_path, "memory_bandwidth", '"10MB/s"'))


def test_equal_types_of_numpy_are_one(device_run):
    async def main():
        await ix.chare(Wrong).receive_equal_types.call()
    device_run(main)


def test_a_loan_that_is_forgotten_is_told(device_run):
    async def main():
        assert await ix.chare(Wrong).forget.call() == ["DeviceChannel.send() was never awaited"]
    device_run(main)


def test_on_the_simulated_machine(machine):
    if machine != "alone":
        pytest.skip("it is a machine of its own")

    async def main():
        chares = ix.array(Neighbour, 5)
        found = await chares.exchange.reduce(ix.gather, 3, 10)
        assert len(found) == 5 and all(len(face) == 10 for both in found for face in both)
    ix.run(main, argv=[], machine="simulated", device_model="summit", pes=4)
