// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/device/device.hpp>

namespace jacobi2d {

/// How the sweeps are run.
enum class variant {
  sweeps,    ///< a kernel each, which the host sends
  loop,      ///< one kernel whose blocks wait for each other
  resident,  ///< chares inside the GPU
};

struct problem {
  int rows = 1024, width = 1024;  ///< the width a multiple of 4
  int sweeps = 100;
  int blocks_each = 1;                 ///< of each PE, where they are resident
  std::uint32_t pes = 0, threads = 0;  ///< as `imbrex::resident::settings`
};

/// What came out: the grid's rows, and how long all sweeps took.
struct solution {
  std::vector<float> cells;
  double seconds = 0;
  int blocks = 0;
};

/// The cells at the begin.
std::vector<float> begin_of(const problem& p);
/// By a plain loop of the host.
std::vector<float> expected(const problem& p);
/// Throws usage_error for a problem that cannot be, device_error if the device cannot run it.
solution solve(imbrex::device& on, const problem& p, variant how);

}  // namespace jacobi2d
