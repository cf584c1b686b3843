#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests scripts/check_instructions.py: usage: check_instructions_test.py NVCC, which may be empty."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_instructions  # noqa: E402

NVCC = sys.argv.pop(1) if len(sys.argv) > 1 else ""

FENCE = """
__global__ void fence(int* p) {
  asm volatile("%s" ::: "memory");
  *p = 1;
}
"""


class CheckInstructions(unittest.TestCase):
    def cubin_of(self, statement):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "fence.cu")
            source.write_text(FENCE % statement)
            subprocess.run([NVCC, "-cubin", "-arch=sm_80", "-o", f"{folder}/fence.cubin", str(source)], check=True,
                           capture_output=True)
            return pathlib.Path(folder, "fence.cubin").read_bytes()

    def test_a_fence_that_the_architecture_has(self):
        if not NVCC:
            self.skipTest("no nvcc")
        self.assertEqual(check_instructions.illegal_instructions(self.cubin_of("fence.acq_rel.gpu;")), [])

    def test_a_fence_that_it_does_not_have(self):
        if not NVCC:
            self.skipTest("no nvcc")
        try:
            cubin = self.cubin_of("fence.acquire.gpu;")
        except subprocess.CalledProcessError:
            self.skipTest("this nvcc refuses it itself")
        self.assertEqual(check_instructions.illegal_instructions(cubin), ["_Z5fencePi"])

    def test_instructions_are_counted(self):
        text = "\n\t\tFunction : publish\n MEMBAR.ALL.GPU ;\n MEMBAR.ALL.GPU ;\n STG.E.STRONG.GPU [R2], R3 ;\n"
        found = check_instructions.complaints(check_instructions.functions(text), 80)
        self.assertIn("publish has 2 of MEMBAR\\.ALL\\.GPU, not 1", found)
        self.assertNotIn("publish has 1 of STG\\.E\\.STRONG\\.GPU, not 1", found)
        self.assertIn("there is no function take", found)
        of_clusters = set(check_instructions.complaints({}, check_instructions.CLUSTERS_FROM))
        self.assertLess(set(check_instructions.complaints({}, 80)), of_clusters)

    def test_a_consistent_fence_is_refused(self):
        text = "\n\t\tFunction : publish\n MEMBAR.SC.GPU ;\n"
        self.assertIn("publish has a sequentially consistent fence",
                      check_instructions.complaints(check_instructions.functions(text), 80))


if __name__ == "__main__":
    unittest.main()
