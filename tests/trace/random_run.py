#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces of random runs, written by what their format says, and what a viewer has to show of them."""
import collections
import random
import struct

(ITEM_BEGIN, ITEM_END, TURN_BEGIN, TURN_END, RESUMED, SUSPENDED, SENT, PACKED, ARRIVED, PARKED, WOKEN, OPERATION,
 PHASE_BEGIN, PHASE_END, MARK) = range(1, 16)
ENTRIES = ["block::run", "block::halo", "completion"]
MARKS = ["step", "halo written", "jacobi"]
DEVICE_TRACK = 2 << 24


class Run:
    """A random run of some processes with two PEs each, and what a viewer has to show of it."""

    def __init__(self, seed, processes):
        self.random = random.Random(seed)
        self.processes = processes
        self.now = 1000
        self.records = collections.defaultdict(list)   # by track; of devices, by process, too
        self.slices = collections.Counter()            # (track, name, begin, end)
        self.instants = collections.Counter()          # (track, name, time)
        self.arrows = collections.Counter()            # (track and time of the send, track and begin of the slice)
        self.stacks = collections.defaultdict(list)    # by PE: what runs
        self.phases = collections.defaultdict(dict)    # by PE: (name, begin) of those that are open, by number
        self.inboxes = collections.defaultdict(list)   # by PE: (address, entry, sender, sent)
        self.on_the_way = collections.defaultdict(list)
        self.addresses = 0
        self.packed = collections.Counter()
        for _ in range(500):
            self.step(self.random.randrange(2 * processes))
        for pe in range(2 * processes):
            self.put(pe, MARK, group=0)
            self.instants[f"PE {pe}", MARKS[0], self.now] += 1
        for pe in range(2 * processes):
            self.pop(pe, 0)
            for which in list(self.phases[pe]):
                self.end_phase(pe, which)

    def put(self, pe, kind, a=0, b=0, group=0, entry=0, detail=0):
        self.now += self.random.randrange(1, 30)
        self.records[pe // 2, pe].append((self.now, kind, detail, entry, group, a, b))

    def any_of(self, messages):
        """Takes one out: they overtake each other."""
        return messages.pop(self.random.randrange(len(messages)))

    def push(self, pe, name, key=None):
        self.stacks[pe].append((name, self.now, key))

    def pop(self, pe, depth):
        while len(self.stacks[pe]) > depth:
            name, begin, _ = self.stacks[pe].pop()
            self.slices[f"PE {pe}", name, begin, self.now] += 1

    def end_phase(self, pe, which):
        name, begin = self.phases[pe].pop(which)
        self.slices[f"PE {pe}, phase {name}", name, begin, self.now] += 1

    def step(self, pe):
        if self.random.random() < 0.1:
            return self.operate(pe // 2)
        if self.on_the_way[pe] and self.random.random() < 0.4:
            number, entry, sender, sent = self.any_of(self.on_the_way[pe])
            self.addresses += 64
            self.put(pe, ARRIVED, self.addresses, sender + 1, number)
            self.inboxes[pe].append((self.addresses, entry, sender, sent))
            return None
        return self.busy(pe) if self.stacks[pe] and self.stacks[pe][0][0] != "parked" else self.idle(pe)

    def idle(self, pe):
        choice = self.random.random()
        if choice < 0.2:
            self.put(pe, PARKED)
            if not self.stacks[pe]:
                self.push(pe, "parked")
        elif choice < 0.3:
            self.put(pe, WOKEN)
            self.pop(pe, 0)
        else:
            message = self.any_of(self.inboxes[pe]) if self.inboxes[pe] else None
            entry = message[1] if message else self.random.randrange(3)
            self.put(pe, ITEM_BEGIN, message[0] if message else 0, 3, 1, entry, 0)
            self.pop(pe, 0)
            self.push(pe, ENTRIES[entry])
            if message:
                _, _, sender, sent = message
                self.arrows[(f"PE {sender}", sent), (f"PE {pe}", self.now)] += 1

    def busy(self, pe):
        entry = self.random.randrange(3)
        element = self.random.randrange(4)
        choice = self.random.randrange(8)
        stack = self.stacks[pe]
        if choice == 0:
            self.put(pe, RESUMED, 0, element, 1, entry, 1)
            self.push(pe, ENTRIES[entry], ("coroutine", entry, element))
        elif choice == 1:
            self.put(pe, SUSPENDED, 0, element, 1, entry, 1)
            depths = [d for d, frame in enumerate(stack) if frame[2] == ("coroutine", entry, element)]
            if depths:
                self.pop(pe, depths[-1])
        elif choice == 2:
            self.put(pe, TURN_BEGIN, 0, element, 1, entry, 0)
            self.push(pe, ENTRIES[entry], "turn")
        elif choice == 3:
            self.put(pe, TURN_END)
            depths = [d for d, frame in enumerate(stack) if frame[2] == "turn"]
            if depths:
                self.pop(pe, depths[-1])
        elif choice == 4:
            to = self.random.randrange(2 * self.processes)
            self.addresses += 64
            self.put(pe, SENT, self.addresses, 100, to, entry)
            sent = self.now
            self.instants[f"PE {pe}", "send " + ENTRIES[entry], sent] += 1
            if to // 2 == pe // 2:
                self.inboxes[to].append((self.addresses, entry, pe, sent))
            else:
                self.packed[pe] += 1
                self.put(pe, PACKED, self.addresses, 100, self.packed[pe])
                self.on_the_way[to].append((self.packed[pe], entry, pe, sent))
        elif choice == 5:
            name = self.random.randrange(3)
            self.put(pe, PHASE_BEGIN, 7, self.now, name)
            self.phases[pe][self.records[pe // 2, pe][-1][-1]] = (MARKS[name], self.now)
        elif choice == 6 and self.phases[pe]:
            which = self.random.choice(list(self.phases[pe]))
            self.put(pe, PHASE_END, 7, which, MARKS.index(self.phases[pe][which][0]))
            self.end_phase(pe, which)
        else:
            self.put(pe, ITEM_END)
            self.pop(pe, 0)

    def operate(self, process):
        """Operations of two streams: those of one follow each other."""
        self.now += 50
        stream = self.random.randrange(2)
        track = f"device 0, stream {stream}"
        name = self.random.randrange(3)
        took = self.random.randrange(50)
        self.records[process, DEVICE_TRACK].append((self.now, OPERATION, 0, name, stream, took, 8))
        self.slices[f"process {process}: {track}", MARKS[name], self.now - took, self.now] += 1

    def write(self, file, behind=0):
        """`behind`: the unknown error of the clocks of processes but the first."""
        for process in range(self.processes):
            with open(f"{file}.{process}" if process else file, "wb") as out:
                out.write(struct.pack("<8sIIIIIIQQqII", b"imbrext1", 1, 64, process, self.processes, 2 * process, 2,
                                      5, 0, 0, 0, 0))
                for table, names in ((0, ENTRIES), (3, MARKS)):
                    for number, name in enumerate(names):
                        text = name.encode()
                        padded = text + bytes(-len(text) % 8)
                        self.chunk(out, 2, 0, struct.pack("<BxxxIQII", table, number, 0, len(text), 0) + padded)
                self.chunk(out, 3, 0, struct.pack("<QqQ", 0, 0, 0))
                for (of, track), records in self.records.items():
                    if of == process:
                        self.chunk(out, 1, track, b"".join(
                            struct.pack("<QBBHIQQ", r[0] - (behind if process else 0), *r[1:]) for r in records))
                self.chunk(out, 4, 0, b"")

    @staticmethod
    def chunk(out, kind, track, content):
        out.write(struct.pack("<IIII", 0x6b6e6863, kind, track, len(content)) + content)
