# SPDX-License-Identifier: Apache-2.0
"""Runs of our programs in simulated time: each once, some at a time, recorded with its time and the commit; and
evaluations of their flows on machines with other numbers."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import threading
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
FUGAKU = ROOT / "bench/papers/fugaku.toml"
GPUS_PER_NODE = 6
# As in the papers' programs: neighbours lie in the order of their indices.
PLACEMENT = ("--placement", "blocks")
# In place of the file that a program writes.
FILE = "FILE"
PROGRAMS = {"imbrex", "jacobi3d", "jacobi3d_device_ranks", "minimd", "moldyn", "osu", "osu_ranks", "resident_figures"}
# Timed iterations of the papers.
ITERATIONS = 100


class RunFailed(Exception):
    """A program ended with an error, or is not there."""


def numbers_of(file):
    """The tables of a machine's file, without comments."""
    return tomllib.loads(pathlib.Path(file).read_text())


def machine_files():
    """{name: the file of a machine}."""
    models = ROOT / "imbrex/device/models"
    return {"summit": models / "summit.toml", "lassen": models / "lassen.toml", "fugaku": FUGAKU}


def number_of(text):
    """The value of a rate or a time in a machine's file, in bytes per second or seconds."""
    number, unit = re.fullmatch(r"([0-9.]+) *([a-zA-Z/]+)", text).groups()
    return float(number) * {"GB/s": 1e9, "ns": 1e-9, "us": 1e-6}[unit]


def commit_of_programs():
    """The last commit that has changed the sources of the programs, or the empty text outside of a repository."""
    said = subprocess.run(["git", "-C", str(ROOT), "log", "-1", "--format=%h", "--abbrev=8", "--", "imbrex", "apps",
                           "bench", ":!bench/papers"], capture_output=True, text=True, check=False)
    return said.stdout.strip()


class Runner:
    """Runs commands, no more than `jobs` at a time. What `recorded` has is not run again."""

    def __init__(self, folder, recorded=None, jobs=1, on_end=None):
        self.folder = pathlib.Path(folder)
        self.recorded = {} if recorded is None else recorded
        self.slots = threading.Semaphore(jobs)
        self.lock = threading.Lock()
        self.pending = {}
        self.commit = commit_of_programs()
        self.on_end = on_end
        # Of recorded flows; made at the first one.
        self.flows = None

    def record_of(self, words, parse):
        """{"output", "seconds", "commit"} of a command whose first word is a program. `parse` makes the output of the
        text that the program has written to FILE, or to its standard output if no word is FILE."""
        return self.record(shlex.join(map(str, words)), lambda: self.run(words, parse))

    def evaluation_of(self, machine, words):
        """As record_of, for the nanoseconds of the whole run of a program on another machine, by its flow; its output
        is None if the flow does not end there."""
        return self.record(f"imbrex simulate --machine {machine} --json FLOW of {shlex.join(map(str, words))}",
                           lambda: self.evaluate(machine, words))

    def evaluate(self, machine, words):
        flow = self.flow_of(words)
        try:
            return self.run(["imbrex", "simulate", "--machine", machine, "--json", flow],
                            lambda text: json.loads(text)["time"])
        except RunFailed as error:
            if "the flow does not end" not in str(error):
                raise
            return {"output": None, "seconds": 0, "commit": self.commit}

    def flow_of(self, words):
        """The file of the flow of a run, which is recorded once for all machines."""
        with self.lock:
            if self.flows is None:
                self.flows = tempfile.TemporaryDirectory(prefix="claims-")
        name = hashlib.sha256(shlex.join(map(str, words)).encode()).hexdigest()[:16] + ".flow"
        file = pathlib.Path(self.flows.name) / name
        self.once("flow of " + shlex.join(map(str, words)),
                  lambda: self.run([*words, "--record-flow", file], lambda text: None))
        return file

    def record(self, key, make):
        """The key, and its record, which is made if there is none."""
        with self.lock:
            if key in self.recorded:
                return key, self.recorded[key]

        def kept():
            with self.slots:
                record = make()
            with self.lock:
                self.recorded[key] = record
                if self.on_end:
                    self.on_end()
            return record
        return key, self.once(key, kept)

    def once(self, key, make):
        """What `make` returns, which only the first one who asks calls."""
        with self.lock:
            future = self.pending.get(key)
            mine = future is None
            if mine:
                future = self.pending[key] = concurrent.futures.Future()
        if mine:
            try:
                future.set_result(make())
            except BaseException as error:
                future.set_exception(error)
                raise
        return future.result()

    def run(self, words, parse):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "written"
            words = [str(file) if word == FILE else str(self.folder / word) if word in PROGRAMS else str(word)
                     for word in words]
            # Pages of 2 MiB: the runs of thousands of PEs take a quarter less.
            environment = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1", **os.environ}
            if words[0].endswith(".py"):
                words[:1] = [sys.executable, str(ROOT / words[0])]
                environment["PYTHONPATH"] = str(self.folder.parent / "python")
            out = open(pathlib.Path(folder) / "out", "w+")
            errors = open(pathlib.Path(folder) / "errors", "w+")
            with out, errors:
                try:
                    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=errors,
                                               env=environment)
                except OSError as error:
                    raise RunFailed(f"{words[0]} cannot be run: {error.strerror}; build it, or name the folder of "
                                    f"the programs by --bin") from error
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                if process.returncode != 0:
                    errors.seek(0)
                    raise RunFailed(f"{shlex.join(words)}: status {process.returncode}: {errors.read().strip()}")
                out.seek(0)
                text = file.read_text() if file.exists() else out.read()
        return {"output": parse(text), "seconds": round(usage.ru_utime + usage.ru_stime, 2), "commit": self.commit}


def lines_with(*names):
    """Parses lines of JSON, and keeps these names."""
    return lambda text: [{name: line[name] for name in names if name in line}
                         for line in map(json.loads, text.splitlines())]


def values_by(*names):
    """Parses lines of JSON into {first: {second: {third: value}}}."""
    def parse(text):
        found = {}
        for line in map(json.loads, text.splitlines()):
            inner = found
            for name in names[:-1]:
                inner = inner.setdefault(str(line[name]), {})
            inner[str(line[names[-1]])] = line["value"]
        return found
    return parse


def whole_keys(table):
    """{bytes: value} of the same with texts as keys."""
    return {int(key): value for key, value in table.items()}


def weak(edge, nodes):
    """The cube of a node, doubled in turn in each dimension."""
    grid, dimension = [edge] * 3, 0
    while nodes > 1:
        grid[dimension] *= 2
        dimension, nodes = (dimension + 1) % 3, nodes // 2
    return grid


def stretches(blocks):
    """Numbers of iterations to warm up, and of those to time, in one run or in two. One run has as many as the papers.
    The time of two says what the iterations take that were not run."""
    if blocks <= 1600:
        return 10, [ITERATIONS]
    return (2, [5, 15]) if blocks <= 4096 else (1, [4, 10])


def extrapolated(times):
    """The mean time of an iteration of ITERATIONS, from {iterations: mean time}."""
    if len(times) == 1:
        return next(iter(times.values()))
    (few, of_few), (more, of_more) = sorted(times.items())
    each = (of_more * more - of_few * few) / (more - few)
    return (of_more * more + each * (ITERATIONS - more)) / ITERATIONS


def joined(values):
    return ",".join(map(str, values))


class Machine:
    """The programs on one machine, and the runs that one claim has used."""

    def __init__(self, runner, model="summit", change="", only=None, used=None, by_flows=False):
        self.runner = runner
        self.model = model
        self.change = change
        # Numbers of nodes, if not all of a claim are wanted.
        self.only = only
        self.used = {} if used is None else used
        # Jacobi3D is not run on the changed machine: the flow of a run without changes is evaluated.
        self.by_flows = by_flows

    def changed(self, change):
        """The same machine with other numbers, such as "link.card=x2". Its runs are also of the claim."""
        return Machine(self.runner, self.model, ",".join(filter(None, (self.change, change))), self.only, self.used,
                       self.by_flows)

    def among(self, counts):
        """The numbers of nodes that are wanted."""
        return [count for count in counts if self.only is None or count in self.only]

    def run(self, words, parse):
        key, record = self.runner.record_of(words, parse)
        self.used[key] = record["seconds"]
        return record["output"]

    def named(self, mpi=False):
        return self.model + (":mpi" if mpi else "") + ("," + self.change if self.change else "")

    def simulated(self, program, *more, mpi=False):
        return [program, "--machine", "simulated", "--device-model", self.named(mpi), "--no-data", *PLACEMENT,
                *more]

    def osu(self, between, benches=("latency", "bandwidth"), rounds=20):
        """{bench: {way: {bytes: value}}} of two GPUs of a socket, or of two nodes."""
        place = ["--pes", GPUS_PER_NODE * 2, "--distance", GPUS_PER_NODE] if between else ["--pes", 2]
        words = self.simulated("osu", *place, "--bench", joined(benches), "--rounds", rounds)
        return by_bytes(self.run([*words, "--quiet", "--json", FILE], values_by("bench", "way", "bytes")))

    def by_ranks(self, program, ranks, *more):
        """Words of a program of MPI with a rank on each PE, which has a GPU."""
        return ["imbrex", "run", "--ranks", ranks, "--pes", ranks, "--machine", "simulated",
                "--device-model", self.named(), "--no-data", program, *more, "--quiet", "--json", FILE]

    def osu_ranks(self, between, benches=("latency", "bandwidth"), rounds=20):
        """As osu(), of two ranks of MPI."""
        ranks, distance = (GPUS_PER_NODE * 2, GPUS_PER_NODE) if between else (2, 1)
        return by_bytes(self.run(self.by_ranks("osu_ranks", ranks, "--distance", distance, "--memory", "device",
                                               "--bench", joined(benches), "--rounds", rounds),
                                 values_by("bench", "way", "bytes")))

    def jacobi_of_ranks(self, grid, nodes, comm):
        """Microseconds of an iteration of ranks of MPI, one for each GPU."""
        pes = GPUS_PER_NODE * nodes
        return extrapolated({
            count: self.run(self.by_ranks("jacobi3d_device_ranks", pes, "--grid", joined(grid), "--comm", comm,
                                          "--iters", count, "--warmup", 2),
                            lines_with("us_per_iter"))[0]["us_per_iter"]
            for count in (5, 15)})

    def osu_of_python(self, between):
        """As osu(), of two blocks in Python."""
        pes, distance = (GPUS_PER_NODE * 2, GPUS_PER_NODE) if between else (2, 1)
        sizes = joined(1 << power for power in range(23))
        return by_bytes(self.run(["bench/python/osu_on_devices.py", distance, 10, 16, sizes, "--machine", "simulated",
                                  "--device-model", self.named(), "--no-data", "--pes", pes],
                                 values_by("bench", "way", "bytes")))

    def jacobi_of_python(self, grid, nodes, way, iterations=20):
        """Microseconds of an iteration of a program in Python. A kernel reads and writes 8 bytes of each cell."""
        device = numbers_of(machine_files()[self.model])["device"]
        cell = 16 / number_of(device["memory_bandwidth"])
        return self.run(["bench/python/jacobi3d_on_devices.py", joined(grid), way, iterations, cell, cell,
                         number_of(device["kernel_start"]), "--machine", "simulated", "--device-model", self.named(),
                         "--no-data", *PLACEMENT, "--pes", GPUS_PER_NODE * nodes],
                        lines_with("us_per_iter"))[0]["us_per_iter"]

    def jacobi(self, grid, nodes, comm, odf=1, fusion="none", graphs=False, mpi=False, streams="four",
               completion="poll", waits=None):
        """Microseconds of an iteration."""
        pes = GPUS_PER_NODE * nodes
        # An MPI's process waits for its device.
        completion = "sync" if mpi else completion

        def words_of(machine):
            return [*machine.simulated("jacobi3d", "--grid", joined(grid), "--pes", pes, "--odf", odf, "--comm", comm,
                                       *(["--waits", waits] if waits else []), "--fusion", fusion, "--streams", streams,
                                       "--completion", completion, *(["--graphs"] if graphs else []), mpi=mpi)]
        if self.by_flows and completion == "poll":
            base = Machine(self.runner, self.model)
            time = self.evaluated([*words_of(base), "--quiet"], self.named(mpi), pes * odf)
            if time is not None:
                return time
        warm_up, counts = stretches(pes * odf)
        return extrapolated({
            count: self.run([*words_of(self), "--warmup", warm_up, "--iters", count, "--quiet", "--json", FILE],
                            lines_with("us_per_iter"))[0]["us_per_iter"]
            for count in counts})

    def evaluated(self, words, machine, blocks):
        """Microseconds of an iteration of a program on a machine, by its flows on that without changes: the difference
        of runs of few and of more iterations. None if a flow does not end."""
        few, more = (2, 6) if blocks <= 2048 else (1, 3)
        times = []
        for count in (few, more):
            key, record = self.runner.evaluation_of(machine, [*words, "--warmup", 1, "--iters", count])
            self.used[key] = record["seconds"]
            if record["output"] is None:
                return None
            times.append(record["output"])
        return (times[1] - times[0]) / (more - few) / 1e3

    def blocks(self, grid, nodes):
        """The program's blocks of this grid at ODF 1, and their cells, in each dimension."""
        said = self.run([*self.simulated("jacobi3d", "--grid", joined(grid), "--pes", GPUS_PER_NODE * nodes, "--odf", 1,
                                         "--iters", 1, "--warmup", 0), "--quiet", "--json", FILE],
                        lines_with("grid", "blocks"))[0]
        return said["blocks"], [-(-cells // count) for cells, count in zip(said["grid"], said["blocks"])]

    def protocol(self, grid, nodes, odfs):
        """A line for each factor of one run as the papers': with "odf" and "iters"."""
        return self.run([*self.simulated("jacobi3d", "--grid", joined(grid), "--pes", GPUS_PER_NODE * nodes,
                                         "--odf", joined(odfs), "--warmup", 10, "--iters", ITERATIONS),
                         "--quiet", "--json", FILE], lines_with("odf", "iters", "us_per_iter"))

    def minimd(self, cells, nodes, comm, odf=1, mpi=False):
        """The output of minimd for this number of unit cells: seconds, steps and atoms."""
        def parse(text):
            lines = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
            return {name: float(lines[name]) for name in ("seconds", "steps", "atoms")}
        return self.run([*self.simulated("minimd", "--size", joined(cells), "--pes", GPUS_PER_NODE * nodes,
                                         "--odf", odf, "--comm", comm, "--streams", "five",
                                         "--completion", "sync" if mpi else "poll", mpi=mpi),
                         "--steps", 100, "--thermo", 0, "--quiet", "--yaml", FILE], parse)

    def resident(self):
        """The lines of the program of chares inside GPUs."""
        return self.run(["resident_figures", "--device-model", self.named(), "--rounds", 10, "--quiet", "--json", FILE],
                        lambda text: [json.loads(line) for line in text.splitlines()])

    def moldyn(self, nodes, overlap, particles):
        """The output of moldyn for 50 cycles of particles on a torus that is cut into a strip for each node."""
        model = numbers_of(FUGAKU)
        for part in filter(None, self.change.split(",")):
            name, value = part.split("=")
            table, key = name.split(".")
            model[table][key] = value
        work, network = model["work"], model["network"]
        return self.run(["moldyn", "--model", "torus", "--particles", particles, "--strips", "--overlap", overlap,
                         "--cycles", 50, "--machine", "simulated", "--pes", nodes,
                         "--pair-time", work["pair"], "--particle-time", work["particle"],
                         "--pause", f"{work['pause']},{work['pause_percent']}",
                         "--net-latency", network["latency"], "--net-bandwidth", network["bandwidth"],
                         "--quiet", "--json", FILE],
                        lines_with("ms_per_cycle", "cells", "least_interactions", "most_interactions", "ms"))[0]


def by_bytes(found):
    return {bench: {way: whole_keys(table) for way, table in ways.items()} for bench, ways in found.items()}
