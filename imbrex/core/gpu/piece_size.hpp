// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/device/model.hpp>

namespace imbrex::detail {

// The number of pieces for device memory that crosses to another process through host memory. Three pieces
// are in progress at once: one is copied to the host, one is on the wire, one is copied to the device. More
// pieces overlap better, but each piece has its own startup time.

/// A step that each piece passes, one piece at a time: its startup time, and its rate in bytes a second (0:
/// no limit).
struct piece_step {
  nanoseconds start{0};
  std::uint64_t rate = 0;
};

/// The steps by a model: the copy to the host, the wire, the copy to the device, and the PE's work. The model
/// must have links.
std::array<piece_step, 4> piece_steps(const device_model& model);

/// The time of `bytes` bytes in `pieces` pieces, from the begin of the first step to the end of the last.
/// Each step handles one piece at a time.
nanoseconds time_in_pieces(std::size_t bytes, std::size_t pieces, std::span<const piece_step> steps);

/// The fastest number of pieces, from 1 to `most_pieces`.
std::size_t best_pieces(std::size_t bytes, std::span<const piece_step> steps);

inline constexpr std::size_t most_pieces = 64;

/// The size of each piece but the last.
std::size_t piece_bytes(std::size_t bytes, std::size_t pieces);

/// Finds the best number of pieces by trial, without a model. Transfers of similar sizes are sent in 1, 2, 4
/// and more pieces until each number has been measured several times. After that the fastest number is used.
class piece_trials {
 public:
  /// Smaller transfers are not divided: a piece would be no longer than an eager send.
  static constexpr std::size_t shortest_piece = std::size_t{1} << 14U;
  /// The number of measurements for each number of pieces; their median counts.
  static constexpr std::size_t enough = 3;

  /// The number of pieces for the next transfer of this size.
  std::size_t pieces(std::size_t bytes);
  /// Records the time of a transfer of this size in `pieces` pieces.
  void took(std::size_t bytes, std::size_t pieces, nanoseconds time);

 private:
  struct candidate {
    std::size_t pieces = 1;
    std::size_t begun = 0;
    std::vector<double> times{};  ///< ns a byte, sorted
  };
  using candidates = std::vector<candidate>;

  candidates& of_size(std::size_t bytes);

  std::map<int, candidates> sizes_;  ///< key: the bit width of the size
};

}  // namespace imbrex::detail
