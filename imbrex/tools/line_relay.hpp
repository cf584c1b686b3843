// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <imbrex/base/host/descriptor.hpp>

namespace imbrex::tools {

/// Splits one process's output into whole lines, each with the same prefix.
class line_splitter {
 public:
  /// Longer lines are passed on in pieces, and lines of other processes may come between these. So memory is
  /// bounded, and a process that writes without line ends is not blocked.
  static constexpr std::size_t longest_line = std::size_t{16} << 20;

  explicit line_splitter(std::string prefix) : prefix_(std::move(prefix)) {}

  /// Appends bytes and returns the lines that they complete.
  std::string take(std::string_view bytes);

  /// Returns the last line if it has no line end.
  std::string rest();

 private:
  std::string prefix_;
  std::string partial_;  // the beginning of a line, with its prefix
  bool in_long_line_ = false;
};

/// A descriptor that receives lines of several processes. Bytes that it does not take at once are buffered.
class output {
 public:
  /// The limit of buffered bytes. Above it callers should add nothing, so that the writing processes block,
  /// too.
  static constexpr std::size_t enough = std::size_t{1} << 20;

  explicit output(int descriptor) : descriptor_(descriptor) {}

  /// Adds whole lines; the last may lack its line end. Then the same `writer` may continue it, and bytes of
  /// another writer begin a new line.
  void add(std::string_view lines, const void* writer);

  /// Writes as much as the descriptor takes without blocking.
  void write_some();

  int descriptor() const { return descriptor_; }
  std::size_t waiting() const { return buffer_.size() - written_; }
  /// True after a failed write. Buffered bytes have been dropped.
  bool broken() const { return error_ != 0; }
  /// The errno of the write that failed.
  int error() const { return error_; }

 private:
  int descriptor_;
  std::string buffer_;
  std::size_t written_ = 0;
  bool open_line_ = false;
  const void* last_writer_ = nullptr;
  int error_ = 0;
};

/// Error lines that processes of a job wrote at their start. All processes find the same mistake in their
/// command line, and the user needs only one line about it.
class error_filter {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  /// the longest time between a line and its repetition by another process
  static constexpr std::chrono::seconds longest_distance{2};
  /// Longer lines, and lines beyond this number, are passed on unfiltered.
  static constexpr std::size_t longest_line = 4096;
  static constexpr std::size_t most_kept = 256;

  /// Returns `lines` without whole lines that contain ": error: " and that another writer has just written.
  std::string without_repeated(std::string_view lines, const void* writer, time_point now);

 private:
  struct first {
    const void* writer;
    time_point when;
  };
  std::map<std::string, first, std::less<>> first_;
};

/// The pipe that receives one process's standard output or error.
class line_source {
 public:
  /// `filter`: filters repeated error lines until `pass_all_on`; null for no filter. It must outlive this
  /// object.
  line_source(imbrex::descriptor pipe, output& to, std::string prefix, error_filter* filter = nullptr)
      : pipe_(std::move(pipe)), to_(&to), splitter_(std::move(prefix)), filter_(filter) {}

  /// Moves up to some 64 KiB from the pipe to the output; false if there is nothing now. At the end of the
  /// file it closes the pipe.
  bool move_some();

  void pass_all_on() { filter_ = nullptr; }

  /// Passes on the unfinished line and closes the pipe, so that later writes to it fail.
  void close();

  int descriptor() const { return pipe_.get(); }
  bool open() const { return static_cast<bool>(pipe_); }
  const output& to() const { return *to_; }

 private:
  imbrex::descriptor pipe_;
  output* to_;
  line_splitter splitter_;
  error_filter* filter_;
};

}  // namespace imbrex::tools
