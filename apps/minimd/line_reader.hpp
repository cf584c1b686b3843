// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace minimd {

using words = std::vector<std::string>;

/// Parses a whole word as a number; infinity if a double cannot hold it.
std::optional<double> number_of(const std::string& word);

enum class bound : std::uint8_t { none, not_negative, positive };

/// The current line of an input file, for errors, and checked parsing of values.
class line_reader {
 public:
  explicit line_reader(std::string name) : name_(std::move(name)) {}

  /// Throws imbrex::usage_error with the file and the line.
  [[noreturn]] void refuse(const std::string& why) const;

  /// The number at index `place` of a line; `what` names it in errors.
  double number(const words& of, std::size_t place, const std::string& what, bound least) const;
  /// A density or lattice constant, limited so that the box has a finite volume.
  double scale(const words& of, std::size_t place, const std::string& what) const;
  std::int64_t count(const words& of, std::size_t place, const std::string& what, std::int64_t least,
                     std::int64_t most) const;

  void next_line() { ++line_; }

 private:
  std::string name_;
  int line_ = 0;
};

}  // namespace minimd
