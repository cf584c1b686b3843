# SPDX-License-Identifier: Apache-2.0
"""A program of asyncio with chares beside it: Monte Carlo estimates of pi from several processes, as they come.
usage: beside.py [PROCESSES]"""
import asyncio
import random
import sys

import imbrex as ix


class Sampler(ix.Chare):
    def __init__(self, seed: int):
        self.random = random.Random(seed + self.where)

    @ix.entry
    def hits(self, samples: int) -> int:
        return sum(self.random.random() ** 2 + self.random.random() ** 2 < 1 for _ in range(samples))


async def main(processes: int) -> None:
    with ix.start(processes=processes):
        samplers = ix.array(Sampler, 8, 17)
        first = await samplers[3].hits.call(1000)
        print(f"one sampler: {4 * first / 1000:.2f}")
        rounds = [samplers.hits.reduce(ix.sum, samples) for samples in (1000, 10000)]
        for done in asyncio.as_completed(rounds):  # beside other work of the loop
            print(f"{await done} hits")
        hits = await samplers.hits.reduce(ix.sum, 20000)
        print(f"pi is about {4 * hits / 160000:.1f}")


asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1))
