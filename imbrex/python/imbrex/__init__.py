# SPDX-License-Identifier: Apache-2.0
"""Chares in Python: objects with entries that messages call, spread over processes.

    import imbrex as ix

    class Cell(ix.Chare):
        @ix.entry
        async def square(self, n: int) -> int:
            return n * n

    async def main():
        cells = ix.array(Cell, 4)
        print(await cells.square.reduce(ix.sum, 7))

    ix.run(main)

`python prog.py` runs it in one process, `imbrex run -n 4 python prog.py` in four.
"""

import os as _os
import sys as _sys

# Modules of C++ chare classes are linked to the symbols of imbrex._core. One copy of each is used by all.
_flags = _sys.getdlopenflags()
_sys.setdlopenflags(_flags | _os.RTLD_GLOBAL)
from imbrex import _core  # noqa: E402
_sys.setdlopenflags(_flags)

from imbrex._balance import Problem, strategy
from imbrex._checkpoint import on_restart, restored, restored_value, save
from imbrex._classes import Channel, Chare, DeviceChannel, Mailbox, entry
from imbrex._core import (
    CheckpointResult, Executor, DeviceArray, RebalanceResult, RestartReport, checkpoint, device_array, exit, give, now,
    num_pes, num_processes, pe, process, quiescence, rebalance, restore, sleep, when_all, when_any)
from imbrex._core import make_executor as executor
from imbrex._creation import array, chare, group, in_blocks, in_bricks, keyed_array, round_robin, sparse_array
from imbrex._device import stream
from imbrex._errors import Error, RemoteError, RemoteTraceback, UsageError
from imbrex._operations import (
    all, any, bit_and, bit_or, bit_xor, gather, max, min, product, sum)
from imbrex._phases import mark, phase
from imbrex._run import run, start, stop

__all__ = [
    "Channel", "Chare", "CheckpointResult", "DeviceArray", "DeviceChannel", "Error", "Executor", "Mailbox", "Problem",
    "RebalanceResult", "RemoteError", "RemoteTraceback", "RestartReport", "UsageError", "all", "any", "array",
    "bit_and", "bit_or", "bit_xor", "chare", "checkpoint", "device_array", "entry", "executor", "exit", "gather",
    "give", "group", "in_blocks", "in_bricks", "keyed_array", "mark", "max", "min", "now", "num_pes", "num_processes",
    "on_restart", "pe", "phase", "process", "product", "quiescence", "rebalance", "restore", "restored",
    "restored_value", "round_robin", "run", "save", "sleep", "sparse_array", "start", "stop", "strategy", "stream",
    "sum", "when_all", "when_any"]
