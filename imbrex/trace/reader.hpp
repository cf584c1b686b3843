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

/// Reads the trace of a run: the files of all its processes, their clocks aligned, and the records of all tracks in the
/// order of time. Needs memory for a hundred or so records of each track and for the files' names, however long they are.
class reader {
 public:
  /// Opens FILE and the files of the other processes beside it. Throws `usage_error` if FILE is no trace.
  explicit reader(const std::string& file);

  /// The processes whose files could be read, in the order of their numbers.
  std::span<const std::unique_ptr<file_reader>> files() const { return files_; }
  std::uint32_t processes() const { return processes_; }
  /// What the user should know: files that are missing, damaged or not ended. Of damaged records once they were read.
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
  /// The next ones, no earlier than all before; of records at the same time those of the lower track come first.
  /// They are there until the next call; none are left if there are none. O(log tracks) a call.
  piece next();

 private:
  struct source {
    file_reader::cursor cursor;
    std::vector<record> buffer;
    std::size_t at = 0;
    std::size_t filled = 0;
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
  bool refill(std::uint32_t track);
  void sift_down(std::size_t from);

  std::vector<std::unique_ptr<file_reader>> files_;
  std::uint32_t processes_ = 1;
  std::vector<std::string> warnings_;
  std::vector<track> tracks_;
  std::vector<source> sources_;
  std::size_t buffer_records_ = 0;
  std::vector<waiting> heap_;  // the earliest on top; each knows the time of its track's next record
  std::uint32_t given_ = 0;    // whose records were given last, and how many
  std::size_t given_records_ = 0;
};

}  // namespace imbrex::trace
