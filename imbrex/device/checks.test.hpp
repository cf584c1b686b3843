// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <imbrex/device/error.hpp>
#include <imbrex/device/subject.test.hpp>

namespace imbrex::test {

/// A property of every device. Each check runs on each kind of device, and on emulations with a defect, of
/// which the checks together must find some.
struct device_check {
  std::string name;
  void (*run)(subject&);
  bool only_exact = false;  ///< holds only where contention alone delays operations

  friend void PrintTo(const device_check& c, std::ostream* out) { *out << c.name; }
};

/// All checks, and the checks of each subject.
std::vector<device_check> device_checks();
std::span<const device_check> order_checks();
std::span<const device_check> host_checks();
std::span<const device_check> memory_checks();
std::span<const device_check> failure_checks();

inline constexpr std::int64_t us = 1'000;
inline constexpr std::int64_t ms = 1'000'000;

inline stream make(subject& in, std::string owner, stream_priority priority = stream_priority::normal) {
  return {in.first(), priority, std::move(owner)};
}

/// Calls `f`, which must throw a device_error, and returns its text; reports a failure if it does not throw.
template <class Function>
std::string refusal(subject& in, const std::string& what, Function f) {
  try {
    f();
  } catch (const device_error& e) {
    return e.what();
  }
  in.expect(false, what + " is not refused");
  return {};
}

inline void expect_in(subject& in, const std::string& text, std::string_view part) {
  in.expect(text.find(part) != std::string::npos,
            "\"" + text + "\" does not say \"" + std::string(part) + "\"");
}

}  // namespace imbrex::test
