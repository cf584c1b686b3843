// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/trace/file_format.hpp>

namespace imbrex::trace {

/// Writes the file of one process. Each call is one write to the system, so that a killed process's file has
/// everything written so far. One thread at a time.
class file_writer {
 public:
  /// Creates the file, or empties it, unless another run is writing it. Throws `error`, which names the file,
  /// on failure, as do all functions here.
  file_writer(std::string path, const file_header& header);

  /// Writes any number of records of one track, which follow its earlier ones.
  void write(std::uint32_t track, std::span<const record> records);
  void write(const clock_reading& reading);
  /// Writes a name for a number. It holds for the whole file; the last of several names for a number is
  /// valid.
  void write_name(name_table table, std::uint32_t id, std::uint64_t key, std::string_view text);
  /// Marks the end of the run.
  void end();

  std::uint64_t bytes() const { return bytes_; }

 private:
  void write_chunk(chunk_kind kind, std::uint32_t track, std::span<const std::byte> content);
  void write_all(std::span<const std::byte> head, std::span<const std::byte> content);

  std::string path_;
  descriptor file_;
  std::uint64_t bytes_ = 0;
};

}  // namespace imbrex::trace
