// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace imbrex {

/// A file that is written beside the one whose place it takes at last, in one step. Until then, and if it is
/// destroyed before, the other one stays as it was. A link stays, and what it leads to is replaced. All
/// functions throw imbrex::error with the reason.
class whole_file {
 public:
  /// Refuses to replace what is no regular file, or may not be written.
  explicit whole_file(const std::string& file);
  ~whole_file();
  whole_file(const whole_file&) = delete;
  whole_file& operator=(const whole_file&) = delete;

  /// Appends bytes.
  void write(std::span<const std::byte> bytes);
  /// Writes over the first bytes.
  void write_first(std::span<const std::byte> bytes);
  /// Replaces the other file. Nothing can be written afterwards.
  void put_in_place();

 private:
  void open_beside();
  void close() noexcept;

  const std::string target_;
  std::string temporary_;  ///< empty once it is in its place
  int descriptor_ = -1;
};

}  // namespace imbrex
