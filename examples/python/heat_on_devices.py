# SPDX-License-Identifier: Apache-2.0
"""Heat in a rod that is cut into pieces, each in the memory of its PE's device. They are computed by CuPy, or where the
device is emulated, so that its memory is the host's, by NumPy.

usage: heat_on_devices.py [CELLS [PIECES [STEPS]]] --device cuda|emulated"""
import sys

import numpy as np

import imbrex as ix

try:
    import cupy
except ImportError:
    cupy = None


def view(array: ix.DeviceArray):
    """The array's memory, to compute on."""
    return cupy.asarray(array) if cupy else np.from_dlpack(array)


def filled(array: ix.DeviceArray) -> ix.DeviceArray:
    """Says that what fills the array is what was computed so far."""
    return array.ready_after(cupy.cuda.get_current_stream()) if cupy else array


class Piece(ix.Chare):
    left = ix.DeviceChannel()
    right = ix.DeviceChannel()

    def __init__(self, cells: int):
        self.heat = np.zeros(cells + 2)  # with a ghost cell at each end
        if self.where == 0:
            self.heat[0] = 1.0  # the hot wall

    def ends(self):
        """For each neighbour: the channel to it, our outgoing and incoming face, and our last cell and its ghost."""
        if self.where > 0:
            self.left.connect(self.peers[self.where - 1].right)
            yield self.left, ix.device_array(np.zeros(1)), ix.device_array(np.zeros(1)), 1, 0
        if self.where < len(self.peers) - 1:
            self.right.connect(self.peers[self.where + 1].left)
            yield self.right, ix.device_array(np.zeros(1)), ix.device_array(np.zeros(1)), -2, -1

    @ix.entry
    async def run(self, steps: int) -> float:
        rod = ix.device_array(self.heat)
        heat, ends = view(rod), list(self.ends())
        for _ in range(steps):
            lent = []
            for channel, face, _, cell, _ in ends:
                view(face)[:] = heat[cell]
                lent.append(channel.send(filled(face)))
            for channel, _, ghost, _, cell in ends:
                heat[cell] = view(await channel.receive(ghost))[0]
            for each in lent:
                await each  # before the faces change
            heat[1:-1] += 0.25 * (heat[:-2] - 2 * heat[1:-1] + heat[2:])
        return float(heat[1:-1].sum())


async def main():
    cells, pieces, steps = (int(word) for word in (sys.argv[1:] + ["4096", "4", "100"][len(sys.argv) - 1:]))
    rod = ix.array(Piece, pieces, cells // pieces)
    heat = await rod.run.reduce(ix.sum, steps)
    print(f"{cells} cells in {pieces} pieces hold {heat:.9f} after {steps} steps")


ix.run(main)
