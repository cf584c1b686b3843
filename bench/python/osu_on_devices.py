# SPDX-License-Identifier: Apache-2.0
"""Latency and bandwidth between two blocks of Python whose arrays lie in memory of devices: for models in simulated
time. Arrays cross from device to device through channels, or through the host as arrays of NumPy.

usage: osu_on_devices.py DISTANCE ROUNDS WINDOW SIZE[,SIZE...] --machine simulated --device-model summit --no-data
       --pes N

The blocks are on PE 0 and on PE DISTANCE. Latency is in us one way, bandwidth in GB/s of WINDOW arrays and an
answer."""
import json
import sys

import numpy as np

import imbrex as ix

WAYS = ("device", "host")
ANSWER = 8  # bytes


class End(ix.Chare):
    device, host = ix.DeviceChannel(), ix.Channel[np.ndarray]()

    def __init__(self, distance: int):
        if self.where in (0, distance):
            other = self.peers[distance - self.where]
            self.device.connect(other.device)
            self.host.connect(other.host)

    async def give(self, way: str, arrays: list) -> None:
        if way == "device":
            for lent in [self.device.send(array) for array in arrays]:
                await lent
        else:
            for array in arrays:
                self.host.send(await array.copy_to_host())

    async def take(self, way: str, places: list) -> None:
        for place in places:
            if way == "device":
                await self.device.receive(place)
            else:
                ix.device_array(await self.host.receive())

    @ix.entry
    async def run(self, way: str, rounds: int, window: int, size: int) -> None:
        """Rounds of `window` arrays from the first block, and an answer from the second."""
        arrays = [ix.device_array(np.zeros(size, np.uint8)) for _ in range(window)]
        answer = [ix.device_array(np.zeros(size if window == 1 else ANSWER, np.uint8))]
        for _ in range(rounds):
            if self.where == 0:
                await self.give(way, arrays)
                await self.take(way, answer)
            else:
                await self.take(way, arrays)
                await self.give(way, answer)


async def main():
    distance, rounds, window = (int(word) for word in sys.argv[1:4])
    ends = ix.array(End, ix.num_pes(), distance)
    for way in WAYS:
        for bench, count in (("latency", 1), ("bandwidth", window)):
            for size in (int(word) for word in sys.argv[4].split(",")):
                begin = ix.now()
                both = [ends[at].run.call(way, rounds, count, size) for at in (0, distance)]
                for each in both:
                    await each
                one = (ix.now() - begin) / rounds
                value = one / 2 * 1e6 if bench == "latency" else count * size / one / 1e9
                print(json.dumps({"bench": bench, "way": way, "bytes": size, "value": value}))


ix.run(main)
