// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/trace/file_writer.hpp>
#include <imbrex/trace/ring.hpp>
#include <imbrex/trace/tick_line.hpp>

namespace imbrex::trace {

class recording;

/// The unit of a track's times until they are written: ns of the clock, or the processor's counter, which is
/// cheaper to read (`base/host/ticks.hpp`).
enum class time_unit : std::uint8_t { ns, ticks };

/// The records of one PE, communication thread or device: a ring, from which the recording's thread writes
/// them to the file. One thread at a time, except for functions marked for any thread.
class track {
 public:
  track(recording& owner, std::uint32_t number, time_unit unit, std::size_t records);

  std::uint32_t number() const { return number_; }
  time_unit unit() const { return unit_; }

  /// True if recording is off and stays off, so that `follow` would change nothing.
  bool is_off() const { return !on_ && !is_enabled_.load(std::memory_order_relaxed); }
  /// Adopts the switch of the recording; `is_on` then returns it. Between items, so that each begin has an
  /// end.
  bool follow(std::uint64_t now) {
    const bool on = is_enabled_.load(std::memory_order_relaxed);
    if (on != on_) [[unlikely]]
      turn(on, now);
    return on;
  }
  bool is_on() const { return on_; }

  /// Appends a record. Times are clamped, so that they never decrease.
  void add(const record& r) {
    last_time_ = std::max(last_time_, r.time);
    record* const slot = lost_ == 0 ? ring_.claim() : nullptr;
    if (slot == nullptr) [[unlikely]]
      return add_to_full({last_time_, r.kind, r.detail, r.entry, r.group, r.a, r.b});
    // Written field by field: so the record is built in place, and never read back from a temporary.
    slot->time = last_time_;
    slot->kind = r.kind;
    slot->detail = r.detail;
    slot->entry = r.entry;
    slot->group = r.group;
    slot->a = r.a;
    slot->b = r.b;
    ring_.publish();
  }

  /// The number of a name among the marks. Takes no lock after the first call with that name.
  std::uint32_t mark_number(std::string_view name);

 private:
  friend recording;

  void turn(bool on, std::uint64_t now);
  void add_to_full(const record& r);

  recording& owner_;
  const std::atomic<bool>& is_enabled_;
  const std::uint32_t number_;
  const time_unit unit_;
  bool on_ = false;
  std::uint64_t last_time_ = 0;
  std::uint64_t lost_ = 0;  ///< records lost since the last one that found room
  std::vector<std::pair<std::string, std::uint32_t>>
      known_marks_;  ///< sorted: mostly few, and often searched
  ring ring_;
  std::uint64_t last_written_ = 0;  // in ns; belongs to the recording's thread
};

/// The settings of a process's recording.
struct recording_settings {
  std::string file;                                ///< file of process 0
  std::size_t ring_bytes = std::size_t{8} << 20U;  ///< for each track
  bool waits = false;  ///< if a ring is full, wait for the disk; else drop records and count them
  bool is_on = true;   ///< at the start
};

/// The trace of one process: its tracks, and the thread that writes their records to the file every few
/// milliseconds. A write error ends the recording, not the run.
class recording {
 public:
  /// Creates the file. Throws `error` on failure.
  recording(const recording_settings& settings, const file_header& header);
  /// Ends the recording; unless `finish` was called, the file records that the run did not end.
  ~recording();
  recording(const recording&) = delete;
  recording& operator=(const recording&) = delete;

  /// Adds a track, which lives as long as the recording. Any thread, as all below.
  track& add_track(std::uint32_t number, time_unit unit = time_unit::ns);
  void name(name_table table, std::uint32_t id, std::uint64_t key, std::string_view text);
  /// The number of a name among the marks.
  std::uint32_t mark_number(std::string_view name);
  /// The number among the entries of an item that is no message; items of equal names share it.
  std::uint16_t entry_number(std::string_view name);
  /// Reserves the numbers below `numbered` for entries that are named by their own numbers.
  void reserve_entries(std::size_t numbered) { entries_ = numbered; }
  void add(const clock_reading& reading);

  /// Switches recording on or off; each track follows before its next item.
  void set_on(bool on) { on_.store(on, std::memory_order_relaxed); }
  bool waits() const { return waits_; }

  /// Writes the remaining records and the end of the file. Called when no track is written to any more.
  void finish();

  struct summary {
    std::uint64_t records = 0;  ///< written records
    std::uint64_t lost = 0;     ///< records lost for want of room
    nanoseconds waited{0};      ///< time that writers of records waited for room
    std::uint64_t bytes = 0;    ///< size of the file
    std::string failure;        ///< reason why the file is incomplete; else empty
  };
  /// Valid after `finish`.
  const summary& result() const { return result_; }

 private:
  friend track;

  void write_from_now_on();
  /// Writes the content of the rings to the file. True if one of them was more than a quarter full.
  bool drain();
  void tell_in_ns(track& whose, std::span<record> records);
  void write(std::uint32_t number, std::span<const record> records);
  void write_names();
  /// Wakes the writing thread, since a ring is full.
  void hurry();
  void count_wait(nanoseconds time) { waited_.fetch_add(time.count(), std::memory_order_relaxed); }
  void lose(std::uint64_t records) { lost_.fetch_add(records, std::memory_order_relaxed); }

  struct name_entry {
    name_table table;
    std::uint32_t id;
    std::uint64_t key;
    std::string text;
  };

  const std::size_t ring_records_;
  const bool waits_;
  std::atomic<bool> on_;
  std::atomic<std::uint64_t> lost_ = 0;
  std::atomic<std::int64_t> waited_ = 0;  // ns
  std::atomic<bool> hurries_ = false;
  file_writer file_;  // belongs to the thread, then to `finish`
  summary result_;    // belongs to the thread, then to `finish`
  tick_line ticks_;   // belongs to the thread, then to `finish`
  std::size_t entries_ = 0;

  std::mutex lock_;  // guards the following members
  std::vector<std::unique_ptr<track>> tracks_;
  std::vector<name_entry> names_;
  std::unordered_map<std::string, std::uint32_t> marks_;
  std::unordered_map<std::string, std::uint16_t> other_entries_;
  std::vector<clock_reading> readings_;
  bool ending_ = false;
  std::condition_variable end_;
  std::thread writer_;
};

}  // namespace imbrex::trace
