// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/tools/trace/interval_set.hpp>
#include <imbrex/trace/reader.hpp>

namespace imbrex::tools {

/// The time covered by phases of one name, on any PE. A report on a phase measures all times within it, so
/// events outside take no time.
class phase_time {
 public:
  /// The union of these intervals, in any order.
  explicit phase_time(std::vector<interval> phases);

  /// The covered time up to `time`. O(log pieces).
  std::uint64_t passed(std::uint64_t time) const;
  /// True from a begin on, and before the end. O(log pieces).
  bool contains(std::uint64_t time) const;
  /// The number of pieces.
  std::size_t size() const { return pieces_.size(); }

 private:
  struct piece {
    interval time;
    std::uint64_t before = 0;  ///< covered time before this piece
  };
  /// The last piece that begins at `time` or earlier; null if there is none.
  const piece* piece_at(std::uint64_t time) const;

  std::vector<piece> pieces_;
};

/// Reads a trace to its end for the phases of that name. An open phase lasts to the end of the run; one that
/// began before the recording is omitted. Throws `usage_error` listing the existing names if there is none.
phase_time read_phase(trace::reader& in, const std::string& name);

}  // namespace imbrex::tools
