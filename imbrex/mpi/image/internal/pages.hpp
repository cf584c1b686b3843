// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstdint>

namespace imbrex::mpi {

inline std::uint64_t page_size() {
  static const auto size = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

/// Begin of the page that contains an address.
inline std::uint64_t page_begin(std::uint64_t address) { return address & ~(page_size() - 1); }
/// Address rounded up to the begin of a page.
inline std::uint64_t page_end(std::uint64_t address) { return page_begin(address + page_size() - 1); }

}  // namespace imbrex::mpi
