# SPDX-License-Identifier: Apache-2.0
"""Runs of the programs in simulated time, each once."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

GPUS_PER_NODE = 6
ROOT = pathlib.Path(__file__).resolve().parents[2]
# Options of moldyn.
FUGAKU = ROOT / "bench/papers/fugaku.toml"


def output_of(command, **environment):
    ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, stdin=subprocess.DEVNULL,
                           env={**os.environ, **environment}, check=False)
    if ended.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{ended.stderr}")
    return ended.stdout


def lines_of(command):
    """The object that a program writes with --json."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "lines.json"
        output_of([*command, "--quiet", "--json", file])
        return [json.loads(line) for line in file.read_text().splitlines()]


def number_of(text):
    """The value of a rate or a time in a model's file, in bytes per second or seconds."""
    number, unit = re.fullmatch(r"([0-9.]+) *([a-zA-Z/]+)", text).groups()
    return float(number) * {"GB/s": 1e9, "ns": 1e-9, "us": 1e-6}[unit]


class Machine:
    """A model, and the folder where the programs are."""

    def __init__(self, folder, model="summit", iterations=None):
        self.folder = pathlib.Path(folder)
        self.model = model
        self.iterations = iterations
        self.known = {}

    def simulated(self, program, model, *more):
        return [self.folder / program, "--machine", "simulated", "--device-model", model, "--no-data", *more]

    def osu(self, between, benches, rounds=20):
        """{bench: {way: {bytes: value}}} of two GPUs of a socket, or of two nodes."""
        place = ["--pes", GPUS_PER_NODE * 2, "--distance", GPUS_PER_NODE] if between else ["--pes", 2]
        command = self.simulated("osu", self.model, *place, "--bench", ",".join(benches), "--rounds", rounds)
        found = {}
        for line in lines_of(command):
            found.setdefault(line["bench"], {}).setdefault(line["way"], {})[line["bytes"]] = line["value"]
        return found

    def by_ranks(self, program, ranks, *more):
        """The output of an MPI program that has a rank on each PE, with a GPU."""
        return lines_of([self.folder / "imbrex", "run", "--ranks", ranks, "--pes", ranks, "--machine", "simulated",
                         "--device-model", self.model, "--no-data", self.folder / program, *more])

    def osu_ranks(self, between, benches, rounds=20):
        """As osu(), of two ranks of MPI."""
        ranks, distance = (GPUS_PER_NODE * 2, GPUS_PER_NODE) if between else (2, 1)
        found = {}
        for line in self.by_ranks("osu_ranks", ranks, "--distance", distance, "--memory", "device",
                                  "--bench", ",".join(benches), "--rounds", rounds):
            found.setdefault(line["bench"], {}).setdefault(line["way"], {})[line["bytes"]] = line["value"]
        return found

    def jacobi_ranks(self, grid, nodes, comm):
        """Microseconds of an iteration of ranks of MPI, one for each GPU."""
        iterations = self.iterations or 100
        return self.by_ranks("jacobi3d_device_ranks", GPUS_PER_NODE * nodes, "--grid", ",".join(map(str, grid)),
                             "--comm", comm, "--iters", iterations,
                             "--warmup", max(1, iterations // 10))[0]["us_per_iter"]

    def jacobi_of_python(self, grid, nodes, way):
        """Microseconds of an iteration of a program in Python, by the package beside the programs. A kernel reads and
        writes 8 bytes of each cell, as those of apps/jacobi3d do."""
        file = ROOT / f"imbrex/device/models/{self.model}.toml"
        device = tomllib.loads((file if file.exists() else pathlib.Path(self.model)).read_text())["device"]
        cell = 16 / number_of(device["memory_bandwidth"])
        said = output_of(
            [sys.executable, ROOT / "bench/python/jacobi3d_on_devices.py", ",".join(map(str, grid)), way,
             self.iterations or 100, cell, cell, number_of(device["kernel_start"]), "--machine", "simulated",
             "--device-model", self.model, "--no-data", "--pes", GPUS_PER_NODE * nodes],
            PYTHONPATH=str(self.folder.parent / "python"))
        return json.loads(said)["us_per_iter"]

    def jacobi(self, grid, nodes, comm, odf=1, fusion="none", graphs=False, mpi=False, streams="four"):
        """Microseconds of an iteration."""
        key = (tuple(grid), nodes, comm, odf, fusion, graphs, mpi, streams)
        if key not in self.known:
            iterations = self.iterations or 100
            command = self.simulated(
                "jacobi3d", self.model + (":mpi" if mpi else ""), "--grid", ",".join(map(str, grid)),
                "--pes", GPUS_PER_NODE * nodes, "--odf", odf, "--comm", comm, "--fusion", fusion,
                "--streams", streams, "--iters", iterations, "--warmup", max(1, iterations // 10))
            # An MPI's process waits for its device.
            command += ["--completion", "sync"] if mpi else []
            command += ["--graphs"] if graphs else []
            self.known[key] = lines_of(command)[0]["us_per_iter"]
        return self.known[key]

    def resident(self):
        """The output of resident_figures, for rounds of equal time."""
        if "resident" not in self.known:
            self.known["resident"] = lines_of([self.folder / "resident_figures", "--device-model", self.model,
                                               "--rounds", self.iterations or 10])
        return self.known["resident"]

    def minimd(self, cells, nodes, comm, odf=1, mpi=False):
        """The output of minimd for this number of unit cells, as texts by name."""
        key = (tuple(cells), nodes, comm, odf, mpi)
        if key not in self.known:
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "run.yaml"
                output_of([*self.simulated(
                    "minimd", self.model + (":mpi" if mpi else ""), "--size", ",".join(map(str, cells)),
                    "--pes", GPUS_PER_NODE * nodes, "--odf", odf, "--comm", comm, "--streams", "five",
                    "--steps", self.iterations or 100, "--thermo", 0, "--quiet", "--yaml", file),
                    *(["--completion", "sync"] if mpi else [])])
                lines = [line.split(": ", 1) for line in file.read_text().splitlines() if ": " in line]
            self.known[key] = dict(lines)
        return self.known[key]

    def moldyn(self, nodes, overlap, particles):
        """The output of moldyn for particles on a torus that is cut into a strip for each node."""
        key = (nodes, overlap, particles)
        if key not in self.known:
            model = tomllib.loads(FUGAKU.read_text())
            work, network = model["work"], model["network"]
            self.known[key] = lines_of([
                self.folder / "moldyn", "--model", "torus", "--particles", particles, "--strips", "--overlap", overlap,
                "--cycles", self.iterations or 50, "--machine", "simulated", "--pes", nodes,
                "--pair-time", work["pair"], "--particle-time", work["particle"],
                "--pause", f"{work['pause']},{work['pause_percent']}",
                "--net-latency", network["latency"], "--net-bandwidth", network["bandwidth"]])[0]
        return self.known[key]


def weak(edge, nodes):
    """The cube of a node, doubled in turn in each dimension."""
    grid, dimension = [edge] * 3, 0
    while nodes > 1:
        grid[dimension] *= 2
        dimension, nodes = (dimension + 1) % 3, nodes // 2
    return grid
