// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace moldyn {

/// The overlap of a cycle's parts.
enum class overlap : std::uint8_t {
  /// As the paper's program without overlap: all blocks synchronise before a migration. It ends before halos
  /// are cached, which ends before forces are computed.
  none,
  /// Each pair of cells is processed as soon as it is available.
  automatic
};

}  // namespace moldyn
