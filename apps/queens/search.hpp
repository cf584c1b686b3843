// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/device/device.hpp>

namespace queens {

struct problem {
  std::uint32_t size = 8;              ///< of the board: 1 to 16
  std::uint32_t split = 3;             ///< boards with fewer queens become messages, or are made by the host
  std::uint32_t pes = 0, threads = 0;  ///< as `imbrex::resident::settings`
  std::uint32_t chares_each = 1;       ///< of each PE
};

struct result {
  std::uint64_t solutions = 0;
  std::uint64_t boards = 0;  ///< messages, or boards that the host has made
  double seconds = 0;
};

/// By chares inside the device. Throws usage_error for a problem that cannot be.
result search_inside(imbrex::device& on, const problem& p);
/// The host makes all boards with some queens more and has one kernel search them.
result search_by_kernel(imbrex::device& on, const problem& p);

}  // namespace queens
