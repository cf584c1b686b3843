# SPDX-License-Identifier: Apache-2.0
"""Does one thing so many times, for instructions.py to count.  usage: operations.py OPERATION TIMES"""
import collections
import itertools
import sys

import numpy as np

import imbrex as ix


class Link(ix.Chare):
    port = ix.Mailbox()

    def __init__(self):
        self.left = 0

    @ix.entry
    def message(self, value):
        self.left -= 1
        if self.left > 0:
            self.me.message.send(value)

    @ix.entry
    def start(self, n, value):
        self.left, self.me = n, self.proxy
        self.me.message.send(value)

    @ix.entry
    async def receive(self, n, value):
        port, put = self.port, self.proxy.port
        for _ in range(n):
            put.send(value)
            await port.receive()

    @ix.entry
    async def ask(self, n, value):
        me = self.proxy
        for _ in range(n):
            await me.answer.call(value)

    @ix.entry
    def answer(self, value):
        return value


class Element(ix.Chare):
    @ix.entry
    def one(self, n):
        return n


class Alone:
    """The work of `Link` for a message, with a builtin instead of the send: the interpreter's part."""
    send = id

    def __init__(self):
        self.left, self.me = sys.maxsize, type("Me", (), {"message": Alone})

    def message(self, value):
        self.left -= 1
        if self.left > 0:
            self.me.message.send(value)


VALUES = {"int": 7, "tuple": (7, 2.5, "abc"), "array": np.zeros(8)}


async def main():
    operation, times = sys.argv[1], int(sys.argv[2])
    if operation == "create":
        for _ in range(times // 1000):
            await ix.array(Element, 1000).destroy()
        return
    if operation == "broadcast":
        elements = ix.array(Element, 1000)
        for _ in range(times // 1000):
            assert await elements.one.reduce(ix.sum, 1) == 1000
        return
    what, value = operation.split("-")
    link = ix.chare(Link)
    if what == "message":
        link.start.send(times, VALUES[value])
        await ix.quiescence()
    elif what == "receive":
        await link.receive.call(times, VALUES[value])
    else:
        await link.ask.call(times, VALUES[value])


if sys.argv[1] == "message-alone":
    collections.deque(map(Alone().message, itertools.repeat(7, int(sys.argv[2]))), maxlen=0)
else:
    ix.run(main)
