# SPDX-License-Identifier: Apache-2.0
"""Arrays in the memory of devices, on the emulated device, whose memory the host can look into."""
import gc
import pickle

import numpy as np
import pytest

import imbrex as ix

from device_arrays import Shown, address, fixed, v100_with, view


class Holder(ix.Chare):
    faces = ix.Mailbox()
    over = ix.Channel()
    back = ix.Channel()

    def __init__(self):
        self.kept = None

    @ix.entry
    def same(self, *values):
        assert all(isinstance(v, ix.DeviceArray) for v in values)
        return values

    @ix.entry
    async def same_later(self, *values):
        await ix.sleep(0)
        return values

    @ix.entry
    async def keep(self, array, *, factor=1):
        self.kept = array
        await array.copy_to_host()
        view(array)[...] *= factor

    @ix.entry
    def kept_at(self):
        return address(self.kept)

    @ix.entry
    def total(self):
        return float(self.kept.numpy().sum())

    @ix.entry
    async def take_faces(self, *numbers):
        return [(side, await face.copy_to_host()) for side, face in
                [await self.faces.receive(n) for n in numbers]]

    @ix.entry
    async def hand_over(self, n):
        self.over.connect(self.peers[(self.where + 1) % len(self.peers)].back)
        for i in range(n):
            self.over.send((i, ix.give(ix.device_array(np.full(i, self.where)))))
        for i in range(n):
            number, array = await self.back.receive()
            host = await array.copy_to_host()
            assert number == i and host.tolist() == i * [(self.where - 1) % len(self.peers)]

    @ix.entry
    def move(self, pe):
        self.migrate_to(pe)

    @ix.entry
    def pe(self):
        return ix.pe()

    @ix.entry
    async def remember(self, name):
        REMEMBERED[name] = ix.device_array(np.arange(8.0))
        await REMEMBERED[name].copy_to_host()
        REMEMBERED["what it shows"] = REMEMBERED[name].__cuda_array_interface__

    @ix.entry
    def send_remembered(self, name):
        self.peers[0].same.send(Shown(REMEMBERED[name]))


REMEMBERED = {}


def arrays():
    for dtype in "?bBhHiIlLqQefdFD":
        yield np.arange(7).astype(dtype)
    block = np.arange(6000.0).reshape(10, 20, 30)
    yield from (block, block.T, block[::2, 1:, ::-1], np.asfortranarray(block[0]), np.array(7.5), np.zeros((3, 0)))
    yield np.random.default_rng(36).random(100_000)


def test_arrays_arrive_as_they_were(device_run):
    async def main():
        chares = ix.array(Holder, 4)
        for i in range(4):
            for host in arrays():
                device = ix.device_array(host)
                assert (device.shape, device.dtype, device.size, device.nbytes) == (
                    host.shape, host.dtype, host.size, host.nbytes)
                for back in (await chares[i].same.call(device), await chares[i].same_later.call(device, device)):
                    for each in (device, *back):
                        there = await each.copy_to_host()
                        assert there.dtype == host.dtype and np.array_equal(there, host)
                        assert np.array_equal(each.numpy(), host)
        with pytest.raises(TypeError, match="numbers of this machine"):
            ix.device_array(np.array(["text"]))
        for dtype in "gG":
            with pytest.raises(TypeError, match="no long doubles"):
                ix.device_array(np.ones(3, dtype))
    device_run(main)


def test_a_send_copies_and_each_receiver_has_its_own(device_run):
    async def main():
        chares = ix.array(Holder, 5)
        group = ix.group(Holder)
        section = chares.section([1, 3])
        array = ix.device_array(np.ones(1000))
        await chares.keep.call(array)
        group.keep.send(array)
        here = chares[0].keep.call(array, factor=3)
        view(array)[:] = 7  # the sent array does not change any more
        await here
        await section.keep.call(array, factor=2)
        assert await chares.total.reduce(ix.gather) == [3000, 14000, 1000, 14000, 1000]
        await ix.quiescence()
        assert set(await group.total.reduce(ix.gather)) == {1000.0}
        assert (await array.copy_to_host() == 7).all()
        seen = view(array)
        for n in range(20):  # also where others have been shown the memory
            back = chares[n % 5].same.call(array, Shown(array))
            seen += 1
            for each in await back:
                assert (each.numpy() == n + 7).all()
    device_run(main)


def test_whoever_writes_waits_for_what_is_read_to_the_host(device_run):
    async def main():
        for n in range(20):
            array = ix.device_array(np.full(400_000, float(n)))
            reading = array.copy_to_host()
            view(array)[:] = -1
            assert (await reading == n).all()
    device_run(main)


def test_what_cannot_be_sent_gives_arrays_back(device_run):
    async def main():
        c = ix.chare(Holder)
        array, other = ix.device_array(np.arange(3.0)), ix.device_array(np.ones(3))
        for error, send in ((TypeError, lambda: c.same.send(ix.give(array), ix.give(other), [other])),
                            (ix.Error, lambda: c.same.send(ix.give(array), ix.give(array))),
                            (TypeError, lambda: c.faces.send(1, (ix.give(array), [other]))),
                            (TypeError, lambda: ix.chare(Record2, ix.give(array)))):
            with pytest.raises(error):
                send()
            assert array.numpy().tolist() == [0, 1, 2] and other.numpy().tolist() == [1, 1, 1]
        (back,) = await c.same.call(ix.give(array))
        assert back.numpy().tolist() == [0, 1, 2]
    device_run(main)


def test_given_arrays_are_handed_over(device_run, machine):
    async def main():
        chares = ix.array(Holder, 3)
        for i in range(3):
            array = ix.device_array(np.full(50_000, float(i)))
            was_at = address(array)
            await chares[i].keep.call(ix.give(array))
            if machine == "alone":  # the memory itself has gone there
                assert await chares[i].kept_at.call() == was_at
            for use in (array.numpy, lambda: chares[0].same.send(array), lambda: address(array),
                        lambda: chares[0].same.send(ix.give(array))):
                with pytest.raises(ix.Error, match=r"float64 \(50000,\) was given away"):
                    use()
        assert await chares.total.reduce(ix.gather) == [0, 50_000, 100_000]
        array = ix.device_array(np.ones(4))
        seen = view(array)
        with pytest.raises(ix.Error, match="still holds its memory by DLPack"):
            chares[0].same.send(ix.give(array))
        del seen
        await chares[0].same.call(ix.give(array))
    device_run(main)


def test_mailboxes_and_channels_carry_arrays(device_run):
    async def main():
        chares = ix.array(Holder, 4)
        for i in range(4):
            for n in (3, 1, 2):
                chares[i].faces.send(n, (n, ix.device_array(np.full((2, n), float(i)))))
            faces = await chares[i].take_faces.call(1, 2, 3)
            assert [side for side, _ in faces] == [1, 2, 3]
            assert all(np.array_equal(face, np.full((2, side), float(i))) for side, face in faces)
        chares.faces.send(9, ("all", ix.device_array(np.arange(3))))
        assert all(face.tolist() == [0, 1, 2] for ((_, face),) in await chares.take_faces.reduce(ix.gather, 9))
        await chares.hand_over.call(30)
    device_run(main)


def test_memory_of_another_device_is_refused(run, machine):
    if machine != "deterministic":
        pytest.skip("one PE a process")

    async def main():
        chares = ix.array(Holder, 3)
        await chares[1].remember.call("it")
        with pytest.raises(ix.Error, match=r"is on emulated device 1 \(.*\), but PE 0 uses emulated device 0"):
            chares[0].same.send(REMEMBERED["it"])
        with pytest.raises(ix.Error, match=r"which a Fixed shows, is on emulated device 1"):
            chares[0].same.send(fixed(REMEMBERED["what it shows"]))
        await chares[1].send_remembered.call("it")  # the array then goes to device 0
        (back,) = await chares[2].same.call(ix.device_array(np.arange(3)))
        assert back.numpy().tolist() == [0, 1, 2]
    run(main, device="emulated", devices=3)
    REMEMBERED.clear()


def test_what_takes_no_device_arrays_says_so(device_run):
    async def main():
        array = ix.device_array(np.ones(3))
        c = ix.chare(Holder)
        for put in ([array], {"a": array}, Record(array)):
            with pytest.raises(TypeError, match=r"float64 \(3,\) cannot be pickled: give it to an entry"):
                c.same.send(put)
        with pytest.raises(TypeError, match="take it out of a chare that moves"):
            pickle.dumps(array)
        with pytest.raises(TypeError, match="not used in constructors"):
            ix.chare(Record2, array)
        with pytest.raises(TypeError, match="not used in constructors, reductions"):
            await ix.array(Holder, 2).same.reduce(ix.gather, array)
    device_run(main)


class Record:
    def __init__(self, array):
        self.array = array


class Record2(ix.Chare):
    def __init__(self, array):
        self.array = array


def test_without_a_device(run):
    async def main():
        with pytest.raises(ix.Error, match="PE 0 has no device: start the program with --device cuda"):
            ix.device_array(np.ones(3))
        with pytest.raises(ix.Error, match="has no device"):
            await ix.stream(1)
    run(main)


def test_unread_arrays_migrate(device_run):
    async def main():
        c = ix.array(Holder, 1)[0]
        for n in range(4):
            c.faces.send(n, (n, ix.device_array(np.full(5000, n))))
        await ix.quiescence()
        for pe in range(ix.num_pes()):
            await c.move.call(pe)
            await ix.quiescence()
            assert await c.pe.call() == pe
        faces = await c.take_faces.call(3, 0, 1, 2)
        assert [(n, face.sum()) for n, face in faces] == [(3, 15000), (0, 0), (1, 5000), (2, 10000)]
    device_run(main)


def test_copies_by_the_host_take_their_time(machine):
    if machine != "alone":
        pytest.skip("it is a machine of its own")

    async def main():
        begin = ix.now()
        await ix.sleep(0.25)
        slept = ix.now()
        assert slept - begin == pytest.approx(0.25, rel=1e-3)
        array = ix.device_array(np.ones(14_000_000 // 8))  # 1 ms at the model's 14 GB/s
        made = ix.now()
        assert 0.001 <= made - slept < 0.0011
        await array.copy_to_host()
        assert ix.now() - made > 0.001
    ix.run(main, argv=[], machine="simulated", device_model="summit")


def test_memory_stays_flat(device_run, tmp_path):
    async def main():
        chares = ix.array(Holder, 3)
        megabyte = np.ones(1 << 17)
        for n in range(60):  # blocks that are kept would come to more than the device has
            for i in range(3):
                (back,) = await chares[i].same.call(ix.device_array(megabyte))
                assert (await back.copy_to_host())[n] == 1
    device_run(main, device_model=v100_with(tmp_path, "memory", "50_000_000"))


def test_arrays_outlive_their_run(device_run):
    left = []

    async def main():
        left.append(ix.device_array(np.ones(3)))
    device_run(main)
    for array in left:
        with pytest.raises(ix.Error):
            array.numpy()
    left.clear()
    gc.collect()


def test_on_the_simulated_machine(machine):
    if machine != "alone":
        pytest.skip("it is a machine of its own")

    async def main():
        chares = ix.array(Holder, 5)
        await chares.hand_over.call(10)
    ix.run(main, argv=[], machine="simulated", device_model="summit", pes=4)
