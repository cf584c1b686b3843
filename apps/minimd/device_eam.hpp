// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <imbrex/gpu.hpp>

#include "apps/minimd/device_array.hpp"
#include "apps/minimd/device_layout.hpp"
#include "apps/minimd/eam.hpp"
#include "apps/minimd/problem.hpp"

namespace minimd {

/// What a block of embedded atoms has in its PE's device beside others: the potential's splines, and what
/// becomes of the densities.
struct device_eam {
  /// The splines are copied in the order of that stream. Throws imbrex::error as `eam_potential::of` does.
  device_eam(const problem& what, imbrex::stream& to_device);

  eam_constants constants{};
  device_array<double> embedding, density, pair;  ///< cubics
  device_array<double> slopes;                    ///< of the embedding energies: of own atoms, then of copies
  device_array<double> energies;                  ///< of embedding, of own atoms

  void resize(std::size_t own, std::size_t copies);
};

}  // namespace minimd
