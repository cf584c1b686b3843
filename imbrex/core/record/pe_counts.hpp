// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <imbrex/base/clock.hpp>

namespace imbrex::detail {

/// The cause of the end of an idle time of a PE.
enum class idle_cause : std::uint8_t {
  message,  ///< a message arrived from another PE
  device,   ///< the device had completed work
  other,    ///< a timer, the end of the run
};
inline constexpr std::size_t idle_causes = 3;

/// Counters of a PE's activity, for `--stats`. Its thread writes, any thread reads.
class pe_counts {
 public:
  /// A counter with one writing thread, and any number of readers. Relaxed: it orders no other data.
  class number {
   public:
    void add(std::uint64_t more) { value_.store(get() + more, std::memory_order_relaxed); }
    std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

   private:
    std::atomic<std::uint64_t> value_ = 0;
  };

  number items;
  number busy;                           ///< ns
  std::array<number, idle_causes> idle;  ///< ns, by cause
  number messages;
  number bytes;
  number to_other_pes;
  number to_other_processes;
  number migrations;  ///< elements that left the PE
  number stays;       ///< elements that stayed though other code had requested their migration

  /// Begins an item. If the PE was idle, `why` is the cause of the idle time's end.
  void begin(nanoseconds now, idle_cause why) {
    idle[static_cast<std::size_t>(why)].add(static_cast<std::uint64_t>((now - since_.value_or(now)).count()));
    since_ = now;
    items.add(1);
    runs_since.store(now.count(), std::memory_order_relaxed);
  }
  void end(nanoseconds now) {
    busy.add(static_cast<std::uint64_t>((now - *since_).count()));
    since_ = now;
    runs_since.store(nothing_runs, std::memory_order_relaxed);
  }

  static constexpr std::int64_t nothing_runs = -1;
  std::atomic<std::int64_t> runs_since = nothing_runs;  ///< ns, begin of the running item

 private:
  std::optional<nanoseconds> since_;  ///< end of the last item, or begin of the running one; its thread only
};

}  // namespace imbrex::detail
