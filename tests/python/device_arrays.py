# SPDX-License-Identifier: Apache-2.0
"""Common code of the tests of devices: arrays as other libraries show them, and reads of their memory."""
import ctypes
import pathlib
import re

import numpy as np

import imbrex as ix

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
    """An array of a library that has DLPack 1, where arrays can be read only."""

    def __init__(self, array, is_read_only):
        super().__init__(array)
        self.is_read_only = is_read_only

    def __dlpack__(self, *, stream, max_version):
        capsule = self.array.__dlpack__(max_version=max_version)
        managed = WORDS(capsule, b"dltensor_versioned")
        ctypes.c_uint64.from_address(managed + 24).value = self.is_read_only
        ctypes.c_int32.from_address(managed + 40).value = 2
        return capsule


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


def v100_with(folder, key, value):
    """A file with the model of a V100 that has another value there."""
    text = (pathlib.Path(__file__).parents[2] / "imbrex/device/models/v100.toml").read_text()
    text, found = re.subn(rf"\n{key} = .*", f"\n{key} = {value}", text)
    assert found == 1
    model = folder / f"{key}.toml"
    model.write_text(text)
    return str(model)


def fixed(interface):
    return type("Fixed", (), {"__cuda_array_interface__": interface})()
