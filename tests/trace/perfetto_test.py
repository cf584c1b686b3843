#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes traces of random runs by what their format says, converts them with `imbrex trace convert`, reads the result
with Perfetto's own classes (PyPI: perfetto), and compares slices, arrows and instants with what was written.

usage: perfetto_test.py IMBREX
"""
import collections
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

try:
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as perfetto
except ImportError as e:
    perfetto = None
    WHY_NOT = f"Perfetto's classes are missing ({e}); pip install perfetto protobuf"

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
        self.inboxes = collections.defaultdict(list)   # by PE: (address, sender, sent)
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
            number, sender, sent = self.on_the_way[pe].pop(0)
            self.addresses += 64
            self.put(pe, ARRIVED, self.addresses, sender + 1, number)
            self.inboxes[pe].append((self.addresses, sender, sent))
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
            entry = self.random.randrange(3)
            message = self.inboxes[pe].pop(0) if self.inboxes[pe] else None
            self.put(pe, ITEM_BEGIN, message[0] if message else 0, 3, 1, entry, 0)
            self.pop(pe, 0)
            self.push(pe, ENTRIES[entry])
            if message:
                _, sender, sent = message
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
                self.inboxes[to].append((self.addresses, pe, sent))
            else:
                self.packed[pe] += 1
                self.put(pe, PACKED, self.addresses, 100, self.packed[pe])
                self.on_the_way[to].append((self.packed[pe], pe, sent))
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

    def write(self, file):
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
                        self.chunk(out, 1, track, b"".join(struct.pack("<QBBHIQQ", *r) for r in records))
                self.chunk(out, 4, 0, b"")

    @staticmethod
    def chunk(out, kind, track, content):
        out.write(struct.pack("<IIII", 0x6b6e6863, kind, track, len(content)) + content)


class Shown:
    """What Perfetto's classes find in a file."""

    def __init__(self, content):
        trace = perfetto.Trace()
        trace.ParseFromString(content)
        self.slices = collections.Counter()
        self.instants = collections.Counter()
        self.arrows = collections.Counter()
        names = {}
        tracks = {}
        processes = {}
        events = []
        for packet in trace.packet:
            for name in packet.interned_data.event_names:
                names[name.iid] = name.name
            if packet.HasField("track_descriptor"):
                self.describe(packet.track_descriptor, tracks, processes)
            if packet.HasField("track_event"):
                event = packet.track_event
                events.append((packet.timestamp, event, names[event.name_iid] if event.name_iid else None))
        # As the viewer does: by time, and of the same time in the order of the file.
        events.sort(key=lambda e: e[0])
        stacks = collections.defaultdict(list)
        starts = {}
        ends = {}
        for time, event, name in events:
            track = tracks[event.track_uuid]
            if event.type == event.TYPE_SLICE_BEGIN:
                stacks[event.track_uuid].append((name, time))
            elif event.type == event.TYPE_SLICE_END:
                begun_name, begun = stacks[event.track_uuid].pop()
                self.slices[track, begun_name, begun, time] += 1
            elif event.type == event.TYPE_INSTANT:
                self.instants[track, name, time] += 1
            for flow in event.flow_ids:
                assert flow not in starts
                starts[flow] = (track, time)
            for flow in event.terminating_flow_ids:
                assert flow not in ends
                ends[flow] = (track, time)
        assert not any(stacks.values()), stacks
        for flow, end in ends.items():
            self.arrows[starts[flow], end] += 1

    @staticmethod
    def describe(track, tracks, processes):
        if track.HasField("process"):
            processes[track.uuid] = track.process.process_name
        elif track.HasField("thread"):
            tracks[track.uuid] = track.thread.thread_name
        else:
            of_device = track.name.startswith("device")
            tracks[track.uuid] = f"{processes[track.parent_uuid]}: {track.name}" if of_device else track.name


class Conversion(unittest.TestCase):
    @unittest.skipIf(perfetto is None, "" if perfetto else WHY_NOT)
    def test_shows_what_was_written(self):
        for seed in range(30):
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder:
                run = Run(seed, 1 + seed % 3)
                file = pathlib.Path(folder, "run.trace")
                out = pathlib.Path(folder, "run.pftrace")
                run.write(str(file))
                subprocess.run([IMBREX, "trace", "convert", str(file), "--to", "perfetto", "--output", str(out)],
                               check=True)
                shown = Shown(out.read_bytes())
                self.assertEqual(shown.slices, run.slices)
                self.assertEqual(shown.instants, run.instants)
                self.assertEqual(shown.arrows, run.arrows)
                self.assertGreater(len(run.arrows), 0)


if __name__ == "__main__":
    IMBREX = sys.argv.pop(1)
    unittest.main(verbosity=2)
