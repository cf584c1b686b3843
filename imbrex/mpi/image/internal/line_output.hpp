// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

#include <imbrex/base/host/descriptor.hpp>

namespace imbrex::mpi {

/// The standard output of one copy: a stream whose lines come whole to the standard output of the process,
/// each as soon as it has ended. A program may open it on a file of its own, which gets all bytes as they
/// are. Any thread.
class line_output {
 public:
  /// `prefix` stands before each line. Throws error if there is no memory.
  explicit line_output(std::string prefix);
  ~line_output();
  line_output(const line_output&) = delete;

  std::FILE* stream() const noexcept { return stream_; }
  /// The descriptor of the process to which it writes; -1 if the program has closed it.
  int descriptor() const noexcept { return descriptor_; }
  /// Writes to another file from now on, which it closes at its end; -1: the program has closed it. What is
  /// in the stream's buffer goes there, too.
  void redirect(imbrex::descriptor to);
  /// Writes to the standard output of the process again.
  void restore();
  /// Takes bytes that the program writes past the stream. False, and errno, if they cannot be written.
  bool write(const char* bytes, std::size_t size);
  /// Writes the last line, too, which has not ended, and ends it. Not an error if that is not possible.
  void flush() noexcept;

  /// Around a fork: nobody else is in the middle of a write, so that the child can write.
  static void lock_all();
  static void unlock_all();

 private:
  static ssize_t write_cookie(void* self, const char* bytes, std::size_t size);
  void end_line();
  bool write_lines(std::string_view text);

  std::string prefix_;
  std::mutex mutex_;
  std::string last_line_;  // that has not ended
  std::atomic<int> descriptor_;
  imbrex::descriptor file_;  // that the program has opened
  std::FILE* stream_;
};

}  // namespace imbrex::mpi
