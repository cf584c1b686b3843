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

/// Reads the trace of a run: the files of all its processes. It aligns their clocks, and orders the records
/// of all tracks by time. Records are read ahead: at most 1024 of each track. In all it is half a million, or
/// 64 of each track if that is more. Besides these buffers, memory holds only the names in the files, however
/// long the files are. All buffered records in a window of time are sorted at once. The window ends where a
/// part of a file that is still to be read could precede a record.
class reader {
 public:
  /// Opens FILE and the files of the other processes beside it. Throws `usage_error` if FILE is no trace.
  explicit reader(const std::string& file);

  /// The processes whose files could be read, in the order of their numbers.
  std::span<const std::unique_ptr<file_reader>> files() const { return files_; }
  std::uint32_t processes() const { return processes_; }
  /// Throws `usage_error` if `output`, the value of `option`, is one of these files, by whatever name.
  void refuse_to_overwrite(const std::string& option, const std::string& output) const;
  /// Warnings for the user about files that are missing, damaged or incomplete. Damaged records are included
  /// once they were read.
  std::vector<std::string> warnings() const;
  std::uint64_t records_read() const;

  struct track {
    std::uint32_t file = 0;    ///< index in `files()`
    std::uint32_t number = 0;  ///< `track_number`
  };
  /// All tracks that have records, by process and number.
  std::span<const track> tracks() const { return tracks_; }

  /// Records of one track without a record of another track between them.
  struct piece {
    std::uint32_t track = 0;  ///< index in `tracks()`
    std::span<const record> records;
  };
  /// The next piece, no earlier than all before. At equal times the lower track comes first. The piece is
  /// valid until the next call, and empty at the end. A record costs O(1) in windows with many, and O(log
  /// tracks) at worst.
  piece next();

  /// The time of the first record, if there is any.
  std::uint64_t first_time() const { return first_time_; }
  /// Restricts the order of time to records of these kinds, bit k for kind k; before the first `next`. Other
  /// records keep the order of their track. They come with its next record of these kinds, or at the end of
  /// the window if that is earlier. So pieces are fewer and longer.
  void order_only(std::uint32_t kinds) { ordered_ = kinds; }
  /// The records of track `other` before `now`, which `next` has given from another track. Only those not
  /// given yet; none is of an ordered kind. They count as given.
  piece rest_before(std::uint32_t other, const record& now, std::uint32_t track_of_now);
  /// The number of windows begun. When it increases, all records of earlier windows have been given, ordered
  /// or not.
  std::uint64_t windows() const { return windows_; }
  /// The earliest time in the last window, which is shorter than 2^32 ns.
  std::uint64_t window_start() const { return window_start_; }
  /// Peeks `pieces` pieces ahead in this window: the last record of that piece, or an earlier ordered one.
  /// For prefetching data of the record. Empty if there are fewer pieces.
  piece later(std::size_t pieces) const {
    if (returned_count_ + pieces >= order_.size()) return {};
    const std::uint32_t place = place_of(returned_count_ + pieces);
    return {place >> buffer_bits_, {&buffers_[place], 1}};
  }

 private:
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  struct source {
    file_reader::cursor cursor;
    std::uint32_t at = 0;  // first record after the window
    std::uint32_t filled = 0;
    bool ended = false;  // the buffer holds all remaining records
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
  std::unique_ptr<record[]> buffers_;  // all tracks' buffers, one after the other, each of a power of two
                                       // records
  unsigned buffer_bits_ = 0;
  std::vector<waiting> heap_;           // earliest on top; each has the time of its track's next record
  std::uint64_t window_ = 1U << 16U;    // desired length of the next window, ns
  std::vector<std::uint32_t> visited_;  // positions in the heap of the tracks with records in the window
  std::vector<std::uint32_t> gathered_;
  std::uint32_t ordered_ = ~std::uint32_t{0};
  std::vector<std::uint64_t> order_;    // for each record of the window: time since its start, and position
                                        // in the buffers
  std::vector<std::uint64_t> room_;     // scratch space for sorting
  std::vector<std::uint32_t> to_give_;  // by track: position of the first record not given yet
  std::size_t returned_count_ = 0;      // number of entries of `order_` that were given
  std::uint64_t windows_ = 0;
  std::uint64_t window_start_ = 0;
  std::uint64_t first_time_ = never;
  std::size_t records_of_window_ = 0;
};

}  // namespace imbrex::trace
