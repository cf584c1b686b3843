#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Chares inside the GPUs of several processes."""
import os
import unittest.mock

import jobs
from jobs import LIMIT, Job


class ResidentGpus(Job):
    """Chares inside the GPUs of all processes."""

    def start_worker(self, mode, processes):
        device = os.environ.get("IMBREX_TEST_RESIDENT_DEVICE", "emulated")
        job = self.start(processes, os.environ["IMBREX_TEST_RESIDENT_WORKER"], mode,
                         options=("--device", device, "--pes", 1))
        return job, self.started(job, processes)

    def check_mode(self, mode, processes):
        job, _ = self.start_worker(mode, processes)
        self.finish(job, LIMIT)
        self.assertEqual((job.returncode, self.err()), (0, ""), self.out())
        self.assertIn("done: 0 wrong", self.out())
        self.check_nothing_left()

    def test_go_across(self):
        for processes in (1, 2, 3):
            with self.subTest(processes=processes):
                self.check_mode("all", processes)

    def test_another_program(self):
        for processes in (2, 3):
            with self.subTest(processes=processes):
                self.check_mode("other", processes)

    def test_slow(self):
        self.check_mode("slow", 2)

    def test_fails(self):
        for processes in (2, 3):
            with self.subTest(processes=processes):
                self.check_mode("fails", processes)

    def test_killed(self):
        for processes, victim in ((2, 0), (2, 1), (3, 2)):
            with self.subTest(processes=processes, victim=victim):
                job, pids = self.start_worker("ring", processes)
                self.wait_for(job, "at work", processes)
                self.kill(job, pids, victim)


class ResidentHeaps(ResidentGpus):
    """The methods by which the GPUs of processes map each other's memory, by stand-ins for CUDA and NVSHMEM."""

    test_go_across = test_another_program = test_slow = test_fails = test_killed = None

    def setUp(self):
        super().setUp()
        self.set_in_environment({"NVSHMEM_HOME": os.environ["IMBREX_TEST_NVSHMEM"], "IMBREX_TEST_NVSHMEM_SAYS": "1",
                                 "IMBREX_TEST_RESIDENT_HEAP": "nvshmem"})

    def set_in_environment(self, variables):
        change = unittest.mock.patch.dict(os.environ, variables)
        change.start()
        self.addCleanup(change.stop)

    def failure(self, processes):
        job, _ = self.start_worker("heaps", processes)
        self.finish(job, LIMIT)
        self.assertNotEqual(job.returncode, 0)
        self.check_nothing_left()
        return self.err()

    def test_come_and_go(self):
        for processes in (2, 3):
            with self.subTest(processes=processes):
                self.check_mode("heaps", processes)
                for p in range(processes):
                    self.assertIn(f"NVSHMEM ended in process {p}", self.out())

    def test_two_processes_on_one_gpu(self):
        self.set_in_environment({"IMBREX_TEST_STAND_IN_DEVICES": "1"})
        self.assertIn("processes 0 and 1 both have the GPU at 0000:00:00.0 for a symmetric heap", self.failure(2))

    def test_without_nvshmem(self):
        self.set_in_environment({"NVSHMEM_HOME": "/nowhere"})
        said = self.failure(2)
        self.assertIn("a symmetric heap needs NVSHMEM, since it is requested, and process 0 has none: NVSHMEM does not "
                      "load: ", said)
        self.assertIn("install PyPI's nvidia-nvshmem-cu13, and have NVSHMEM_HOME name the folder nvidia/nvshmem", said)

    def test_on_emulated_gpus(self):
        self.set_in_environment({"IMBREX_TEST_RESIDENT_DEVICE": "emulated"})
        self.assertIn("NVSHMEM has memory of CUDA's devices, and not of emulated device 0", self.failure(2))


if __name__ == "__main__":
    jobs.main()
