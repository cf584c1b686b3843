# SPDX-License-Identifier: Apache-2.0
"""What messages between two chares take, in microseconds one way: medians of several rounds.

    python messages.py                        both on one PE
    imbrex run -n 2 python messages.py        in two processes

usage: messages.py [MESSAGES A ROUND [ROUNDS]]
"""
import statistics
import sys
import time

import numpy as np

import imbrex as ix


class Player(ix.Chare):
    ball = ix.Mailbox()
    done = ix.Mailbox()

    def __init__(self):
        self.other = self.peers[1 - self.where]
        self.left = 0

    @ix.entry
    def hit(self, value):
        self.left -= 1
        if self.left > 0:
            self.other.hit.send(value)
        elif self.where == 0:
            self.proxy.done.send(time.perf_counter())

    @ix.entry
    async def start(self, n, value):
        self.left = n // 2 + 1
        begun = time.perf_counter()
        self.proxy.hit.send(value)
        return (await self.done.receive() - begun) / n

    @ix.entry
    def ready(self, n):
        self.left = n

    @ix.entry
    async def rally(self, n, value, serves):
        begun = time.perf_counter()
        ball, put = self.ball, self.other.ball
        if serves:
            put.send(value)
        for _ in range(n // 2 - 1):
            put.send(await ball.receive())
        if not serves:
            put.send(await ball.receive())
        else:
            await ball.receive()
        return (time.perf_counter() - begun) / n

    @ix.entry
    def answer(self, value):
        return value

    @ix.entry
    async def ask(self, n, value):
        begun = time.perf_counter()
        for _ in range(n):
            await self.other.answer.call(value)
        return (time.perf_counter() - begun) / n


class Element(ix.Chare):
    def __init__(self):
        self.x = 0

    @ix.entry
    def add(self, n):
        self.x += n
        return 1


async def median(rounds, measure):
    return 1e6 * statistics.median([await measure() for _ in range(rounds)])


async def main():
    n, rounds = (int(word) for word in (sys.argv[1:] + ["4000", "9"][len(sys.argv) - 1:]))
    players = ix.array(Player, 2)

    async def entry(value):
        await players[1].ready.call(n)
        return await players[0].start.call(n, value)

    async def mailbox(value):
        first, _ = await ix.when_all(players[0].rally.call(n, value, True), players[1].rally.call(n, value, False))
        return first

    async def call(value):
        return await players[0].ask.call(n // 2, value)

    values = {"int": 7, "tuple (7, 2.5, 'abc')": (7, 2.5, "abc"), "array of 8 float64": np.zeros(8),
              "dict by pickle": {"a": 1}}
    print(f"on {ix.num_pes()} PEs, {n} messages a round, medians of {rounds} rounds, us one way; a call there and back")
    for name, value in values.items():
        print(f"{name:24} entry {await median(rounds, lambda: entry(value)):8.3f}"
              f"  mailbox {await median(rounds, lambda: mailbox(value)):8.3f}"
              f"  call {await median(rounds, lambda: call(value)):8.3f}")

    big, n = np.zeros(131072), 200
    print(f"{'array of 1 MiB':24} entry {await median(rounds, lambda: entry(big)):8.1f}"
          f"  mailbox {await median(rounds, lambda: mailbox(big)):8.1f}")

    count = 10_000

    async def create():
        begun = time.perf_counter()
        elements = ix.array(Element, count)
        await elements.created()
        taken = time.perf_counter() - begun
        await elements.destroy()
        return taken / count

    elements = ix.array(Element, count)

    async def reduce():
        begun = time.perf_counter()
        assert await elements.add.reduce(ix.sum, 1) == count
        return time.perf_counter() - begun

    print(f"{'create an element':24} {await median(rounds, create):8.3f}")
    print(f"{'broadcast + reduce 1e4':24} {await median(rounds, reduce):8.1f}")


ix.run(main)
