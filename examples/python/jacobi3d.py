# SPDX-License-Identifier: Apache-2.0
"""Jacobi iteration on a cube that is cut into blocks.  usage: jacobi3d.py [CELLS [BLOCKS_A_SIDE [ITERATIONS]]]"""
import sys
import time

import numpy as np

import imbrex as ix


class Block(ix.Chare):
    halo = ix.Mailbox[tuple[int, int, np.ndarray]]()  # matched by the iteration

    def __init__(self, cells: int):
        self.u = np.zeros((cells + 2,) * 3)  # with a ghost cell at each end
        self.new = np.zeros_like(self.u)
        if self.where[0] == 0:
            self.u[0] = self.new[0] = 1.0  # the hot wall

    def neighbours(self):
        """Each neighbour's proxy, the axis, and on which side it is: -1 or 1."""
        for axis in range(3):
            for side in (-1, 1):
                at = list(self.where)
                at[axis] += side
                if 0 <= at[axis] < self.peers.shape[axis]:
                    yield self.peers[tuple(at)], axis, side

    def layer(self, axis: int, at: int) -> np.ndarray:
        """A layer of cells, without the ghosts of the others."""
        inside = [slice(1, -1)] * 3
        inside[axis] = at
        return self.u[tuple(inside)]

    @ix.entry
    async def iterate(self, iterations: int) -> float:
        neighbours = list(self.neighbours())
        change = 0.0
        for t in range(iterations):
            for other, axis, side in neighbours:
                other.halo.send(t, (axis, -side, self.layer(axis, 1 if side < 0 else -2)))
            for _ in neighbours:
                axis, side, face = await self.halo.receive(t)
                self.layer(axis, 0 if side < 0 else -1)[:] = face
            change = self.step()
        return change

    def step(self) -> float:
        u, inner = self.u, self.new[1:-1, 1:-1, 1:-1]
        np.add(u[:-2, 1:-1, 1:-1], u[2:, 1:-1, 1:-1], out=inner)
        inner += u[1:-1, :-2, 1:-1]
        inner += u[1:-1, 2:, 1:-1]
        inner += u[1:-1, 1:-1, :-2]
        inner += u[1:-1, 1:-1, 2:]
        inner /= 6.0
        change = float(np.abs(inner - u[1:-1, 1:-1, 1:-1]).max())
        self.u, self.new = self.new, self.u
        return change

    @ix.entry
    def sum(self) -> float:
        return float(self.u[1:-1, 1:-1, 1:-1].sum())


async def main(block=Block):
    cells, side, iterations = (int(word) for word in (sys.argv[1:] + ["32", "2", "20"][len(sys.argv) - 1:]))
    blocks = ix.array(block, (side, side, side), cells // side)
    begun = time.perf_counter()
    change = await blocks.iterate.reduce(ix.max, iterations)
    seconds = time.perf_counter() - begun
    total = await blocks.sum.reduce(ix.sum)
    print(f"{cells}^3 cells, {side ** 3} blocks on {ix.num_pes()} PEs: change {change:.6f} after {iterations} "
          f"iterations, sum {total:.6f}, {1e3 * seconds / iterations:.2f} ms an iteration")


if __name__ == "__main__":
    ix.run(main)
