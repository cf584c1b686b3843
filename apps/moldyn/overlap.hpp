// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace moldyn {

/// What lies under what.
enum class overlap : std::uint8_t {
  /// As the paper's program without overlap: all blocks meet before a migration, which ends before halos are
  /// cached, which ends before forces are computed.
  none,
  /// Each pair of cells is worked on when it has come.
  automatic
};

}  // namespace moldyn
