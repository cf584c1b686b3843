// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace imbrex {

/// A number for the build of the executable or shared library that holds this function: by the linker's build
/// id, or by the code and the constants where the linker made none. Equal for copies of one file, on any
/// host; different, as good as surely, as soon as anything was compiled otherwise. 0 if nothing that was
/// loaded holds it.
std::uint64_t build_of(const void* function);

}  // namespace imbrex
