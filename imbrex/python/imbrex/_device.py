# SPDX-License-Identifier: Apache-2.0
"""Streams of other libraries."""

import sys

from imbrex import _core


def handle_of(stream):
    """The handle of a stream of CuPy (`ptr`), PyTorch (`cuda_stream`), Numba (`handle`), of an object with
    `__cuda_stream__`, or of an int."""
    if isinstance(stream, int) and not isinstance(stream, bool):
        return stream
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        return (protocol() if callable(protocol) else protocol)[1]
    for name in ("ptr", "cuda_stream", "handle"):
        handle = getattr(stream, name, None)
        if hasattr(handle, "value"):
            handle = handle.value or 0
        if isinstance(handle, int):
            return handle
    raise TypeError(f"a stream is one of CuPy, PyTorch or Numba, or an int that is its handle, not a "
                    f"{type(stream).__name__}")


def current_stream(array):
    """The handle of the current stream of an array's library; None if unknown."""
    if type(array).__module__.partition(".")[0] == "torch":
        return sys.modules["torch"].cuda.current_stream(array.device).cuda_stream
    return None


def synchronize_by_numba(device):
    cuda = sys.modules["numba.cuda"]
    with cuda.gpus[device]:
        cuda.synchronize()


# Functions of loaded libraries that wait for all work on a device.
synchronizers = {
    ("cuda", "cupy"): lambda device: sys.modules["cupy"].cuda.Device(device).synchronize(),
    ("hip", "cupy"): lambda device: sys.modules["cupy"].cuda.Device(device).synchronize(),
    ("cuda", "torch"): lambda device: sys.modules["torch"].cuda.synchronize(device),
    ("hip", "torch"): lambda device: sys.modules["torch"].cuda.synchronize(device),
    ("cuda", "numba.cuda"): synchronize_by_numba,
}


def finish_libraries(backend, device):
    """Blocks until the device has finished the work of all loaded libraries."""
    for (its_backend, library), synchronize in synchronizers.items():
        if its_backend == backend and library in sys.modules:
            return synchronize(device)


def stream(stream, /):
    """Waits until a stream of CuPy, PyTorch, Numba or another library has finished its earlier work. The PE runs
    other entries meanwhile."""
    return _core.stream(handle_of(stream))
