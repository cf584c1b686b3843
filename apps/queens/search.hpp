// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/device.hpp>

namespace queens {

struct problem {
  std::uint32_t size = 8;              ///< size of the board: 1 to 16
  std::uint32_t split = 3;             ///< boards with fewer queens become messages
  std::uint32_t pes = 0, threads = 0;  ///< as `imbrex::resident::settings`
  std::uint32_t chares_each = 1;       ///< chares on each PE
};

struct result {
  std::uint64_t solutions = 0;
  std::uint64_t boards = 0;  ///< messages, or boards made by the host
  double seconds = 0;
};

/// Searches by chares inside the device. Throws usage_error for invalid problems.
result search_inside(imbrex::device& on, const problem& p);
/// The host makes all boards with `split` queens, and one kernel searches them.
result search_by_kernel(imbrex::device& on, const problem& p);

}  // namespace queens
