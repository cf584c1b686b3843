# SPDX-License-Identifier: Apache-2.0
"""A program that is saved while it runs, and begins again on other numbers of processes (docs/checkpoints.md).

    python checkpoint.py --checkpoint saved --checkpoint-every 100
    imbrex run -n 2 python checkpoint.py --checkpoint saved --restart saved
"""

import sys

import numpy as np

import imbrex as ix


class Block(ix.Chare):
    halo = ix.Mailbox[float]()  # matched by the step

    def __init__(self, cells: int):
        self.step = 0
        self.u = np.full(cells, float(self.where))
        self.right = self.peers[(self.where + 1) % len(self.peers)]

    @ix.entry
    async def run(self, limit: int) -> float:
        while self.step < limit:
            self.right.halo.send(self.step, float(self.u[-1]))
            self.u[1:] = 0.5 * (self.u[1:] + self.u[:-1])
            self.u[0] = 0.5 * (self.u[0] + await self.halo.receive(self.step))
            self.step += 1
            await self.balance_point(self.run, limit)  # moves, and stops for checkpoints, happen here
        return float((self.u**2).sum())

    @ix.entry
    def steps(self) -> int:
        return self.step


async def main():
    limit = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    blocks = ix.restored("blocks", Block)  # None in a run that begins anew
    if blocks is None:
        blocks = ix.array(Block, 16, 1000, named="blocks")
    ix.on_restart(lambda report: print(f"goes on from {report.path}"))
    print(f"the blocks begin at step {await blocks.steps.reduce(ix.min)}")
    print(f"energy {sum(await blocks.run.reduce(ix.gather, limit))}")


ix.run(main)
