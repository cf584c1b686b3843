// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <imbrex/gpu.hpp>

#include "apps/minimd/device_array.hpp"
#include "apps/minimd/device_layout.hpp"
#include "apps/minimd/eam.hpp"
#include "apps/minimd/problem.hpp"

namespace minimd {

/// Device memory of a block with embedded-atom forces, in addition to device_store: the potential's splines,
/// and slopes and energies.
struct device_eam {
  /// Copies the splines in `to_device`. Throws imbrex::error as `eam_potential::of` does.
  device_eam(const problem& what, imbrex::stream& to_device);

  eam_constants constants{};
  device_array<double> embedding, density, pair;  ///< cubics
  device_array<double> slopes;                    ///< slopes of the embedding energy: own atoms, then copies
  device_array<double> energies;                  ///< embedding energies of own atoms

  void resize(std::size_t own, std::size_t copies);
};

}  // namespace minimd
