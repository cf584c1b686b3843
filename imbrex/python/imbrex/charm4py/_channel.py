# SPDX-License-Identifier: Apache-2.0
"""Channels: ordered streams between two chares. The n-th channel of one chare to the other is connected to the other's
n-th."""

from imbrex.charm4py import _coroutines


class Channel:
    def __init__(self, chare, remote):
        own = chare._c4
        self.remote = remote
        self._chare = chare
        self._key = own.new_channel(remote)
        self._key_there = own.collection, own.index, self._key[2]
        self._sent = 0

    def _queue(self):
        return self._chare._c4.channels[self._key]

    def send(self, *args):
        _coroutines.here().send_to_element(self.remote, "channel", self._key_there, self._sent, args)
        self._sent += 1

    def ready(self):
        return self._queue().ready()

    def recv(self):
        queue = self._queue()
        if not queue.ready():
            queue.wakes.append(_coroutines.waker())
            _coroutines.suspend()
        args = queue.take()
        return args[0] if len(args) == 1 else args

    def when_ready(self, wake):
        queue = self._queue()
        if queue.ready():
            wake(self)
        else:
            queue.wakes.append(lambda _: wake(self))


class Queue:
    """The received values of one channel."""

    def __init__(self):
        self.values = {}
        self.taken = 0
        self.wakes = []

    def __getstate__(self):
        return self.values, self.taken

    def __setstate__(self, state):
        self.values, self.taken = state
        self.wakes = []

    def ready(self):
        return self.taken in self.values

    def put(self, number, args):
        self.values[number] = args
        if number == self.taken:
            wakes, self.wakes = self.wakes, []
            for wake in wakes:
                wake(self)

    def take(self):
        self.taken += 1
        return self.values.pop(self.taken - 1)
