#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Converts traces with `imbrex trace convert --to otf2`, reads the archives with the tools of OTF2 (Debian:
otf2-tools), and compares them with what was written, and with what `imbrex trace report` says of programs.

usage: otf2_test.py IMBREX JACOBI3D MIGRATE HAS_PROCESSES CLASS; MIGRATE may be empty
"""
import collections
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

from random_run import MARKS, Run

TOOLS = all(shutil.which(tool) for tool in ("otf2-print", "otf2-marker"))
EVENT = re.compile(r"(ENTER|LEAVE|MPI_SEND|MPI_RECV|PARAMETER_UINT64|MEASUREMENT_ON_OFF) +(\d+) +(\d+) +(.*)")
REGION = re.compile(r'Region: "(.*)" <\d+>')
MESSAGE = re.compile(r"(?:Receiver|Sender): \d+ \(\"(PE \d+)\" <\d+>\), .* Tag: (\d+), Length: (\d+)")
LOCATION = re.compile(r'LOCATION +(\d+)  Name: "(.*)" <\d+>, Type: (\w+), # Events: (\d+), Group: "(.*)" <\d+>')
MARKER_CLASS = re.compile(r'MARKER_DEF +Group: "phase", Category: "(.*)", Severity')
MARKER = re.compile(r"MARKER +Time: (\d+), Duration (\d+), Scope: LOCATION:(\d+), Text")


def printed(*command):
    return subprocess.run([str(word) for word in command], check=True, text=True, stdout=subprocess.PIPE).stdout


def convert(file, folder, **options):
    return subprocess.run([IMBREX, "trace", "convert", str(file), "--to", "otf2", "--output", str(folder)],
                          text=True, stderr=subprocess.PIPE, **options)


class Archive:
    """The output of OTF2's own tools for an archive, and a check that its events are well formed."""

    def __init__(self, folder, test):
        anchor = folder / "traces.otf2"
        definitions = printed("otf2-print", "-Werror", "-G", anchor)
        self.test = test
        self.names = {}
        self.groups = {}
        for location, name, kind, _, group in LOCATION.findall(definitions):
            self.names[location] = name if kind == "CPU_THREAD" else f"{group.split(',')[0]}: {name}"
            self.groups[name] = group
        self.slices = collections.Counter()      # (location, region, begin, end)
        self.enters = collections.Counter()      # by region
        self.own_time = collections.Counter()    # time by region, without nested regions
        self.pe_time = collections.Counter()     # by PE and region, the same
        self.moments = collections.Counter()     # (location, parameter, time)
        self.switches = collections.defaultdict(list)
        self.ends = {"MPI_SEND": collections.defaultdict(list), "MPI_RECV": collections.defaultdict(list)}
        self.stacks = collections.defaultdict(list)
        self.last = collections.Counter()
        self.events = collections.Counter()
        for line in printed("otf2-print", "-Werror", anchor).splitlines():
            if event := EVENT.match(line):
                self.take(event[1], event[2], int(event[3]), event[4])
            else:
                test.assertRegex(line, r"^$|^===|^---|^Event |^ +ADDITIONAL")
        test.assertFalse(any(self.stacks.values()), self.stacks)
        for location, _, _, events, _ in LOCATION.findall(definitions):
            test.assertEqual(self.events[location], int(events))
        self.match()
        self.read_markers(printed("otf2-marker", anchor))

    def take(self, kind, location, time, rest):
        self.test.assertGreaterEqual(time, self.last[location])
        self.events[location] += 1
        stack = self.stacks[location]
        if stack:
            self.own_time[stack[-1][0]] += time - self.last[location]
            self.pe_time[self.names[location], stack[-1][0]] += time - self.last[location]
        self.last[location] = time
        if kind == "ENTER":
            stack.append((REGION.match(rest)[1], time))
            self.enters[stack[-1][0]] += 1
        elif kind == "LEAVE":
            region, begun = stack.pop()
            self.test.assertEqual(region, REGION.match(rest)[1])
            self.slices[self.names[location], region, begun, time] += 1
        elif kind == "PARAMETER_UINT64":
            self.moments[self.names[location], rest.split('"')[1], time] += 1
        elif kind == "MEASUREMENT_ON_OFF":
            self.switches[self.names[location]].append(rest.split()[-1])
        else:
            other, tag, length = MESSAGE.match(rest).groups()
            here = self.names[location]
            pair = (here, other, tag) if kind == "MPI_SEND" else (other, here, tag)
            self.ends[kind][pair].append((time, int(length)))

    def match(self):
        """As readers do: of one sender, one receiver and one tag, the first that is received is the first sent."""
        self.arrows = collections.Counter()
        self.sent = sum(len(sends) for sends in self.ends["MPI_SEND"].values())
        for (sender, receiver, tag), receipts in self.ends["MPI_RECV"].items():
            sends = self.ends["MPI_SEND"][sender, receiver, tag]
            self.test.assertLessEqual(len(receipts), len(sends), (sender, receiver, tag))
            for (sent, sent_bytes), (begun, bytes_received) in zip(sends, receipts):
                self.test.assertEqual(sent_bytes, bytes_received)
                self.test.assertLessEqual(sent, begun)
                self.arrows[(sender, sent), (receiver, begun)] += 1

    def read_markers(self, text):
        self.phases = collections.Counter()      # as the slices
        name = None
        for line in text.splitlines():
            if found := MARKER_CLASS.match(line):
                name = found[1]
            elif found := MARKER.match(line):
                time, duration, location = found.groups()
                pe = self.names[location]
                self.phases[f"{pe}, phase {name}", name, int(time), int(time) + int(duration)] += 1


class Conversion(unittest.TestCase):
    def setUp(self):
        if not TOOLS:
            self.skipTest("otf2-print and otf2-marker are missing (Debian: otf2-tools)")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def archive(self, file, warning=None):
        out = self.folder / "otf2"
        shutil.rmtree(out, ignore_errors=True)
        done = convert(file, out)
        self.assertEqual(done.returncode, 0, done.stderr)
        if warning is None:
            self.assertEqual(done.stderr, "")
        else:
            self.assertRegex(done.stderr, warning)
        return Archive(out, self)

    def test_shows_what_was_written(self):
        file = self.folder / "run.trace"
        for seed in range(20):
            with self.subTest(seed=seed):
                run = Run(seed, 1 + seed % 3)
                run.write(str(file))
                found = self.archive(file)
                shown = collections.Counter({one: n for one, n in found.slices.items() if one[1] != "idle"})
                self.assertEqual(shown + found.phases, run.slices)
                self.assertEqual(found.arrows, run.arrows)
                self.assertGreater(len(run.arrows), 0)
                marks = {one: n for one, n in run.instants.items() if one[1] in MARKS}
                self.assertEqual(found.moments, marks)
                self.assertEqual(found.sent, sum(run.instants.values()) - sum(marks.values()))

    def test_receives_nothing_before_it_was_sent(self):
        file = self.folder / "run.trace"
        for seed in range(10):
            with self.subTest(seed=seed):
                run = Run(seed, 2)
                run.write(str(file), behind=300)
                self.assertEqual(sum(self.archive(file).arrows.values()), sum(run.arrows.values()))

    def test_says_what_the_report_says(self):
        jacobi = [JACOBI3D, "--grid", "32,32,32", "--iters", "4", "--quiet"]
        devices = ["--machine", "simulated", "--device-model", "v100", "--no-data"]
        programs = {
            "threads": [*jacobi, "--pes", "3"],
            "deterministic": [*jacobi, "--pes", "3", "--machine", "deterministic", "--shuffle", "5"],
            "devices in simulated time": [*jacobi, "--pes", "3", *devices],
            "emulated devices": [*jacobi, "--pes", "2", "--device", "emulated", "--completion", "callback"],
        }
        two = [IMBREX, "run", "-n", "2"]
        if HAS_PROCESSES:
            programs["processes"] = [*two, *jacobi, "--pes", "2"]
            programs["communication threads"] = [*two, *jacobi, "--pes", "2", "--comm-thread"]
        if MIGRATE:
            programs["migration"] = [MIGRATE, "--pes", "3"]
        if MIGRATE and HAS_PROCESSES:
            programs["migration between processes"] = [*two, MIGRATE, "--pes", "2"]
        for name, program in programs.items():
            with self.subTest(name):
                file = self.folder / f"{name}.trace"
                printed(*program, "--trace", file)
                report = json.loads(printed(IMBREX, "trace", "report", "--json", file))["runs"][0]
                self.compare(self.archive(file), report, passes_on="migration" in name)

    def compare(self, found, report, passes_on):
        """With `passes_on` messages follow chares to other PEs; the report counts no call where one was passed on."""
        messages = report["messages"]
        self.assertEqual(found.sent, messages["sent"])
        self.assertEqual(sum(found.arrows.values()), messages["begun"])
        between = sum(n for ((sender, _), (receiver, _)), n in found.arrows.items() if sender != receiver)
        self.assertEqual(between, messages["between_pes"])
        for entry in report["entries"]:
            compare_counts = self.assertGreaterEqual if passes_on else self.assertEqual
            compare_counts(found.enters[entry["name"]], entry["calls"] + entry["resumes"], entry["name"])
            self.assertEqual(found.own_time[entry["name"]], entry["time"], entry["name"])
        for pe in report["pes"]:
            name = f"PE {pe['pe']}"
            self.assertEqual(found.pe_time[name, "idle"], pe["idle_awake"])
            self.assertEqual(found.pe_time[name, "parked"], pe["parked"])
            self.assertEqual(sum(t for (of, _), t in found.pe_time.items() if of == name), report["length"])
            self.assertEqual(found.groups[name], f"process {pe['process']}")
        operations = sum(n for (of, *_), n in found.slices.items() if "device" in of)
        self.assertEqual(operations, sum(device["operations"] for device in report["devices"]))

    def test_reads_damaged_traces_up_to_there(self):
        file = self.folder / "run.trace"
        chance = random.Random(1)
        Run(1, 1).write(str(file))
        whole = file.read_bytes()
        for _ in range(20):
            file.write_bytes(whole[:chance.randrange(1000, len(whole) - 16)])
            self.archive(file, r"warning: .*run\.trace.*(not read|has not ended)")
            damaged = bytearray(whole)
            for _ in range(5):
                damaged[chance.randrange(1000, len(whole))] ^= 1 << chance.randrange(8)
            file.write_bytes(damaged)
            self.archive(file, "^")

    def test_says_what_was_not_recorded(self):
        """While recording is off, or where records were dropped, a PE is in no region."""
        off, on, dropped = 19, 20, 18
        run = Run(1, 1)
        run.records.clear()
        for kind in (1, 2, off, on, 1, 2, dropped, 1, 2):
            run.put(0, kind, 1)
        times = [record[0] for record in run.records[0, 0]]
        file = self.folder / "run.trace"
        run.write(str(file))
        found = self.archive(file)
        self.assertEqual(found.switches["PE 0"], ["OFF", "ON", "OFF", "ON"])
        self.assertEqual(found.pe_time["PE 0", "idle"], times[2] - times[1])
        self.assertEqual(found.enters["idle"], 4)

    def test_refuses_a_folder_with_something_in_it(self):
        file = self.folder / "run.trace"
        Run(1, 1).write(str(file))
        done = convert(file, self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("is not empty; name a folder that is new", done.stderr)
        done = convert(file, self.folder / "no" / "out")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no/out: No such file", done.stderr)


    def test_says_that_the_disk_is_full(self):
        file = self.folder / "run.trace"
        Run(1, 1).write(str(file))
        small = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)),
                 "restore_signals": False}  # SIGXFSZ stays ignored
        # OTF2 cannot free its memory after a failed write.
        done = convert(file, self.folder / "otf2", env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}, **small)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "otf2 on: .*(large|big)")
        self.assertFalse((self.folder / "otf2").exists(), "half an archive is none")

    def test_leaves_a_folder_that_was_there(self):
        file = self.folder / "run.trace"
        Run(1, 1).write(str(file))
        out = self.folder / "otf2"
        out.mkdir()
        for limit in (0, 16, 500, 2000):
            done = convert(file, out, env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}, restore_signals=False,
                           preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(list(out.iterdir()), [])
        self.archive(file)


class Absent(unittest.TestCase):
    """The report of an imbrex that was built without OTF2."""

    def test_says_how_to_get_it(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "run.trace")
            Run(1, 1).write(str(file))
            done = convert(file, pathlib.Path(folder, "otf2"))
            self.assertEqual(done.returncode, 2)
            self.assertIn("libotf2-trace-dev", done.stderr)


if __name__ == "__main__":
    IMBREX, JACOBI3D, MIGRATE = sys.argv[1:4]
    HAS_PROCESSES = sys.argv[4] == "1"
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]], verbosity=2)
