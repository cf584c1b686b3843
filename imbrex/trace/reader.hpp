// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <imbrex/trace/file_reader.hpp>

namespace imbrex::trace {

/// Reads the trace of a run: the files of all its processes, their clocks aligned, and the records of all
/// tracks in the order of time. They are read ahead, at most 1024 of each track, and half a million of all or
/// 64 of each, whichever is more: that, and the files' names, is the memory it needs, however long the files
/// are. Of what was read ahead, it sorts at once what lies in a window of time: the records that no later
/// part of a file can precede.
class reader {
 public:
  /// Opens FILE and the files of the other processes beside it. Throws `usage_error` if FILE is no trace.
  explicit reader(const std::string& file);

  /// The processes whose files could be read, in the order of their numbers.
  std::span<const std::unique_ptr<file_reader>> files() const { return files_; }
  std::uint32_t processes() const { return processes_; }
  /// Throws `usage_error` if `output`, the value of `option`, is one of these files, by whatever name.
  void refuse_to_overwrite(const std::string& option, const std::string& output) const;
  /// What the user should know: files that are missing, damaged or not ended. Of damaged records once they
  /// were read.
  std::vector<std::string> warnings() const;
  std::uint64_t records_read() const;

  struct track {
    std::uint32_t file = 0;    ///< among `files()`
    std::uint32_t number = 0;  ///< `track_number`
  };
  /// All tracks that have records, by process and number.
  std::span<const track> tracks() const { return tracks_; }

  /// Some records of one track: none of another track lies between them.
  struct piece {
    std::uint32_t track = 0;  ///< among `tracks()`
    std::span<const record> records;
  };
  /// The next ones, no earlier than all before; of records at the same time those of the lower track come
  /// first. They are there until the next call; none are left if there are none. A record costs O(1) in
  /// windows of many, and O(log tracks) at the worst.
  piece next();

  /// The time of the first record, if there is any.
  std::uint64_t first_time() const { return first_time_; }
  /// From now on only records of these kinds come in the order of time, bit k for those of kind k. Others
  /// keep the order of their track, and come together with its next record of these kinds, or at the end of
  /// the window if that comes first. So pieces are fewer and longer. To be called before the first `next`.
  void order_only(std::uint32_t kinds) { ordered_ = kinds; }
  /// Those of `other` that are before `now`, the record of another track that `next` has given, and have not
  /// been given yet; as none of them is of an ordered kind. They count as given.
  piece rest_before(std::uint32_t other, const record& now, std::uint32_t track_of_now);
  /// How many windows have begun: when it increases, all records of those before have been given, ordered or
  /// not.
  std::uint64_t windows() const { return windows_; }
  /// The earliest time in the last one; it ends less than 2^32 ns later.
  std::uint64_t window_start() const { return window_start_; }
  /// The last record of the piece that comes so many later, or an earlier ordered one, if it is of this
  /// window; to fetch into the cache what belongs to it.
  piece later(std::size_t pieces) const {
    if (given_ + pieces >= order_.size()) return {};
    const std::uint32_t place = place_of(given_ + pieces);
    return {place >> buffer_bits_, {&buffers_[place], 1}};
  }

 private:
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  struct source {
    file_reader::cursor cursor;
    std::uint32_t at = 0;  // what comes after the window
    std::uint32_t filled = 0;
    bool ended = false;  // what is in the buffer is all that there still is
  };
  struct waiting {
    std::uint64_t time;
    std::uint32_t track;
    bool before(const waiting& other) const {
      return time < other.time || (time == other.time && track < other.track);
    }
  };

  void open_others(const std::string& file);
  void align_by_wall_clock();
  void find_tracks();
  std::uint32_t first_place(std::uint32_t track) const { return track << buffer_bits_; }
  record* buffer_of(std::uint32_t track) const { return &buffers_[std::size_t{track} << buffer_bits_]; }
  void refill(std::uint32_t track);
  std::uint64_t time_of_next(std::uint32_t track) const;
  void sift_down(std::size_t from);
  bool open_window();
  void close_window();
  waiting visit_tracks(std::uint64_t until);
  void gather(waiting horizon);
  void adapt_window(std::uint64_t length);
  std::uint32_t place_of(std::size_t k) const { return static_cast<std::uint32_t>(order_[k]); }
  void fetch_ahead() const;

  std::vector<std::unique_ptr<file_reader>> files_;
  std::uint32_t processes_ = 1;
  std::vector<std::string> warnings_;
  std::vector<track> tracks_;
  std::vector<source> sources_;
  std::unique_ptr<record[]> buffers_;  // of all tracks, one after the other, each of a power of two
  unsigned buffer_bits_ = 0;
  std::vector<waiting> heap_;           // the earliest on top; each knows the time of its track's next record
  std::uint64_t window_ = 1U << 16U;    // how long the next one should be
  std::vector<std::uint32_t> visited_;  // places in the heap of the tracks that the window has records of
  std::vector<std::uint32_t> gathered_;
  std::uint32_t ordered_ = ~std::uint32_t{0};
  std::vector<std::uint64_t> order_;    // of the window: times since its start, and places in the buffers
  std::vector<std::uint64_t> room_;     // for sorting it
  std::vector<std::uint32_t> to_give_;  // of each track, the place of its first record that was not given yet
  std::size_t given_ = 0;               // of the order
  std::uint64_t windows_ = 0;
  std::uint64_t window_start_ = 0;
  std::uint64_t first_time_ = never;
  std::size_t records_of_window_ = 0;
};

}  // namespace imbrex::trace
