// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace imbrex {

/// A number for the build of the executable or shared library that contains this function. It is computed
/// from the linker's build id, or from the code and the constants if there is none. Equal for copies of one
/// file, on any host. Almost certainly different after any change of the compiled code. 0 if no loaded file
/// contains the function.
std::uint64_t build_of(const void* function);

}  // namespace imbrex
