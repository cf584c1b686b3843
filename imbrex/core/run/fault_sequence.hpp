// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>

#include <imbrex/core/options/faults.hpp>

namespace imbrex::detail {

/// The faults of a run, one after the other.
class fault_sequence {
 public:
  explicit fault_sequence(const fault_settings& settings);

  /// The next fault, on one of `pes` PEs; empty after the last one. Throws usage_error if it names another
  /// PE.
  std::optional<fault> next(int pes);

 private:
  std::uint64_t draw(std::uint64_t below);
  nanoseconds distance(nanoseconds mean);

  const fault_settings& settings_;
  std::size_t listed_ = 0;
  std::mt19937_64 chance_;
  machine_moment last_{};
};

}  // namespace imbrex::detail
