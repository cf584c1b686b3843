// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace imbrex::mpi {

/// What copies call instead of a function of the C library, or of the compiler's, that keeps state of the
/// process: the same with state of the copy that runs. Null for the others, which is most of them.
const void* function_of_copies(std::string_view name);

}  // namespace imbrex::mpi
