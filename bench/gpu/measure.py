#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast a device and Imbrex on it are: runs the programs of this folder and Jacobi3D, several times in turn,
and writes a table of medians beside their targets, and all figures as JSON."""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import report

NO_DEVICE = 77
PATIENCE_SECONDS = 280
ODF = (1, 2, 4, 8)
ASYNCHRONOUS_ODF = 4

SIZES = {
    "full": {
        "kernel": ["--cells", "768,1024,1536"],
        "independent": ["--cells", "768"],
        "notice": [],
        "idle_turn": [],
        "jacobi3d": {"edges": (768, 1024), "arguments": ["--iters", "70", "--warmup", "7"]},
    },
    "small": {
        "kernel": ["--cells", "32", "--repeats", "3", "--stretch", "0.001"],
        "independent": ["--cells", "32", "--iterations", "3", "--repeats", "3"],
        "notice": ["--samples", "20", "--samples-beside", "3", "--repeats", "1"],
        "idle_turn": ["--repeats", "5", "--stretch", "0.001"],
        "jacobi3d": {"edges": (32,), "arguments": ["--iters", "7", "--warmup", "1"]},
    },
}
PROGRAMS = ("kernel", "independent", "notice", "idle_turn")
WITHOUT_GPU = ("idle_turn",)


class Failed(Exception):
    """A program that did not measure."""


def newest_build():
    """The folder with the programs of the newest build of this tree; None if there is none."""
    builds = pathlib.Path(__file__).resolve().parents[2] / "build"
    programs = sorted(builds.glob("*/bin/gpu_kernel"), key=lambda path: path.stat().st_mtime)
    return programs[-1].parent if programs else None


def whole_number(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text}: give a number of at least 1")
    return number


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--device", choices=("auto", "cuda", "emulated"), default="auto",
                        help="auto (default): the GPU, or without one the measurements that need none; emulated: a dry "
                             "run of all, with small sizes")
    parser.add_argument("--sizes", choices=SIZES, help="problem sizes (default full; small on the emulated device)")
    parser.add_argument("--repeats", type=whole_number, default=3, metavar="N",
                        help="how often everything is run, in turn (default %(default)s)")
    parser.add_argument("--at-most", type=whole_number, default=460, metavar="SECONDS",
                        help="no repeat is begun that would probably end later (default %(default)s)")
    parser.add_argument("--pes", type=whole_number, default=4, metavar="N",
                        help="PEs of Jacobi3D, which share the device (default %(default)s)")
    parser.add_argument("--only", metavar="NAMES",
                        help="some of kernel, independent, notice, idle_turn and jacobi3d, with commas between")
    parser.add_argument("--bin", type=pathlib.Path, default=newest_build(), metavar="FOLDER",
                        help="where the programs are (default: the newest build)")
    parser.add_argument("--output", type=pathlib.Path, metavar="FOLDER",
                        help="where gpu.md and gpu.json are written; made if need be (default: the folder "
                             "above --bin)")
    options = parser.parse_args(arguments)
    everything = [*PROGRAMS, "jacobi3d"]
    options.only = everything if options.only is None else options.only.split(",")
    if unknown := [name for name in options.only if name not in everything]:
        parser.error(f"--only: there is no '{unknown[0]}'; choose from {', '.join(everything)}")
    if options.bin is None:
        parser.error("nothing is built: cmake --preset release && cmake --build --preset release")
    options.bin = options.bin.resolve()  # a command without a folder would be looked up in PATH
    if not (options.bin / "gpu_kernel").exists():
        parser.error(f"--bin {options.bin}: there is no gpu_kernel; build it, or give the folder where it is")
    if options.sizes is None:
        options.sizes = "small" if options.device == "emulated" else "full"
    options.output = (options.output or options.bin.parent).resolve()
    try:
        make_writable(options.output)
    except OSError as refused:
        parser.error(f"--output {options.output}: {refused.strerror}; give a folder that can be written to")
    return options


def make_writable(folder):
    """Before the minutes of measuring, not after: the folder is made if there is none, and written to."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        pass


def execute(command, accepted=(0,)):
    """Runs a command that must end with one of these statuses; returns its status and its output."""
    print("measure.py:", " ".join(command), file=sys.stderr)
    try:
        ended = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                               timeout=PATIENCE_SECONDS, check=False)
    except subprocess.TimeoutExpired as late:
        raise Failed(f"did not end in {PATIENCE_SECONDS} s: {' '.join(command)}") from late
    except OSError as missing:
        raise Failed(f"{missing}; build it") from missing
    if ended.returncode not in accepted:
        raise Failed(f"status {ended.returncode}: {' '.join(command)}\n{ended.stderr.strip()}")
    return ended


def printed(ended):
    """The output of the command, which must be JSON."""
    try:
        return json.loads(ended.stdout)
    except ValueError as wrong:
        raise Failed(f"{' '.join(ended.args)} printed no JSON: {wrong}") from wrong


def describe(options, device):
    """The program's description of the device. Without a device: None, and the reason."""
    command = [str(options.bin / "gpu_kernel"), "--device", device, "--describe"]
    ended = execute(command, accepted=(0, NO_DEVICE))
    if ended.returncode == NO_DEVICE:
        return None, ended.stderr.strip().removeprefix("gpu_kernel: skipped: ")
    return printed(ended), ""


def info(options, device):
    """The description of the build, the host and the device by `imbrex info`. If it cannot run: the reason, as
    `missing`."""
    try:  # status 1: it found a problem, which its output describes
        return printed(execute([str(options.bin / "imbrex"), "info", "--json", "--device", device],
                               accepted=(0, 1)))
    except Failed as failure:
        return {"missing": str(failure)}


def processors_of(about):
    """The number of processors that this program and its children may use at the same time."""
    allowed = len(os.sched_getaffinity(0))
    if "missing" in about:
        return allowed
    return min(allowed, about["processes"][0]["processors"]["usable"])  # a control group may grant less


class Course:
    """The programs, and their measurements: for each name a list of rows, by repeat."""

    def __init__(self, options, device):
        self.options = options
        self.device = device
        self.sizes = SIZES[options.sizes]
        self.runs = {}
        self.failures = []
        self.commands = []

    def pieces(self, names):
        """Pairs of a name and a function that measures its rows once, given which repeat it is."""
        found = [(name, lambda _, name=name: self.program(name)) for name in PROGRAMS if name in names]
        if "jacobi3d" in names:
            found += [(f"jacobi3d {edge}", lambda repeat, edge=edge: self.jacobi3d(edge, repeat))
                      for edge in self.sizes["jacobi3d"]["edges"]]
        return found

    def execute(self, command):
        if command not in self.commands:
            self.commands.append(command)
        return execute(command)

    def program(self, name):
        program = str(self.options.bin / f"gpu_{name}")
        return printed(self.execute([program, "--device", self.device, *self.sizes[name]]))["rows"]

    def jacobi3d(self, edge, repeat):
        """Every ODF with completions that do not block, and one with some that do. These are first in every other
        repeat, since a device's clock and temperature change with time."""
        rows = []
        order = [("poll", ODF), ("sync", (ASYNCHRONOUS_ODF,))]
        for completion, factors in order if repeat % 2 == 0 else reversed(order):
            with tempfile.TemporaryDirectory() as folder:
                lines = pathlib.Path(folder) / "lines.json"
                command = [str(self.options.bin / "jacobi3d"), "--device", self.device, "--streams", "two",
                           "--pes", str(self.options.pes), "--completion", completion,
                           "--grid", f"{edge},{edge},{edge}", "--odf", ",".join(map(str, factors)),
                           *self.sizes["jacobi3d"]["arguments"], "--quiet"]
                if self.device == "emulated":
                    command += ["--device-model", "h200"]
                if command not in self.commands:
                    self.commands.append(command)
                execute([*command, "--json", str(lines)])
                measured = [json.loads(line) for line in lines.read_text().splitlines()]
            rows += [{"what": "jacobi3d", "cells": edge, "completion": completion, "odf": line["odf"],
                      "us_per_iter": line["us_per_iter"], "checksum": line["checksum"]} for line in measured]
        if len({row["checksum"] for row in rows}) != 1:
            raise Failed(f"jacobi3d at {edge}^3: the checksums differ: {rows}")
        return rows

    def measure(self, names):
        """Runs all in turn, as often as requested or as there is time for; returns the number of repeats."""
        began = time.monotonic()
        longest = 0.0
        pieces = self.pieces(names)
        for repeat in range(self.options.repeats):
            start = time.monotonic()
            if repeat > 0 and start - began + longest > self.options.at_most:
                print(f"measure.py: {repeat} repeats: another would end after --at-most", file=sys.stderr)
                return repeat
            for name, once in pieces:
                if repeat > 0 and name not in self.runs:
                    continue  # the program failed
                try:
                    self.runs.setdefault(name, []).append(once(repeat))
                except Failed as failure:
                    self.failures.append(f"{name}: {failure}")
                    self.runs.pop(name, None)
            longest = max(longest, time.monotonic() - start)
            pieces.append(pieces.pop(0))
        return self.options.repeats


def main(arguments):
    options = parse(arguments)
    began = time.monotonic()
    date = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    try:
        wanted = "cuda" if options.device == "auto" else options.device
        device, reason = describe(options, wanted)
        names = options.only
        if device is None and options.device == "auto":
            device, _ = describe(options, "emulated")
            names = [name for name in names if name in WITHOUT_GPU]
        if device is None:
            raise Failed(reason)
        course = Course(options, "emulated" if device["backend"] == "emulated" else wanted)
        about = info(options, course.device)
        processors = processors_of(about)
        repeats = course.measure(names)
    except Failed as failure:
        print(f"measure.py: error: {failure}", file=sys.stderr)
        return 1
    skipped = [name for name in options.only if name not in names]
    rows = report.rows(course.runs, options.only, skipped, course.sizes, options.pes, processors,
                       is_gpu=device["backend"] != "emulated")
    result = {"date": date, "imbrex": about, "device": device["device"], "backend": device["backend"],
              "processors": processors, "sizes": options.sizes, "repeats": repeats,
              "seconds": round(time.monotonic() - began, 1), "no_gpu": reason,
              "commands": [" ".join(command) for command in course.commands], "failures": course.failures,
              "table": rows, "runs": course.runs}
    text = report.table(result)
    print(text, end="")
    (options.output / "gpu.json").write_text(json.dumps(result, indent=1) + "\n")
    (options.output / "gpu.md").write_text(text)
    for failure in course.failures:
        print(f"measure.py: error: {failure}", file=sys.stderr)
    return 1 if course.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
