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

/// Cuts what one process writes into whole lines, each with the same prefix.
class line_splitter {
 public:
  /// A longer line is passed on in pieces, between which lines of others may come: memory is bounded, and a
  /// process that writes without line ends goes on.
  static constexpr std::size_t longest_line = std::size_t{16} << 20;

  explicit line_splitter(std::string prefix) : prefix_(std::move(prefix)) {}

  /// The lines that these bytes complete.
  std::string take(std::string_view bytes);

  /// The last line if it has no end.
  std::string rest();

 private:
  std::string prefix_;
  std::string partial_;  // the beginning of a line, with its prefix
  bool in_long_line_ = false;
};

/// A descriptor that lines of several processes go to; what it does not take at once waits in memory.
class output {
 public:
  /// Where more waits, nothing should be added: whoever writes has to wait, too.
  static constexpr std::size_t enough = std::size_t{1} << 20;

  explicit output(int descriptor) : descriptor_(descriptor) {}

  /// Adds whole lines, of which the last may lack its end: then the same `writer` may go on with it, and what
  /// another adds begins a new line.
  void add(std::string_view lines, const void* writer);

  /// Writes as much as the descriptor takes without waiting.
  void write_some();

  int descriptor() const { return descriptor_; }
  std::size_t waiting() const { return buffer_.size() - written_; }
  /// Nobody takes what is written, or no more of it; what waited is dropped.
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

/// Errors that processes of a job have told as they began. All of them find the same mistake in their command
/// line, and one line for it is enough.
class errors_told {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  /// Between the first and another who tells the same.
  static constexpr std::chrono::seconds longest_distance{2};
  /// Longer lines, and more of them, are passed on as they are.
  static constexpr std::size_t longest_line = 4096;
  static constexpr std::size_t most_kept = 256;

  /// These lines, but for whole ones with ": error: " that another than `writer` has just told.
  std::string without_repeated(std::string_view lines, const void* writer, time_point now);

 private:
  struct first {
    const void* writer;
    time_point when;
  };
  std::map<std::string, first, std::less<>> first_;
};

/// The pipe that one process writes its standard output or error to.
class line_source {
 public:
  /// `told`, which must outlive this, if errors that others have told are not to be repeated, until
  /// `pass_all_on`.
  line_source(imbrex::descriptor pipe, output& to, std::string prefix, errors_told* told = nullptr)
      : pipe_(std::move(pipe)), to_(&to), splitter_(std::move(prefix)), told_(told) {}

  /// Moves what lies in the pipe to the output, up to some 64 KiB; false if there is nothing now. At the end
  /// of the file the pipe is closed.
  bool move_some();

  void pass_all_on() { told_ = nullptr; }

  /// Passes on the unfinished line and closes the pipe, so that whoever still writes to it learns it.
  void close();

  int descriptor() const { return pipe_.get(); }
  bool open() const { return static_cast<bool>(pipe_); }
  const output& to() const { return *to_; }

 private:
  imbrex::descriptor pipe_;
  output* to_;
  line_splitter splitter_;
  errors_told* told_;
};

}  // namespace imbrex::tools
