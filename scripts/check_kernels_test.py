#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_kernels.py itself: a sound kernel passes, each kind of fault is found; where there is nvcc, in real
kernels, too.

usage: check_kernels_test.py [NVCC]
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

from check_kernels import ARCHITECTURES, SKIPPED, compile_file, complaints, main, readable, usages

NVCC = sys.argv.pop(1) if len(sys.argv) > 1 else ""

SYMBOL = "_ZN6imbrex4test55_GLOBAL__N__df70fb2f_22_native_kernels_test_cu_8ddc308210add_kernelEPKiPiii"
SAID = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '{symbol}' for 'sm_90'
ptxas info    : Function properties for {symbol}
    {stack} bytes stack frame, {stores} bytes spill stores, {loads} bytes spill loads
ptxas info    : Used {registers} registers, used 1 barriers, {shared} bytes smem
ptxas info    : Compile time = 3.440 ms
"""

# Forty numbers that are alive at once, in 32 registers, and a kernel of many registers that spills none.
SPILLING = """
template <int Count> __device__ void rotate_by_seven(double* of, int pitch) {
  double kept[Count];
#pragma unroll
  for (int i = 0; i < Count; ++i) kept[i] = of[i * pitch + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < Count; ++i) of[(i * 7 % Count) * pitch + threadIdx.x] = kept[i];
}
namespace {
__global__ __launch_bounds__(1024, 2) void spilling(double* of, int pitch) { rotate_by_seven<40>(of, pitch); }
}
__global__ __launch_bounds__(256, 1) void large(double* of, int pitch) { rotate_by_seven<40>(of, pitch); }
void launch(double* of) { spilling<<<1, 1024>>>(of, 1024); }
"""


def said(**different):
    sound = dict(symbol=SYMBOL, registers=10, shared=0, stack=0, stores=0, loads=0)
    return SAID.format(**sound | different)


class CheckKernels(unittest.TestCase):
    BOUNDS = {"imbrex::test::add_kernel": 16}

    def found(self, text):
        return "\n".join(complaints(usages(text), self.BOUNDS))

    def test_sound_kernel(self):
        self.assertEqual(self.found(said(registers=16)), "")

    def test_numbers(self):
        use, = usages(said(registers=12, shared=512, stack=8, stores=16, loads=24))
        self.assertEqual((use.registers, use.shared, use.stack, use.spill_stores, use.spill_loads),
                         (12, 512, 8, 16, 24))

    def test_spill(self):
        self.assertEqual(self.found(said(stores=8)),
                         "imbrex::test::add_kernel spills: 8 bytes are stored, 0 loaded")
        self.assertEqual(self.found(said(loads=4)),
                         "imbrex::test::add_kernel spills: 0 bytes are stored, 4 loaded")

    def test_too_many_registers(self):
        self.assertEqual(self.found(said(registers=17)),
                         "imbrex::test::add_kernel uses 17 registers, more than 16")

    def test_too_much_stack(self):
        self.assertEqual(self.found(said(stack=16)), "")
        self.assertEqual(self.found(said(stack=24)),
                         "imbrex::test::add_kernel has 24 bytes of stack, more than 16")

    def test_kernel_without_bound(self):
        self.assertIn("other uses 10 registers: state a bound", self.found(said(symbol="_Z5otherPi")))

    def test_kernel_of_a_library(self):
        self.assertEqual(self.found(said(symbol="_ZN3cub6detail11EmptyKernelEv", registers=90, stores=8)), "")

    def test_second_of_two_kernels(self):
        self.assertIn("17 registers", self.found(said() + said(symbol=SYMBOL + "x", registers=17)))

    def test_spill_of_a_called_function(self):
        called = (said().split("ptxas info    : Used")[0] +
                  "ptxas info    : Function properties for _Z6calledd\n"
                  "    16 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
                  "ptxas info    : Used 10 registers, used 0 barriers\n")
        self.assertEqual(self.found(called), "called spills: 4 bytes are stored, 4 loaded")

    def test_silence(self):
        silent = said().split("ptxas info    : Function")[0]
        self.assertEqual(self.found(silent),
                         "imbrex::test::add_kernel: ptxas did not say how many registers it uses")

    def test_readable_names(self):
        self.assertEqual(readable(SYMBOL), "imbrex::test::add_kernel")
        self.assertEqual(readable("_ZN1a8spillingILi40EEEvPdi"), "a::spilling")
        self.assertEqual(readable("_Z3addP6matrix"), "add")
        self.assertEqual(readable("plain_c"), "plain_c")

    def test_no_compiler(self):
        self.assertEqual(main("", "."), SKIPPED)


@unittest.skipIf(not NVCC or NVCC.endswith("NOTFOUND"), "no CUDA compiler was found")
class CheckRealKernels(unittest.TestCase):
    def compiled(self, architecture, text):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "kernels.cu")
            file.write_text(text)
            return usages(compile_file(NVCC, [], architecture, file, f"{folder}/kernels.cubin"))

    def test_spill_and_registers(self):
        for architecture in ARCHITECTURES:
            with self.subTest(architecture):
                found = self.compiled(architecture, SPILLING)
                wrong = "\n".join(complaints(found, {"spilling": 32, "large": 64}))
                self.assertRegex(wrong, r"spilling spills: [1-9]")
                self.assertRegex(wrong, r"spilling has [1-9][0-9]* bytes of stack, more than 16")
                self.assertRegex(wrong, r"large uses [0-9]+ registers, more than 64")
                self.assertEqual(wrong.count("\n"), 2)
                allowed = complaints(found, {"spilling": 32, "large": 64}, stack=1 << 20)
                self.assertFalse([complaint for complaint in allowed if "stack" in complaint])

    def test_error(self):
        with self.assertRaises(subprocess.CalledProcessError) as caught:
            self.compiled(ARCHITECTURES[0], "__global__ int kernel() {}\n")
        self.assertIn("error", caught.exception.stdout)


if __name__ == "__main__":
    unittest.main()
