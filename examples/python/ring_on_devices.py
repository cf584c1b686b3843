# SPDX-License-Identifier: Apache-2.0
"""Arrays in device memory go around a ring. Members add to each received array by CuPy, or by NumPy if the device is
emulated, so that its memory is the host's.

usage: ring_on_devices.py [MEMBERS [ROUNDS]] --device cuda|emulated"""
import sys

import numpy as np

import imbrex as ix

try:
    import cupy
except ImportError:
    cupy = None


class Member(ix.Chare):
    arrived = ix.Mailbox[tuple[int, ix.DeviceArray]]()

    @ix.entry
    async def run(self, rounds: int) -> float:
        following = self.peers[(self.where + 1) % len(self.peers)]
        array = ix.device_array(np.zeros(1000))
        for t in range(rounds):
            following.arrived.send(t, (self.where, array))  # a copy
            sender, array = await self.arrived.receive(t)  # the one before is dropped
            view = cupy.asarray(array) if cupy else np.from_dlpack(array)
            view += sender
            if cupy:
                array.ready_after(cupy.cuda.get_current_stream())  # which computes, before it is sent or dropped
        return float((await array.copy_to_host()).sum())


async def main():
    members, rounds = (int(word) for word in (sys.argv[1:] + ["4", "8"][len(sys.argv) - 1:]))
    ring = ix.array(Member, members)
    print(f"the sum after {rounds} rounds is {await ring.run.reduce(ix.sum, rounds):.0f}")


ix.run(main)
