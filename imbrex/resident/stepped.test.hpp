// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <imbrex/core/options/options.hpp>

namespace imbrex::resident::test {

/// A machine on which programs inside a GPU go on step by step: the deterministic or the simulated one.
inline options stepped(machine_kind machine, std::optional<std::uint64_t> seed = std::nullopt) {
  options how;
  how.pes = 1;
  how.machine = machine;
  how.device = "emulated";
  how.shuffle = seed;
  if (machine == machine_kind::simulated) how.device_model = "summit";
  return how;
}

}  // namespace imbrex::resident::test
