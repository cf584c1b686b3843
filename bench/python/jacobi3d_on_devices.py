# SPDX-License-Identifier: Apache-2.0
"""What Jacobi3D takes whose blocks lie in memory of devices, one for each: for models in simulated time, since nothing
is computed; kernels are pauses of given lengths. Faces go from device to device through channels, or through the host
as arrays of NumPy.

usage: jacobi3d_on_devices.py X,Y,Z device|host ITERATIONS UPDATE_SECONDS_A_CELL PACK_SECONDS_A_CELL KERNEL_SECONDS
       --machine simulated --device-model summit --no-data --pes N"""
import itertools
import json
import sys

import numpy as np

import imbrex as ix

Shape = tuple[int, int, int]


def least_surface(grid: Shape, blocks: int) -> Shape:
    """The number of blocks along each side, large enough for small faces."""
    def surface(cut):
        x, y, z = (n / k for n, k in zip(grid, cut))
        return x * y + y * z + z * x
    numbers = [n for n in range(1, blocks + 1) if blocks % n == 0]
    return min((cut for cut in itertools.product(numbers, repeat=3)
                if cut[0] * cut[1] * cut[2] == blocks and all(n % k == 0 for n, k in zip(grid, cut))), key=surface)


class Block(ix.Chare):
    device_0, device_1, device_2 = ix.DeviceChannel(), ix.DeviceChannel(), ix.DeviceChannel()
    device_3, device_4, device_5 = ix.DeviceChannel(), ix.DeviceChannel(), ix.DeviceChannel()
    host_0, host_1, host_2 = ix.Channel[np.ndarray](), ix.Channel[np.ndarray](), ix.Channel[np.ndarray]()
    host_3, host_4, host_5 = ix.Channel[np.ndarray](), ix.Channel[np.ndarray](), ix.Channel[np.ndarray]()

    def __init__(self, cut: Shape, cells: Shape, way: str):
        self.on_device = way == "device"
        self.faces = []  # for each neighbour: the channel to it, our face, and room for its face
        self.cells_of_faces = 0
        for side in range(6):
            dimension, step = side // 2, 2 * (side % 2) - 1
            there = list(self.where)
            there[dimension] += step
            if not 0 <= there[dimension] < cut[dimension]:
                continue
            channel = getattr(self, f"{way}_{side}")
            channel.connect(getattr(self.peers[tuple(there)], f"{way}_{side ^ 1}"))
            extents = [n for d, n in enumerate(cells) if d != dimension]
            self.faces.append((channel, ix.device_array(np.zeros(extents)), ix.device_array(np.zeros(extents))))
            self.cells_of_faces += extents[0] * extents[1]

    @ix.entry
    async def run(self, iterations: int, update: float, pack: float, kernel: float) -> None:
        packs = len(self.faces) * kernel + self.cells_of_faces * pack
        for _ in range(iterations):
            await ix.sleep(packs)
            if self.on_device:
                lent = [channel.send(face) for channel, face, _ in self.faces]
                for channel, _, ghost in self.faces:
                    await channel.receive(ghost)
                for each in lent:
                    await each
            else:
                for channel, face, _ in self.faces:
                    channel.send(await face.copy_to_host())
                for channel, _, _ in self.faces:
                    ix.device_array(await channel.receive())
            await ix.sleep(packs + update + kernel)


async def main():
    grid = tuple(int(n) for n in sys.argv[1].split(","))
    way, iterations = sys.argv[2], int(sys.argv[3])
    update, pack, kernel = (float(word) for word in sys.argv[4:7])
    cut = least_surface(grid, ix.num_pes())
    cells = tuple(n // k for n, k in zip(grid, cut))
    blocks = ix.array(Block, cut, cut, cells, way)
    work = cells[0] * cells[1] * cells[2] * update, pack, kernel
    await blocks.run.call(1, *work)
    begin = ix.now()
    await blocks.run.call(iterations, *work)
    print(json.dumps({"blocks": cut, "us_per_iter": (ix.now() - begin) / iterations * 1e6}))


ix.run(main)
