// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstdint>

namespace imbrex::mpi {

inline std::uint64_t page_size() {
  static const auto size = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

/// The begin of the page of an address.
inline std::uint64_t page_begin(std::uint64_t address) { return address & ~(page_size() - 1); }
/// The end of the pages that end with the byte before an address.
inline std::uint64_t page_end(std::uint64_t address) { return page_begin(address + page_size() - 1); }

}  // namespace imbrex::mpi
