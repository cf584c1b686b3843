# SPDX-License-Identifier: Apache-2.0
"""Arrays in the memory of devices, on the emulated device, whose memory the host can look into."""
import ctypes
import gc
import pathlib
import pickle
import re
import sys
import warnings
import weakref

import numpy as np
import pytest

import imbrex as ix
from imbrex import _device

WORDS = ctypes.pythonapi.PyCapsule_GetPointer
WORDS.restype, WORDS.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class Shown:
    """An array of another library, as CuPy and Numba show theirs."""

    def __init__(self, array, **changes):
        self.array = array
        self.changes = changes

    @property
    def __cuda_array_interface__(self):
        return {**self.array.__cuda_array_interface__, **self.changes}


class ShownByDLPack:
    """As PyTorch shows its own: of a GPU."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, *, stream):
        assert isinstance(stream, int) and stream > 2
        capsule = self.array.__dlpack__()
        ctypes.c_int32.from_address(WORDS(capsule, b"dltensor") + 8).value = 2
        return capsule


class ShownByDLPack1(ShownByDLPack):
    """The same of a library that has DLPack 1, where arrays can be read only."""

    def __init__(self, array, is_read_only):
        super().__init__(array)
        self.is_read_only = is_read_only

    def __dlpack__(self, *, stream, max_version):
        capsule = self.array.__dlpack__(max_version=max_version)
        managed = WORDS(capsule, b"dltensor_versioned")
        ctypes.c_uint64.from_address(managed + 24).value = self.is_read_only
        ctypes.c_int32.from_address(managed + 40).value = 2
        return capsule


def fixed(interface):
    return type("Fixed", (), {"__cuda_array_interface__": interface})()


class OfAnotherLibrary:
    """Streams of CuPy, PyTorch, Numba, cuda.core."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


def view(array):
    return np.from_dlpack(array)


def some_stream():
    """The handle of some stream of the device."""
    while True:
        stream = ix.device_array(np.ones(300_000)).__cuda_array_interface__["stream"]
        if stream is not None:  # else the copy was quick
            return stream


def address(array):
    return array.__cuda_array_interface__["data"][0]


class Holder(ix.Chare):
    faces = ix.Mailbox()
    left = ix.DeviceChannel()
    right = ix.DeviceChannel()
    over = ix.Channel()
    back = ix.Channel()

    def __init__(self):
        self.kept = None
        self.steps = []

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

    @ix.entry
    async def wait_for(self, stream):
        self.steps.append("waits")
        await ix.stream(stream)
        self.steps.append("done")

    @ix.entry
    def note(self, step):
        self.steps.append(step)
        return self.steps


REMEMBERED = {}


@pytest.fixture
def device_run(run):
    def on_device(main, **options):
        return run(main, **{"device": "emulated", **options})
    return on_device


def v100_with(folder, key, value):
    """A file with the model of a V100 that has another value there."""
    text = (pathlib.Path(__file__).parents[2] / "imbrex/device/models/v100.toml").read_text()
    text, found = re.subn(rf"\n{key} = .*", f"\n{key} = {value}", text)
    assert found == 1
    model = folder / f"{key}.toml"
    model.write_text(text)
    return str(model)


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
        view(array)[:] = 7  # what was sent does not change any more
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


def test_what_libraries_do_is_waited_for(device_run, monkeypatch):
    later = []

    def synchronize(_):
        while later:
            later.pop()()
    monkeypatch.setitem(sys.modules, "late", object())
    monkeypatch.setitem(_device.synchronizers, ("emulated", "late"), synchronize)

    async def main():
        c = ix.chare(Holder)
        array = ix.device_array(np.zeros(4))
        seen = view(array)

        def add_one():
            seen[:] += 1
        later.append(add_one)
        assert array.numpy().tolist() == [1] * 4
        later.append(add_one)
        assert (await array.copy_to_host()).tolist() == [2] * 4
        later.append(add_one)
        (back,) = await c.same.call(array)
        assert back.numpy().tolist() == [3] * 4
        later.append(add_one)
        array.ready_after(some_stream())  # says what there is to wait for
        assert array.numpy().tolist() == [3] * 4
        later.clear()
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
        with pytest.raises(ix.Error, match="has been shown its memory by DLPack"):
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


@pytest.mark.parametrize("n", [1, 3000])
def test_device_channels(device_run, n):
    steps = 6

    async def main():
        chares = ix.array(Holder, 5)
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


def test_arrays_of_other_libraries(device_run):
    async def main():
        c = ix.array(Holder, 2)[1]
        owned = ix.device_array(np.arange(12.0).reshape(3, 4))
        shown = [Shown(owned), Shown(owned, strides=(32, 8)), Shown(owned, version=2),
                 Shown(owned, stream=some_stream()), ShownByDLPack(owned), ShownByDLPack1(owned, True)]
        del owned
        for each in shown:
            (back,) = await c.same.call(each)
            assert (await back.copy_to_host()).tolist() == np.arange(12.0).reshape(3, 4).tolist()
            assert ix.device_array(each).numpy()[2, 3] == 11
        part = Shown(shown[0].array, shape=(2,), data=(address(shown[0].array) + 80, False))
        (back,) = await c.same.call(part)
        assert back.numpy().tolist() == [10, 11]
        (back,) = await c.same.call(Shown(shown[0].array, shape=(1, 2, 1), strides=(8, 8, 64)))
        assert back.numpy().tolist() == [[[0], [1]]]
    device_run(main)


def test_arrays_of_other_libraries_that_are_wrong(device_run):
    async def main():
        c = ix.chare(Holder)
        a = ix.device_array(np.arange(64.0))
        host = np.ones(64)
        for wrong, error, words in (
                (Shown(a, strides=(16,), shape=(32,)), ValueError, "do not lie in rows"),
                (Shown(a, strides=(8, 64), shape=(8, 8)), ValueError, "ascontiguousarray"),
                (Shown(a, strides=(-8,)), ValueError, "do not lie in rows"),
                (Shown(a, typestr=">f8"), TypeError, "byte order"),
                (Shown(a, typestr="|O"), TypeError, "numbers of NumPy"),
                (Shown(a, shape=(-1,)), ValueError, "negative extent"),
                (Shown(a, shape=(2**32, 2**32), strides=(0, 0)), ValueError, "more bytes than an address space"),
                (Shown(a, shape=(2**62,)), ValueError, "more bytes than an address space"),
                (Shown(a, typestr="<f16"), TypeError, "no long doubles"),
                (Shown(a, data=(host.ctypes.data, False)), ix.Error, "in no memory of the run's devices"),
                (Shown(a, shape=(10**7,)), ix.Error, "has 80000000 bytes, but the memory there ends after"),
                (Shown(a, mask=a), TypeError, "mask"),
                (Shown(a, stream=12345), ix.Error, "the handle is of no stream")):
            with pytest.raises(error, match=words):
                c.same.send(wrong)
        with pytest.raises(TypeError, match="without typestr"):
            c.same.send(fixed({"shape": (3,)}))
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
        await chares[1].send_remembered.call("it")  # and there it goes to device 0
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
        with pytest.raises(TypeError, match="take no part in constructors"):
            ix.chare(Record2, array)
        with pytest.raises(TypeError, match="take no part in constructors, reductions"):
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


def test_waiting_for_streams(device_run):
    async def main():
        c = ix.chare(Holder)
        for make in (lambda s: s, lambda s: OfAnotherLibrary(ptr=s), lambda s: OfAnotherLibrary(cuda_stream=s),
                     lambda s: OfAnotherLibrary(handle=ctypes.c_void_p(s)),
                     lambda s: OfAnotherLibrary(__cuda_stream__=lambda: (0, s))):
            array = ix.device_array(np.arange(200_000.0))
            stream = array.__cuda_array_interface__["stream"]
            if stream is not None:  # else it was quick
                await ix.stream(make(stream))
            there = (ctypes.c_double * array.size).from_address(address(array))
            assert there[199_999] == 199_999  # nobody else has waited
            assert array.ready_after(make(some_stream())) is array
        for wrong in ("s", None, True, OfAnotherLibrary(), OfAnotherLibrary(ptr="1")):
            with pytest.raises(TypeError, match="one of CuPy, PyTorch or Numba"):
                ix.stream(wrong)
        with pytest.raises(ix.Error, match="the handle is of no stream of this device"):
            await ix.stream(17)
    device_run(main)


def test_others_run_while_one_waits_for_a_stream(run, machine, tmp_path):
    if machine != "alone":
        pytest.skip("in real time")
    async def main():
        c = ix.chare(Holder)
        array = ix.device_array(np.ones(250_000))  # 0.2 s
        waits = c.wait_for.call(array.__cuda_array_interface__["stream"])
        assert await c.note.call("beside") == ["waits", "beside"]
        await waits
        assert await c.note.call("end") == ["waits", "beside", "done", "end"]
    run(main, device="emulated", device_model=v100_with(tmp_path, "to_device", '"10MB/s"'))


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


def test_arrays_of_others_are_kept_until_they_are_read(device_run, tmp_path):
    async def main():
        shown = Shown(ix.device_array(np.arange(200_000.0)), stream=some_stream())
        gone = weakref.ref(shown)
        back = ix.array(Holder, 2)[1].same.call(shown)
        del shown
        assert gone() is not None  # the copy takes 0.3 s
        ((_, last),) = [(await each.copy_to_host())[-2:] for each in await back]
        assert last == 199_999
        await ix.quiescence()
        assert gone() is None
    device_run(main, device_model=v100_with(tmp_path, "memory_bandwidth", '"10MB/s"'))


def test_on_the_simulated_machine(machine):
    if machine != "alone":
        pytest.skip("it is a machine of its own")

    async def main():
        chares = ix.array(Holder, 5)
        found = await chares.exchange.reduce(ix.gather, 3, 10)
        assert len(found) == 5 and all(len(face) == 10 for both in found for face in both)
        await chares.hand_over.call(10)
    ix.run(main, argv=[], machine="simulated", device_model="summit", pes=4)


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
