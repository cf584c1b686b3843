# SPDX-License-Identifier: Apache-2.0
"""Blocks that move to the next PE while they work, at balance points.

    imbrex run -n 3 python move.py
"""
import imbrex as ix

STEPS = 12


class Block(ix.Chare):
    def __init__(self):
        self.err = 1.0
        self.seen = set()

    def step(self, t):
        self.seen.add(ix.pe())
        self.err /= 2

    def is_too_much(self):
        return self.err < 0.1

    def idle_pe(self):
        return (ix.pe() + 1) % ix.num_pes()

    @ix.entry
    async def run(self, first: int, steps: int) -> float:
        for t in range(first, steps):
            self.step(t)
            if self.is_too_much():
                self.migrate_to(self.idle_pe())
            await self.balance_point(self.run, t + 1, steps)
        return self.err

    @ix.entry
    def places(self):
        return len(self.seen)


async def main():
    blocks = ix.array(Block, 6)
    err = await blocks.run.reduce(ix.max, 0, STEPS)
    places = await blocks.places.reduce(ix.min)
    print(f"err {err} after {STEPS} steps, each block on {'all' if places == ix.num_pes() else places} PEs")


ix.run(main)
