#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `imbrex info` finds and says.

usage: info_test.py IMBREX MPIRUN [unittest's arguments]
MPIRUN may be empty; the test that needs it is skipped then.
"""
import json
import os
import subprocess
import sys
import unittest

IMBREX, MPIRUN = sys.argv[1:3]
LIMIT = 50  # seconds that nothing here takes unless it hangs
BUILD = ["version", "commit", "compiler", "build_type", "ucx", "pmix", "mpi", "cuda", "otf2", "device_models",
         "launcher", "processes"]
PROCESS = ["rank", "host", "processors", "libraries", "hiding", "backends", "machine", "bound", "device", "device_map",
           "problem", "pes", "paths"]

VERSION_OF = """
import ctypes, sys
numbers = [ctypes.c_uint() for _ in range(3)]
ctypes.CDLL(sys.argv[1]).ucp_get_version(*map(ctypes.byref, numbers))
print(*(n.value for n in numbers), sep=".")
"""


def run(*command, before=(), environment=None):
    return subprocess.run([*before, IMBREX, *command], text=True, capture_output=True, timeout=LIMIT,
                          env={**os.environ, **(environment or {})})


class Info(unittest.TestCase):
    def found(self, *options, **more):
        """The object that is printed, by a command that ends well."""
        ended = run("info", "--json", *options, **more)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        found = json.loads(ended.stdout)
        self.assertEqual(list(found), BUILD)
        for process in found["processes"]:
            self.assertEqual(list(process), PROCESS)
        return found

    def of_one(self, *options, **more):
        [process] = self.found(*options, **more)["processes"]
        return process

    def devices(self, process):
        return [pe["device"] for pe in process["pes"]]

    def test_build(self):
        found = self.found()
        self.assertRegex(found["version"], r"^\d+\.\d+\.\d+$")
        self.assertRegex(found["compiler"], r"^\S+ \d+")
        self.assertIn("v100", found["device_models"])
        self.assertIsNone(found["launcher"])
        for part in ["ucx", "pmix", "mpi", "cuda", "otf2"]:
            if found[part] is not None:
                self.assertRegex(found[part], r"^\d+\.\d+")

    def test_processors(self):
        allowed = sorted(os.sched_getaffinity(0))
        found = self.of_one()
        self.assertEqual(found["processors"]["allowed"], allowed)
        self.assertEqual(len(found["pes"]), found["processors"]["usable"])
        self.assertLessEqual(found["processors"]["usable"], len(allowed))
        one = self.of_one("--pes", "2", "--bind", "core", before=["taskset", "-c", str(allowed[-1])])
        self.assertEqual(one["processors"]["allowed"], allowed[-1:])
        self.assertTrue(one["bound"])
        self.assertEqual([pe["processor"] for pe in one["pes"]], allowed[-1:] * 2)

    def test_devices_of_pes(self):
        emulated = ["--pes", "4", "--device", "emulated", "--devices", "2"]
        self.assertEqual(self.devices(self.of_one("--pes", "2")), [None] * 2)
        self.assertEqual(self.devices(self.of_one(*emulated)), [0, 0, 1, 1])
        self.assertEqual(self.devices(self.of_one(*emulated, "--device-map", "near")), [0, 0, 1, 1])
        self.assertEqual(self.devices(self.of_one(*emulated, "--device-map=round-robin")), [0, 1, 0, 1])
        self.assertEqual(self.devices(self.of_one(*emulated, "--device-map=none")), [None] * 4)
        self.assertEqual(self.devices(self.of_one(*emulated, "--machine", "deterministic")), [0, 0, 1, 1])

    def test_backends(self):
        found = self.of_one("--device", "emulated", "--devices", "3", "--device-model", "v100")
        cuda, emulated = found["backends"]
        self.assertEqual((cuda["name"], emulated["name"]), ("cuda", "emulated"))
        self.assertEqual([device["name"] for device in emulated["devices"]], ["v100"] * 3)
        self.assertEqual(emulated["devices"][0]["memory"], 16_000_000_000)
        self.assertIsNone(emulated["devices"][0]["pci_bus_id"])
        self.assertEqual(bool(cuda["devices"]), cuda["problem"] is None)
        for device in cuda["devices"]:
            self.assertRegex(device["pci_bus_id"], r"^[0-9a-fA-F]+:[0-9a-fA-F]+:[0-9a-fA-F]+\.[0-7]$")

    def test_hidden_devices(self):
        hide = {"CUDA_VISIBLE_DEVICES": ""}
        found = self.of_one(environment=hide)
        self.assertEqual(found["hiding"], hide)
        self.assertEqual(found["backends"][0]["devices"], [])
        self.assertIn("--device emulated", found["backends"][0]["problem"])
        asked = run("info", "--device", "cuda", environment=hide)
        self.assertEqual(asked.returncode, 1)
        self.assertEqual(asked.stderr, f"imbrex info: {found['backends'][0]['problem']}\n")
        self.assertIn("CUDA_VISIBLE_DEVICES=: ", asked.stdout)
        self.of_one(environment={"CUDA_VISIBLE_DEVICES": os.fsdecode(b"\xff")})  # no UTF-8

    def test_paths(self):
        self.assertIsNone(self.of_one()["paths"])
        paths = self.of_one("--paths", "--pes", "1")["paths"]
        self.assertEqual(list(paths), ["wake", "spin", "spin_with_network", "ucx", "long_messages",
                                       "left_to_ucx", "device_memory", "symmetric_heaps"])
        self.assertGreater(paths["wake"], 0)
        self.assertTrue(30_000 <= paths["spin"] <= paths["spin_with_network"] <= 200_000, paths)
        if self.found()["ucx"] is None:
            self.assertIn("built without UCX", paths["ucx"]["problem"])
        else:
            said = subprocess.run([sys.executable, "-c", VERSION_OF, paths["ucx"]["file"]], text=True,
                                  capture_output=True, timeout=LIMIT, check=True)
            self.assertEqual(paths["ucx"]["version"], said.stdout.strip())
            self.assertEqual(os.path.basename(paths["ucx"]["file"]), "libucp.so.0")
            self.assertEqual([one["longest"] for one in paths["long_messages"]],
                             [2**power for power in range(14, 21)])
        for one in paths["long_messages"]:
            better = one["by_kernel"] is None or one["by_memory"] <= one["by_kernel"]
            self.assertEqual(one["chosen"], "memory" if better else "kernel")
        self.assertFalse(paths["left_to_ucx"])
        self.assertIsNone(paths["device_memory"])

    def test_paths_of_device_memory(self):
        def ways(*options):
            found = self.of_one("--paths", "--pes", "1", "--device", "emulated", *options)["paths"]["device_memory"]
            return {one["between"]: (one["way"], one["why"]) for one in found}

        by_host = "pinned memory of the host"
        self.assertEqual(ways()["processes of a host"], ("a copy from the other's memory", None))
        self.assertEqual(ways()["devices of a process"], ("a copy from the other device", None))
        self.assertEqual(ways("--gpu-path", "host")["devices of a process"], (by_host, "--gpu-path host says so"))
        self.assertEqual(ways("--gpu-path", "peer")["processes of a host"], (by_host, "--gpu-path peer says so"))
        self.assertEqual(ways("--no-data")["processes of a host"][0], by_host)
        by_network = "the network, from device to device, of 4 KiB and more"
        asked = "only --gpu-path network sends memory of devices by the network"
        self.assertEqual(ways()["hosts"], (by_host, asked))
        self.assertEqual(ways("--gpu-path", "network")["hosts"], (by_network, None))
        self.assertEqual(ways("--gpu-path", "network")["processes of a host"], (by_network, None))
        self.assertEqual(ways("--gpu-path", "network")["devices of a process"],
                         ("a copy from the other device", None))
        self.assertEqual(ways("--gpu-path", "host")["hosts"], (by_host, "--gpu-path host says so"))
        self.assertEqual(ways("--gpu-path", "shared")["hosts"],
                         ("none: it is an error", "--gpu-path shared is for processes of one host"))
        crowded = self.of_one("--paths", "--pes", "1000", environment={"UCX_RNDV_THRESH": "auto"})["paths"]
        self.assertEqual((crowded["spin"], crowded["left_to_ucx"]), (0, True))

    def test_text(self):
        text = run("info", "--pes", "1", "--device", "emulated")
        self.assertEqual((text.returncode, text.stderr), (0, ""))
        self.assertTrue(text.stdout.startswith("Imbrex "), text.stdout)
        self.assertRegex(text.stdout, r"\n    PE 0: processor \d+, emulated device 0\n$")

    def test_loads_no_network(self):
        libraries = subprocess.run(["ldd", IMBREX], text=True, capture_output=True, timeout=LIMIT).stdout
        self.assertIn("libc.so", libraries)
        self.assertNotIn("libucp", libraries)  # which would take SIGHUP over

    def test_wrong_options(self):
        for options, words in [(["--pes", "no"], "--pes no: "), (["--jsno"], "did you mean --json?"),
                               (["--device", "cudo"], "did you mean cuda?"),
                               (["--devices", "2"], "--devices 2 is"),
                               (["--completion", "sync"], "--completion sync is for runs with devices"),
                               (["--device", "emulated", "--device-model", "x"], "x"),
                               (["--device-map", "here"], "--device-map here: ")]:
            ended = run("info", *options)
            self.assertEqual((ended.returncode, ended.stdout), (2, ""), options)
            self.assertTrue(ended.stderr.startswith("imbrex info: "), ended.stderr)
            self.assertIn(words, ended.stderr)

    def check_job(self, ended, launcher):
        self.assertEqual(ended.returncode, 0, ended.stderr)
        found = json.loads(ended.stdout)
        self.assertEqual(found["launcher"], launcher)
        self.assertEqual([process["rank"] for process in found["processes"]], [0, 1])
        self.assertEqual([[pe["pe"] for pe in process["pes"]] for process in found["processes"]],
                         [[0, 1, 2], [3, 4, 5]])

    def test_job(self):
        self.check_job(run("run", "-n", "2", IMBREX, "info", "--json", "--pes", "3"), "imbrex run")

    def test_foreign_job(self):
        if not MPIRUN:
            self.skipTest("there is no mpirun with PMIx")
        ended = run("info", "--json", "--pes", "3", before=[MPIRUN, "--oversubscribe", "-n", "2"],
                    environment={"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
        self.check_job(ended, "a launcher that serves PMIx")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
