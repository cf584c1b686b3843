// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/tools/trace/interval_set.hpp>
#include <imbrex/trace/reader.hpp>

namespace imbrex::tools {

/// The time in which there was a phase of one name, on one PE or on several at once. A report on it counts
/// time by how much of this has passed: so what happens outside takes none.
class phase_time {
 public:
  /// The union of these intervals, in any order.
  explicit phase_time(std::vector<interval> phases);

  /// How much of it has passed at that time. O(log pieces).
  std::uint64_t passed(std::uint64_t time) const;
  /// From a begin on, and before the end. O(log pieces).
  bool contains(std::uint64_t time) const;
  /// Of the pieces.
  std::size_t size() const { return pieces_.size(); }

 private:
  struct piece {
    interval time;
    std::uint64_t before = 0;  ///< what has passed when it begins
  };
  /// The last that begins no later, or null.
  const piece* piece_at(std::uint64_t time) const;

  std::vector<piece> pieces_;
};

/// Reads a trace to its end for the phases of that name. One that has not ended lasts to the end of the
/// run; one that began before the recording is left out. Throws `usage_error`, which names those that there
/// are, if there is none.
phase_time read_phase(trace::reader& in, const std::string& name);

}  // namespace imbrex::tools
