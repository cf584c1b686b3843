# SPDX-License-Identifier: Apache-2.0
"""Cells of known loads, which a strategy of the program deals out to the PEs.

    imbrex run -n 3 python strategy.py --balance deal
"""
import numpy as np

import imbrex as ix


@ix.strategy("deal")
def deal(p):
    """Deals the elements out to all PEs, the heaviest first."""
    pes = np.empty(len(p.pe), int)
    pes[np.argsort(-p.load)] = np.arange(len(p.pe)) % p.pes
    return pes


class Cell(ix.Chare):
    def expected_load(self):
        return 1e-3 if self.where < 6 else 1e-4

    @ix.entry
    def place(self):
        return ix.pe()


async def main():
    cells = ix.array(Cell, 18)
    found = await ix.rebalance(cells)
    await ix.quiescence()
    places = await cells.place.reduce(ix.gather)
    heavy = [places[:6].count(pe) for pe in range(ix.num_pes())]
    print(f"{found.strategy}: max/avg {found.before:.2f} -> {found.after:.2f}, heavy cells on each PE {heavy}")


ix.run(main)
