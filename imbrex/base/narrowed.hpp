// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <limits>
#include <string>
#include <type_traits>

namespace imbrex::detail {

/// Throws an error: the number called `what` is not between `least` and `most`. `remedy` is part of the text.
[[noreturn]] void throw_does_not_fit(const std::string& what, const std::string& value,
                                     const std::string& least, const std::string& most,
                                     const std::string& remedy);

/// The number's name for the text of the error: a class with the words `what` and `remedy`.
struct index_words {
  static constexpr const char* what = "the index or extent";
  static constexpr const char* remedy =
      "give the array more dimensions, or a key of another type: chare<T, std::uint64_t>";
};
struct key_words {
  static constexpr const char* what = "the key";
  static constexpr const char* remedy = "give the chare class a wider type of key";
};
struct pe_words {
  static constexpr const char* what = "the number of a PE";
  static constexpr const char* remedy = "a run has PEs 0 to num_pes() - 1";
};
struct priority_words {
  static constexpr const char* what = "the priority";
  static constexpr const char* remedy = "priorities of messages are from -32 (first) to 31 (last)";
};
struct status_words {
  static constexpr const char* what = "the exit status";
  static constexpr const char* remedy = "the system keeps its last 8 bits: give one of 0 to 255";
};
struct reference_words {
  static constexpr const char* what = "the reference number";
  static constexpr const char* remedy =
      "reference numbers are signed: count from below 0, or keep them under 2^63";
};

template <class I>
inline constexpr bool can_be_negative = static_cast<I>(-1) < static_cast<I>(0);

/// True if no value of I is lost in a To.
template <class To, class I>
inline constexpr bool always_fits =
    sizeof(I) < sizeof(To) ? can_be_negative<To> || !can_be_negative<I>
                           : sizeof(I) == sizeof(To) && can_be_negative<I> == can_be_negative<To>;

template <class I>
constexpr bool is_negative([[maybe_unused]] I value) {
  if constexpr (can_be_negative<I>)
    return value < 0;
  else
    return false;
}

template <class To, class I>
constexpr bool fits(I value) {
  const To converted = static_cast<To>(value);
  return static_cast<I>(converted) == value && is_negative(converted) == is_negative(value);
}

/// Converts an integer to To. Throws imbrex::error with these words if it is too large or too small; there is
/// no check where all values fit.
template <class To, class Words, std::integral I>
constexpr To narrow(I value) {
  if constexpr (!always_fits<To, I>)
    if (!fits<To>(value)) [[unlikely]]
      throw_does_not_fit(Words::what, std::to_string(value), std::to_string(std::numeric_limits<To>::min()),
                         std::to_string(std::numeric_limits<To>::max()), Words::remedy);
  return static_cast<To>(value);
}

/// A parameter of type To that takes an integer of any type.
template <class To, class Words>
class narrowed {
 public:
  template <class I>
    requires(std::is_convertible_v<const I&, To> && !std::is_floating_point_v<I>)
  constexpr narrowed(const I& value) : value_(value_of(value)) {}
  constexpr operator To() const { return value_; }

 private:
  template <class I>
  static constexpr To value_of(const I& value) {
    if constexpr (std::is_integral_v<I>)
      return narrow<To, Words>(value);
    else if constexpr (std::is_enum_v<I>)
      return narrow<To, Words>(static_cast<std::underlying_type_t<I>>(value));
    else
      return value;
  }

  To value_;
};

}  // namespace imbrex::detail
