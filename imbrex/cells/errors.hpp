// SPDX-License-Identifier: Apache-2.0
#pragma once
// Errors of a cell set, built outside of inlined code.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace imbrex::cells::detail {

/// Shortest text that reads back as the same number.
std::string number_text(double number);

/// Element that an error is about: "element 17", by its id, or "element number 3".
struct named_element {
  std::string name;
  std::string cell;   ///< "(3, 4)"
  std::string block;  ///< index in the array
  std::int64_t phase = 0;
};

/// The text about an invalid message that has arrived.
class invalid_message {
 public:
  void set(std::string text) { text_ = std::move(text); }
  /// Throws imbrex::error if there is one.
  void check() const {
    if (!text_.empty()) [[unlikely]]
      throw_text();
  }
  void serialize(auto& ar) { ar(text_); }

 private:
  [[noreturn]] void throw_text() const;

  std::string text_;
};

[[noreturn]] void throw_not_connected();
[[noreturn]] void throw_other_port();
[[noreturn]] void throw_other_shape(const std::string& array, const std::string& blocks);
[[noreturn]] void throw_other_grid(const std::string& domain, const std::string& cut);
[[noreturn]] void throw_unfinished(const char* what, std::int64_t phase);
[[noreturn]] void throw_no_cell(const std::string& cell, const std::string& block);
[[noreturn]] void throw_narrow(double pairs, double halo);
[[noreturn]] void throw_no_halo();
[[noreturn]] void throw_moved_too_far(const named_element& who, const std::string& to, double distance,
                                      double most);
[[noreturn]] void throw_not_a_position(const named_element& who, const std::string& at);
[[noreturn]] void throw_not_own_cell(const std::string& name, const std::string& at, const std::string& cell,
                                     const std::string& block);
[[noreturn]] void throw_outside(const std::string& name, const std::string& at, const std::string& lower,
                                const std::string& upper);
[[noreturn]] void throw_other_values(std::size_t value_count, std::size_t elements, const char* which);
std::string stranger_text(std::int64_t phase, const std::string& from, const std::string& here);
std::string other_kind_text(std::int64_t phase, const std::string& from, const std::string& here);
std::string other_count_text(std::int64_t phase, const std::string& from, std::size_t received_count,
                             std::size_t expected_count);

}  // namespace imbrex::cells::detail
