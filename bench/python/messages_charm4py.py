# SPDX-License-Identifier: Apache-2.0
"""What messages between two chares of a program of charm4py take, in microseconds one way: medians of several rounds.

    imbrex run -n 2 python -m imbrex.charm4py messages_charm4py.py
    charmrun +p2 python messages_charm4py.py ++local ++quiet
"""
import statistics
import time

from charm4py import Array, Channel, Chare, Future, charm, coro

MESSAGES = 10000
ROUNDS = 5


class Player(Chare):
    def begin(self, method, done):
        self.left = MESSAGES // 2
        self.done = done
        self.other = self.thisProxy[1 - self.thisIndex[0]]
        if self.thisIndex[0] == 0:
            getattr(self.other, method)(3)

    def count(self):
        self.left -= 1
        if self.left == 0 and self.thisIndex[0] == 0:
            self.done()
        return self.left > 0 or self.thisIndex[0] == 1

    def hit(self, value):
        if self.count():
            self.other.hit(value)

    @coro
    def hit_in_coroutine(self, value):
        if self.count():
            self.other.hit_in_coroutine(value)

    @coro
    def rally(self, done):
        end = Channel(self, remote=self.thisProxy[1 - self.thisIndex[0]])
        for _ in range(MESSAGES // 2):
            if self.thisIndex[0] == 0:
                end.send(3)
                end.recv()
            else:
                end.send(end.recv())
        if self.thisIndex[0] == 0:
            done()


def main(args):
    for what in ("hit", "hit_in_coroutine", "rally"):
        times = []
        for _ in range(ROUNDS):
            players = Array(Player, 2)
            charm.awaitCreation(players)
            done = Future()
            begun = time.perf_counter()
            if what == "rally":
                players.rally(done)
            else:
                players[1].begin(what, done, awaitable=True).get()
                players[0].begin(what, done)
            done.get()
            times.append((time.perf_counter() - begun) / MESSAGES * 1e6)
        print(f"{what:20} {statistics.median(times):8.2f} us")
    exit()


charm.start(main)
