// SPDX-License-Identifier: Apache-2.0
// CMake defines the macros, for this file only: see CMakeLists.txt.
#include <imbrex/tools/built_with.hpp>

namespace imbrex::tools {

const built_with& this_build() {
  static constexpr built_with build{.version = IMBREX_VERSION,
                                    .commit = IMBREX_COMMIT,
                                    .compiler = IMBREX_COMPILER,
                                    .build_type = IMBREX_BUILD_TYPE,
                                    .ucx = IMBREX_UCX,
                                    .pmix = IMBREX_PMIX,
                                    .mpi = IMBREX_MPI,
                                    .cuda = IMBREX_CUDA,
                                    .otf2 = IMBREX_OTF2};
  return build;
}

}  // namespace imbrex::tools
