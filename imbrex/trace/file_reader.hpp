// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/trace/clock_fit.hpp>
#include <imbrex/trace/clock_line.hpp>
#include <imbrex/trace/file_format.hpp>

namespace imbrex::trace {

/// Where a file stops being a trace, and why. From when that was found what follows is not read; of other
/// tracks some of it may have been read before.
struct damage {
  std::uint64_t byte = 0;
  std::string what;
};

/// Reads the file of one process. Nothing in it is believed before it was looked at: a file may end anywhere,
/// and hold anything. Of the file only the names and some five bytes for each chunk are kept.
class file_reader {
 public:
  /// Goes through the file from chunk to chunk. Throws `usage_error` if it cannot be opened or is no trace.
  explicit file_reader(std::string path);

  const std::string& path() const { return path_; }
  const file_header& header() const { return header_; }
  clock_line& clock() { return clock_; }
  const clock_line& clock() const { return clock_; }

  /// The tracks that have records, in the order in which they first come.
  std::span<const std::uint32_t> tracks() const { return track_numbers_; }
  /// The run has ended, and the file is whole.
  bool ended() const { return ended_; }
  /// Where the file stops being a trace; of records that is known once they have been read.
  const std::optional<trace::damage>& damage() const { return damage_; }
  std::uint64_t records_read() const { return records_read_; }

  /// The name of a number, or nothing.
  std::string_view name(name_table table, std::uint32_t id, std::uint64_t key = 0) const;

  /// Where in the records of a track somebody reads.
  struct cursor {
    std::size_t track = 0;  ///< among `tracks()`
    std::size_t step = 0;
    std::uint64_t chunk = 0;  // where in the file it begins
    std::uint64_t at = 0;
    std::uint64_t until = 0;
    std::uint64_t last_time = 0;
    std::uint64_t last_aligned = 0;
  };
  /// The next records of a track, their times those of process 0; how many, 0 at the end.
  std::size_t read(cursor& from, std::span<record> into);

 private:
  // Positions and sizes of the chunks of a track, as steps of a variable number of bytes.
  struct chunk_list {
    std::vector<std::uint8_t> steps;
    std::uint64_t last = 0;
  };

  void read_header();
  void read_chunks();
  bool take_chunk(std::uint64_t at, const chunk_header& head, std::uint64_t present);
  bool take_names(std::uint64_t at, std::span<const std::byte> content);
  bool take_track(std::uint64_t at, const chunk_header& head, std::uint64_t present);
  std::size_t read_at(std::uint64_t at, std::span<std::byte> into);
  void stop(std::uint64_t byte, std::string what);
  bool next_chunk(cursor& from) const;

  std::string path_;
  descriptor file_;
  std::uint64_t size_ = 0;
  file_header header_;
  std::uint64_t latest_ = latest_time;  ///< that a record can have
  clock_fit clock_readings_;
  clock_line clock_;
  bool ended_ = false;
  std::optional<trace::damage> damage_;
  std::uint64_t records_read_ = 0;
  std::vector<std::uint32_t> track_numbers_;
  std::vector<chunk_list> chunks_;
  std::unordered_map<std::uint32_t, std::size_t> track_places_;
  std::array<std::map<std::pair<std::uint32_t, std::uint64_t>, std::string>, name_tables> names_;
};

}  // namespace imbrex::trace
