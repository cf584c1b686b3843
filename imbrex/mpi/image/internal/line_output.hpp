// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace imbrex::mpi {

/// The standard output of one copy: a stream whose lines come whole to the standard output of the process,
/// each as soon as it has ended. One thread at a time; several of them may write side by side.
class line_output {
 public:
  /// `prefix` stands before each line. Throws error if there is no memory.
  explicit line_output(std::string prefix);
  ~line_output();
  line_output(const line_output&) = delete;

  /// The stream; null once the program has closed it.
  std::FILE* stream() const noexcept { return stream_; }
  /// Takes bytes that the program writes past the stream. False, and errno, if they cannot be written.
  bool write(const char* bytes, std::size_t size);
  /// Writes the last line, too, which has not ended, and ends it. Not an error if that is not possible.
  void flush() noexcept;

 private:
  static ssize_t write_cookie(void* self, const char* bytes, std::size_t size);
  static int close_cookie(void* self);

  std::string prefix_;
  std::string last_line_;  // that has not ended
  std::FILE* stream_;
};

}  // namespace imbrex::mpi
