// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <utility>

#include <imbrex/core/options/options.hpp>
#include <imbrex/core/run/run.hpp>

namespace imbrex::resident::test {

/// Options of a machine on which programs inside a GPU run step by step: the deterministic or the simulated
/// one.
inline options stepped(machine_kind machine, std::optional<std::uint64_t> seed = std::nullopt) {
  options how;
  how.pes = 1;
  how.machine = machine;
  how.device = "emulated";
  (machine == machine_kind::deterministic ? how.seed : how.shuffle) = seed;
  if (machine == machine_kind::simulated) how.device_model = "summit";
  return how;
}

/// Runs a task that returns 0, and expects that value. If an exception ends the task, the rest is not tested.
template <class Main>
void run_whole(const options& how, Main main) {
  EXPECT_EQ(run(how, std::move(main)), 0) << "the error is on the standard error output";
}

}  // namespace imbrex::resident::test
