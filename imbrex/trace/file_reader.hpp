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

/// The position from which a file is not a valid trace, and the reason. Once found, nothing behind it is
/// read; records of other tracks behind it may have been read before.
struct damage {
  std::uint64_t byte = 0;
  std::string what;
};

/// Reads the file of one process, and checks everything in it before use: a file may end anywhere and contain
/// anything. In memory stay only the names and about five bytes for each chunk.
class file_reader {
 public:
  /// Scans all chunks of the file. Throws `usage_error` if it cannot be opened or is no trace.
  explicit file_reader(std::string path);

  const std::string& path() const { return path_; }
  const file_header& header() const { return header_; }
  clock_line& clock() { return clock_; }
  const clock_line& clock() const { return clock_; }

  /// The tracks that have records, in the order of their first chunks.
  std::span<const std::uint32_t> tracks() const { return track_numbers_; }
  /// True if the run has ended and the file is complete.
  bool ended() const { return ended_; }
  /// The damage of the file, if any; in records, it is found when they are read.
  const std::optional<trace::damage>& damage() const { return damage_; }
  std::uint64_t records_read() const { return records_read_; }

  /// The name of `id`; empty if there is none.
  std::string_view name(name_table table, std::uint32_t id, std::uint64_t key = 0) const;

  /// A position in the records of a track.
  struct cursor {
    std::size_t track = 0;  ///< index in `tracks()`
    std::size_t step = 0;
    std::uint64_t chunk = 0;  // position of the chunk in the file
    std::uint64_t at = 0;
    std::uint64_t until = 0;
    std::uint64_t last_time = 0;
    std::uint64_t last_aligned = 0;
  };
  /// Reads the next records of a track and aligns their times with process 0's clock. Returns their number, 0
  /// at the end.
  std::size_t read(cursor& from, std::span<record> into);

 private:
  // Positions and sizes of a track's chunks, as differences of variable length.
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
  std::uint64_t latest_ = latest_time;  ///< latest time that a record can have
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
