// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace imbrex {

/// A new version of a file. It is written beside the old one, and replaces that at the end, in one step. If
/// it is destroyed before, the old file stays unchanged. A link stays, and its target is replaced. All
/// functions throw imbrex::error with the reason.
class whole_file {
 public:
  /// Refuses to replace a file that is not regular, or may not be written.
  explicit whole_file(const std::string& file);
  ~whole_file();
  whole_file(const whole_file&) = delete;
  whole_file& operator=(const whole_file&) = delete;

  /// Appends bytes.
  void write(std::span<const std::byte> bytes);
  /// Writes over the first bytes.
  void write_first(std::span<const std::byte> bytes);
  /// Replaces the old file, also on the disk. Nothing can be written afterwards.
  void put_in_place();

 private:
  void open_beside();
  void close() noexcept;

  const std::string target_;
  std::string temporary_;  ///< empty once it is in its place
  int descriptor_ = -1;
};

}  // namespace imbrex
