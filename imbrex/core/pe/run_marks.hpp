// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace imbrex::detail {

/// Distinguishes the proxies of one run of this process from those of other runs, earlier or concurrent. Each
/// run has a mark, which its proxies combine with the places in their collection numbers. Any thread.
class run_marks {
 public:
  /// The ordinal of a new run.
  static std::uint32_t next_run();
  /// Sets the ordinal that the processes of a job have agreed on, at least the largest `next_run` of any of
  /// them. Later runs get larger ordinals.
  static void agree(std::uint32_t ordinal);
  /// The marks of successive runs differ widely, so that a place with one mark is no place with another.
  static std::uint32_t mark_of(std::uint32_t ordinal) { return (ordinal * 0x9e3779b1U) & 0xffff0000U; }

  /// Records that a run has collections up to this place.
  static void note_place(std::uint32_t place);
  /// True if a proxy's place has another run's mark, and is far from all places with this run's mark.
  static bool is_of_another(std::uint32_t in_proxy, std::uint32_t mark);
};

}  // namespace imbrex::detail
