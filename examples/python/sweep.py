# SPDX-License-Identifier: Apache-2.0
"""A sweep over parameters: whichever worker is done gets the next, as long as there is time.
usage: sweep.py [SECONDS]"""
import sys

import imbrex as ix


class Worker(ix.Chare):
    @ix.entry
    def logistic(self, rate: float) -> float:
        """The value of x after many steps of x = rate x (1 - x)."""
        x = 0.5
        for _ in range(2000):
            x = rate * x * (1 - x)
        return x


async def main():
    workers = ix.group(Worker)
    rates = [1 + k / 50 for k in range(100)]
    results = {}

    async def feed(worker):
        while rates:
            rate = rates.pop()
            results[rate] = await worker.logistic.call(rate)

    time = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    everything = ix.when_all(*(feed(workers[pe]) for pe in range(len(workers))))
    first, _ = await ix.when_any(everything, ix.sleep(time))
    assert abs(results.get(2.0, 0.5) - 0.5) < 1e-9
    print(f"{len(results)} rates" + ("" if first == 0 else ", then the time was over"))


ix.run(main)
