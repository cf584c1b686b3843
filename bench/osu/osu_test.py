#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program of this folder on all machines, tiny: usage: osu_test.py FOLDER, where it is."""
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import unittest

OSU = pathlib.Path(sys.argv[1]) / "osu"
MODEL = pathlib.Path(__file__).resolve().parents[2] / "imbrex/device/models/summit.toml"
BENCHES = ["latency", "bandwidth", "bidirectional", "multi-pair", "rate"]
SHORT = ["--rounds", "2", "--window", "5", "--smallest", "1", "--largest", "65536"]


def run(*words):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "lines"
        ended = subprocess.run([OSU, *words, "--json", file], capture_output=True, text=True,
                               stdin=subprocess.DEVNULL, timeout=100, check=False)
        return ended, [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def seconds(text):
    """A time in a model."""
    for unit, size in (("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3)):
        if text.endswith(unit):
            return float(text.removesuffix(unit)) * size
    raise ValueError(text)


def rate(text):
    return float(text.removesuffix("GB/s")) * 1e9


class Machines(unittest.TestCase):
    """All benches find the bytes that were sent."""

    def check(self, *words):
        ended, lines = run(*words, *SHORT, "--bench", ",".join(BENCHES), "--check")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual({line["bench"] for line in lines}, set(BENCHES))
        for line in lines:
            self.assertGreater(line["value"], 0, line)
            self.assertIs(line["checked"], True)
        return lines

    def test_host_memory(self):
        lines = self.check("--pes", "2")
        self.assertEqual({line["way"] for line in lines}, {"message", "channel"})

    def test_devices_on_threads(self):
        lines = self.check("--pes", "2", "--device", "emulated", "--devices", "2")
        self.assertEqual({line["way"] for line in lines}, {"message", "channel", "persistent", "staging"})

    def test_devices_in_many_orders(self):
        for seed in range(5):
            self.check("--pes", "4", "--device", "emulated", "--devices", "3", "--machine", "deterministic",
                       "--seed", str(seed))

    def test_devices_in_simulated_time(self):
        self.check("--pes", "4", "--machine", "simulated", "--device-model", "summit")

    def test_what_cannot_be(self):
        for words, said in ((["--pes", "1"], "two PEs"), (["--memory", "device"], "no devices"),
                            (["--way", "pigeon"], "there is no pigeon"), (["--pes", "2", "--distance", "2"], "2 PEs"),
                            (["--way", "staging"], "no staging"), (["--way", "persistent"], "memory of devices"),
                            (["--smallest", "8", "--largest", "4"], "less")):
            ended, _ = run(*words)
            self.assertEqual(ended.returncode, 2, words)
            self.assertIn(said, ended.stderr)


@unittest.skipUnless(OSU.with_name("osu_ranks").exists(), "there is no library of MPI")
class Ranks(unittest.TestCase):
    """The benches between ranks of MPI."""

    def test_machines_that_have_a_clock(self):
        for place in (["--pes", "2", "--device", "emulated", "--devices", "2"],
                      ["-n", "2", "--pes", "1", "--device", "emulated"],
                      ["--pes", "4", "--machine", "simulated", "--device-model", "summit"]):
            for memory, ways in (("host", {"mpi"}), ("device", {"mpi", "mpi-staging"})):
                with tempfile.TemporaryDirectory() as folder:
                    file = pathlib.Path(folder) / "lines"
                    ended = subprocess.run(
                        [OSU.with_name("imbrex"), "run", *place, "--ranks", "4", OSU.with_name("osu_ranks"), *SHORT,
                         "--bench", "latency,bandwidth,bidirectional", "--memory", memory, "--check", "--json", file],
                        capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=100, check=False)
                    self.assertEqual(ended.returncode, 0, ended.stderr)
                    lines = [json.loads(line) for line in file.read_text().splitlines()]
                self.assertEqual({line["way"] for line in lines}, ways)
                self.assertEqual({line["bench"] for line in lines}, {"latency", "bandwidth", "bidirectional"})
                for line in lines:
                    self.assertGreater(line["value"], 0, line)
                    self.assertIs(line["checked"], True)


class Model(unittest.TestCase):
    """Times in simulated time beside the sums of the model's numbers."""

    def setUp(self):
        self.model = tomllib.loads(MODEL.read_text())

    def time_of(self, *keys):
        """Sum of "table.key" or (count, "table.key")."""
        total = 0.0
        for key in keys:
            count, name = key if isinstance(key, tuple) else (1, key)
            table, entry = name.split(".")
            total += count * seconds(self.model[table][entry])
        return total

    def test_gain_over_staging(self):
        """Within 20 % of what the model's own formula says, at each size."""
        _, lines = run("--pes", "2", "--machine", "simulated", "--device-model", str(MODEL), "--no-data",
                       "--rounds", "3")
        found = {}
        for line in lines:
            found.setdefault(line["way"], {})[line["bytes"]] = line["value"] * 1e-6
        notice = ["host.call", "host.query", "step.notice"]
        staging = self.time_of((2, "host.launch"), (2, "copy.latency"), "message.send", "message.latency",
                               "message.receive", *notice, *notice)
        channel = self.time_of((3, "host.call"), (2, "step.channel"), "message.latency", "step.transfer",
                               "link.device_latency", *notice)
        for size, time in found["channel"].items():
            through_host = staging + size * (2 / rate(self.model["copy"]["to_device"]) +
                                             1 / rate(self.model["message"]["bandwidth"]) +
                                             2 / rate(self.model["host"]["copy_bandwidth"]))
            direct = channel + size / rate(self.model["link"]["device"])
            if size > self.model["link"]["eager"]:
                direct += self.time_of("link.device_rendezvous")
            self.assertAlmostEqual(found["staging"][size] / time / (through_host / direct), 1, delta=0.2, msg=size)

    def test_order_of_ways(self):
        """Channel before message before staging at every size, in a node and between two."""
        for place in (["--pes", "2"], ["--pes", "12", "--distance", "6"]):
            _, lines = run(*place, "--machine", "simulated", "--device-model", "summit", "--no-data", "--rounds", "3")
            found = {}
            for line in lines:
                found.setdefault(line["bytes"], {})[line["way"]] = line["value"]
            for size, times in found.items():
                self.assertLess(times["channel"], times["message"], size)
                self.assertLess(times["message"], times["staging"], size)
                self.assertLess(times["persistent"], times["message"], size)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
