# SPDX-License-Identifier: Apache-2.0
"""Arrays and streams of other libraries, on the emulated device, whose memory the host can look into."""
import ctypes
import sys
import weakref

import numpy as np
import pytest

import imbrex as ix
from imbrex import _device

from device_arrays import Shown, ShownByDLPack, ShownByDLPack1, address, fixed, some_stream, v100_with, view


class OfAnotherLibrary:
    """Streams of CuPy, PyTorch, Numba, cuda.core."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Keeper(ix.Chare):
    def __init__(self):
        self.steps = []

    @ix.entry
    def same(self, *values):
        assert all(isinstance(v, ix.DeviceArray) for v in values)
        return values

    @ix.entry
    async def wait_for(self, stream):
        self.steps.append("waits")
        await ix.stream(stream)
        self.steps.append("done")

    @ix.entry
    def note(self, step):
        self.steps.append(step)
        return self.steps


def test_what_libraries_do_is_waited_for(device_run, monkeypatch):
    later = []

    def synchronize(_):
        while later:
            later.pop()()
    monkeypatch.setitem(sys.modules, "late", object())
    monkeypatch.setitem(_device.synchronizers, ("emulated", "late"), synchronize)

    async def main():
        c = ix.chare(Keeper)
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


def test_arrays_of_other_libraries(device_run):
    async def main():
        c = ix.array(Keeper, 2)[1]
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
        c = ix.chare(Keeper)
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
                (Shown(a, stream=12345), ix.Error, "the handle belongs to no stream")):
            with pytest.raises(error, match=words):
                c.same.send(wrong)
        with pytest.raises(TypeError, match="without typestr"):
            c.same.send(fixed({"shape": (3,)}))
    device_run(main)


def test_waiting_for_streams(device_run):
    async def main():
        c = ix.chare(Keeper)
        for make in (lambda s: s, lambda s: OfAnotherLibrary(ptr=s), lambda s: OfAnotherLibrary(cuda_stream=s),
                     lambda s: OfAnotherLibrary(handle=ctypes.c_void_p(s)),
                     lambda s: OfAnotherLibrary(__cuda_stream__=lambda: (0, s))):
            array = ix.device_array(np.arange(200_000.0))
            stream = array.__cuda_array_interface__["stream"]
            if stream is not None:  # else it was quick
                await ix.stream(make(stream))
            there = (ctypes.c_double * array.size).from_address(address(array))
            assert there[199_999] == 199_999  # no other code has waited
            assert array.ready_after(make(some_stream())) is array
        for wrong in ("s", None, True, OfAnotherLibrary(), OfAnotherLibrary(ptr="1")):
            with pytest.raises(TypeError, match="one of CuPy, PyTorch or Numba"):
                ix.stream(wrong)
        with pytest.raises(ix.Error, match="the handle belongs to no stream of this device"):
            await ix.stream(17)
    device_run(main)


def test_others_run_while_one_waits_for_a_stream(run, machine, tmp_path):
    if machine != "alone":
        pytest.skip("in real time")
    async def main():
        c = ix.chare(Keeper)
        array = ix.device_array(np.ones(250_000))  # 0.2 s
        waits = c.wait_for.call(array.__cuda_array_interface__["stream"])
        assert await c.note.call("beside") == ["waits", "beside"]
        await waits
        assert await c.note.call("end") == ["waits", "beside", "done", "end"]
    run(main, device="emulated", device_model=v100_with(tmp_path, "to_device", '"10MB/s"'))


def test_arrays_of_others_are_kept_until_they_are_read(device_run, tmp_path):
    async def main():
        shown = Shown(ix.device_array(np.arange(200_000.0)), stream=some_stream())
        gone = weakref.ref(shown)
        back = ix.array(Keeper, 2)[1].same.call(shown)
        del shown
        assert gone() is not None  # the copy takes 0.3 s
        ((_, last),) = [(await each.copy_to_host())[-2:] for each in await back]
        assert last == 199_999
        await ix.quiescence()
        assert gone() is None
    device_run(main, device_model=v100_with(tmp_path, "memory_bandwidth", '"10MB/s"'))
