#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes traces of random runs by what their format says, converts them with `imbrex trace convert`, reads the result
with Perfetto's own classes (PyPI: perfetto), and compares slices, arrows and instants with what was written.

usage: perfetto_test.py IMBREX
"""
import collections
import pathlib
import subprocess
import sys
import tempfile
import unittest

from random_run import Run

try:
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as perfetto
except ImportError as e:
    perfetto = None
    WHY_NOT = f"Perfetto's classes are missing ({e}); pip install perfetto protobuf"


class Shown:
    """The contents that Perfetto's classes find in a file."""

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
