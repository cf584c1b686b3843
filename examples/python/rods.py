# SPDX-License-Identifier: Apache-2.0
"""Chares of C++ (rods.cpp) compute, and a program of Python makes, fills and reads them."""
import imbrex as ix
import numpy as np
import rods_of_cpp


class Screen(ix.Chare):
    _shown_as = "rods.Screen"

    def __init__(self):
        self.changes = {}

    @ix.entry
    def draw(self, piece: int, change: float):
        self.changes[piece] = change

    @ix.entry
    def largest(self) -> float:
        return max(self.changes.values())


def plain(heat, steps):
    """The same rod by a loop."""
    for _ in range(steps):
        ends = np.concatenate([[0.0], heat, [0.0]])
        heat = heat + 0.25 * (ends[:-2] - 2 * heat + ends[2:])
    return heat


async def main():
    pieces, cells, steps = 8, 50, 200
    heat = np.sin(np.linspace(0, 3, pieces * cells))
    rod = rods_of_cpp.Piece.array(pieces, cells)
    for i, part in enumerate(heat.reshape(pieces, cells)):
        await rod[i].fill.call(ix.give(part.copy()))
    screen = ix.chare(Screen)
    change = await rod.run.reduce(ix.max, steps, screen)
    assert change == await screen.largest.call()
    result = np.concatenate(await rod.cells.reduce(ix.gather))
    assert np.allclose(result, plain(heat, steps))
    print(f"{pieces} pieces of a rod agree with the loop after {steps} steps; the last change is {change:.3e}")


ix.run(main)
