// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/mpi/image/internal/copy_heap.hpp>

namespace imbrex::mpi {

/// Standard output of one copy: a stream that writes whole lines to the process' standard output, each once
/// it has ended. A program may redirect it to a file, which gets all bytes unchanged. Any thread.
class line_output {
 public:
  /// `prefix` is written before each line. The stream lies in the copy's heap, if it has one. Throws error if
  /// memory is short.
  explicit line_output(std::string prefix, program_heap* heap = nullptr);
  ~line_output();
  line_output(const line_output&) = delete;

  std::FILE* stream() const noexcept { return stream_; }
  /// The process' descriptor that is written to; -1 if the program has closed it.
  int descriptor() const noexcept { return descriptor_; }
  /// Redirects output to another file, also the bytes in the stream's buffer. The file is closed with this
  /// object. -1: the program has closed its output.
  void redirect(imbrex::descriptor to);
  /// Redirects output to the process' standard output.
  void restore();
  /// Writes bytes that bypass the stream. False, and errno is set, if they cannot be written.
  bool write(const char* bytes, std::size_t size);
  /// Also writes the last, incomplete line, and ends it. Failures are ignored.
  void flush() noexcept;

  /// Takes the incomplete last line, once the stream's buffer has been written.
  std::string take_last_line();
  void set_last_line(std::string text) { last_line_ = std::move(text); }
  /// True if it is the process' standard output.
  bool is_of_process() const noexcept;

  /// Locks all outputs around a fork: no thread is in the middle of a write, so that the child can write.
  static void lock_all();
  static void unlock_all();

 private:
  static ssize_t write_cookie(void* self, const char* bytes, std::size_t size);
  void end_line();
  bool write_lines(std::string_view text);

  std::string prefix_;
  std::mutex mutex_;
  std::string last_line_;  // incomplete line
  std::atomic<int> descriptor_;
  imbrex::descriptor file_;  // opened by the program
  using buffer = std::array<char, BUFSIZ>;
  std::optional<object_of_copy<buffer>> buffer_;  // in the copy's heap; else the stream allocates its own
  std::FILE* stream_;
};

}  // namespace imbrex::mpi
