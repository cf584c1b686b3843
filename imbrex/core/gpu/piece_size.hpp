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

// How many pieces memory of a device is cut into that crosses to another process by the memory of hosts: one
// piece is copied to the host while the one before is on the wire and the one before that is copied to the
// other device. More pieces overlap better, and each has a start of its own.

/// A step that each piece takes, one after the other: what it takes to begin, and bytes a second (0: no
/// limit).
struct piece_step {
  nanoseconds start{0};
  std::uint64_t rate = 0;
};

/// What a model says of it: the copy to the host, the wire, the copy to the device, and the PE itself. The
/// model must have links.
std::array<piece_step, 4> piece_steps(const device_model& model);

/// What so many bytes take in so many pieces, from the first step's begin to the last one's end: each step is
/// at one piece at a time.
nanoseconds time_in_pieces(std::size_t bytes, std::size_t pieces, std::span<const piece_step> steps);

/// The number that takes least, of 1 to `most_pieces`.
std::size_t best_pieces(std::size_t bytes, std::span<const piece_step> steps);

inline constexpr std::size_t most_pieces = 64;

/// So many bytes in so many pieces: the size of all but the last.
std::size_t piece_bytes(std::size_t bytes, std::size_t pieces);

/// Finds the best number by trial, where there is no model: transfers of about one size are sent in 1, 2, 4
/// and more pieces until each number has been measured some times; from then on in as many as took least.
class piece_trials {
 public:
  /// Transfers of less are not cut: each piece would be no longer than what networks send at once.
  static constexpr std::size_t shortest_piece = std::size_t{1} << 14U;
  /// So often each number is measured; the one in the middle counts.
  static constexpr std::size_t enough = 3;

  /// For the next transfer of so many bytes.
  std::size_t pieces(std::size_t bytes);
  /// What one of so many bytes has taken in so many pieces.
  void took(std::size_t bytes, std::size_t pieces, nanoseconds time);

 private:
  struct candidate {
    std::size_t pieces = 1;
    std::size_t begun = 0;
    std::vector<double> times{};  ///< ns a byte, sorted
  };
  using candidates = std::vector<candidate>;

  candidates& of_size(std::size_t bytes);

  std::map<int, candidates> sizes_;  ///< by the bits of the sizes
};

}  // namespace imbrex::detail
