// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstring>
#include <string>
#include <system_error>

#include <imbrex/error.hpp>

/// The optional positional arguments of an example: whole numbers from 1 on. `run` removes its own options
/// before the main task begins, so only the example's arguments are left.
class arguments {
 public:
  /// `usage` ends each error text, such as "ring [STATIONS [LAPS]]".
  arguments(int argc, char** argv, const char* usage) : argc_(argc), argv_(argv), usage_(usage) {}

  /// The next argument, or `otherwise` if it is missing. Throws imbrex::usage_error unless it is a number
  /// from 1 to `most`.
  int next(const char* name, int otherwise, int most) {
    if (++place_ >= argc_) return otherwise;
    const char* const text = argv_[place_];
    const char* const end = text + std::strlen(text);
    int number = 0;
    const auto [stopped, problem] = std::from_chars(text, end, number);
    if (problem != std::errc{} || stopped != end || number < 1 || number > most)
      complain(std::string(name) + " must be a whole number from 1 to " + std::to_string(most) + ", not " +
               text);
    return number;
  }
  /// Throws imbrex::usage_error if there are further arguments.
  void finish() const {
    if (place_ + 1 < argc_) complain(std::string("unexpected argument ") + argv_[place_ + 1]);
  }

 private:
  [[noreturn]] void complain(const std::string& what) const {
    throw imbrex::usage_error(what + "; usage: " + usage_);
  }

  int argc_;
  char** argv_;
  const char* usage_;
  int place_ = 0;
};
