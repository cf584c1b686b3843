// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace imbrex {

/// Functions by which a tool such as Nsight Systems takes ranges of time with names (NVTX). Any thread may
/// call them, and a range may end on another thread than it began.
struct nvtx_tool {
  std::uint64_t (*start)(const char* name) = nullptr;
  void (*end)(std::uint64_t range) = nullptr;
};

/// The tool whose library NVTX_INJECTION64_PATH names, as its profiler sets that. The library is loaded once
/// in a process and stays. Throws `error` with the reason and the remedy if there is no tool that takes
/// ranges.
const nvtx_tool& loaded_nvtx_tool();

}  // namespace imbrex
