// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/trace/recording.hpp>

namespace imbrex::detail {

/// A finished entry in a block of a kernel that schedules by itself.
struct finished_entry {
  std::uint32_t block = 0;
  std::string_view name;      ///< "cell::token"
  std::uint64_t element = 0;  ///< number of the chare
  nanoseconds begin{0};       ///< clock of the run
  nanoseconds end{0};
};

/// The tracks of such blocks in a trace. Each set of tracks serves one kernel at a time, and is then reused.
/// Any thread.
class block_tracks {
 public:
  static constexpr std::uint32_t most_blocks = 256, most_sets = 256, most_devices = 256;

  explicit block_tracks(trace::recording& into) : recording_(&into) {}

  struct set {
    std::uint32_t device = 0, number = 0;
    bool is_used = true;
    std::vector<trace::track*> tracks;
  };
  /// Takes a free set with tracks for `blocks` blocks; null if there are too many.
  set* take(std::uint32_t device, std::uint32_t blocks);
  void give_back(set& one);
  /// Stops writing: the recording ends.
  void end();

  void add(const set& to, std::span<const finished_entry> entries);
  /// Records that entries of a block were lost.
  void add_lost(const set& to, std::uint32_t block, std::uint64_t entries, nanoseconds now);

 private:
  std::mutex lock_;
  trace::recording* recording_;  ///< null after `end`
  std::vector<std::unique_ptr<set>> sets_;
};

/// Writes the activity of one kernel's blocks into a trace. One thread at a time. It may outlive the trace,
/// and then writes nothing.
class block_recorder {
 public:
  block_recorder(std::shared_ptr<block_tracks> all, block_tracks::set& tracks)
      : all_(std::move(all)), set_(tracks) {}
  block_recorder(const block_recorder&) = delete;
  block_recorder& operator=(const block_recorder&) = delete;
  ~block_recorder() { all_->give_back(set_); }

  /// Adds entries, for each block in the order of time.
  void add(std::span<const finished_entry> entries) { all_->add(set_, entries); }
  void add_lost(std::uint32_t block, std::uint64_t entries, nanoseconds now) {
    all_->add_lost(set_, block, entries, now);
  }

 private:
  std::shared_ptr<block_tracks> all_;
  block_tracks::set& set_;
};

}  // namespace imbrex::detail
