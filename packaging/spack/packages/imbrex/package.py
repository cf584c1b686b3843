# SPDX-License-Identifier: Apache-2.0
"""The recipe of Spack; `spack dev-build imbrex@0.1.0` builds the tree that it lies in."""
from spack.package import *


class Imbrex(CMakePackage):
    """A runtime of chares: objects that talk by asynchronous messages, on CPUs, GPUs and between processes."""

    license("Apache-2.0")

    version("0.1.0")

    variant("cuda", default=False, description="Compile kernels for NVIDIA's GPUs")
    variant("mpi", default=True, description="Run programs of MPI, with a chare for each rank")
    variant("tools", default=True, description="Build the command imbrex")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("python@3.11:", type="build")
    depends_on("hwloc@2.1:")
    depends_on("ucx@1.13:")
    depends_on("pmix@4:")
    depends_on("tomlplusplus", type="build")
    depends_on("xxhash@0.8:", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("fmt", type="build")
    depends_on("metis@5:~int64")
    depends_on("zstd", type="run")
    depends_on("hdf5@1.10:", type="run")
    depends_on("boost@1.74:+context+container", when="+mpi")
    depends_on("cuda@12:", when="+cuda")

    conflicts("%gcc@:12", msg="g++ 12 miscompiles coroutines: take g++ 13 or clang 16")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define_from_variant("IMBREX_CUDA", "cuda"),
            self.define_from_variant("IMBREX_BUILD_MPI", "mpi"),
            self.define_from_variant("IMBREX_BUILD_TOOLS", "tools"),
            self.define("IMBREX_BUILD_TESTS", False),
            self.define("IMBREX_BUILD_BENCH", False),
            self.define("IMBREX_BUILD_PYTHON", False),
        ]
