# SPDX-License-Identifier: Apache-2.0
"""k-means of points that are spread over chares.  usage: kmeans.py"""
import numpy as np

import imbrex as ix

CENTRES = 4
PARTS = 6


class Points(ix.Chare):
    def __init__(self, count: int):
        random = np.random.default_rng(self.where)
        self.points = random.normal(size=(count, 2)) + random.integers(0, 5, size=(count, 1)) * 10

    @ix.entry
    def some(self, count: int) -> np.ndarray:
        return self.points[:count]

    @ix.entry
    async def refine(self, centres: np.ndarray, rounds: int) -> np.ndarray:
        for _ in range(rounds):
            distance = ((self.points[:, None, :] - centres) ** 2).sum(axis=2)
            nearest = distance.argmin(axis=1)
            sums = np.zeros((CENTRES, 3))
            for k in range(CENTRES):
                sums[k, :2] = self.points[nearest == k].sum(axis=0)
                sums[k, 2] = (nearest == k).sum()
            sums = await self.all_reduce(sums, ix.sum)
            centres = sums[:, :2] / np.maximum(sums[:, 2:], 1)
        return centres


def by_a_plain_loop(points, centres, rounds):
    for _ in range(rounds):
        nearest = ((points[:, None, :] - centres) ** 2).sum(axis=2).argmin(axis=1)
        centres = np.array([points[nearest == k].mean(axis=0) if (nearest == k).any() else np.zeros(2)
                            for k in range(CENTRES)])
    return centres


async def main():
    parts = ix.array(Points, PARTS, 500)
    begin = await parts[0].some.call(CENTRES)
    found = await parts.refine.reduce(ix.gather, begin, 8)
    points = np.concatenate(await parts.some.reduce(ix.gather, 500))
    expected = by_a_plain_loop(points, begin, 8)
    assert all(np.allclose(centres, expected) for centres in found)
    print("the centres are those that a plain loop finds")


ix.run(main)
