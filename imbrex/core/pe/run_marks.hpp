// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace imbrex::detail {

/// What sets the proxies of one run of this process apart from those of others, earlier or at the same time:
/// each run has a mark, with which its proxies hold the places in the numbers of their collections. Any
/// thread.
class run_marks {
 public:
  /// The ordinal of a run that begins.
  static std::uint32_t next_run();
  /// What the processes of a job have agreed on, no less than what `next_run` gave to any: later runs come
  /// after it.
  static void agree(std::uint32_t ordinal);
  /// Far apart for runs that are near each other, so that places with one are none with another.
  static std::uint32_t mark_of(std::uint32_t ordinal) { return (ordinal * 0x9e3779b1U) & 0xffff0000U; }

  /// A run has collections up to that place.
  static void note_place(std::uint32_t place);
  /// True if a proxy holds a place with another run's mark, and far from all places with this one.
  static bool is_of_another(std::uint32_t in_proxy, std::uint32_t mark);
};

}  // namespace imbrex::detail
