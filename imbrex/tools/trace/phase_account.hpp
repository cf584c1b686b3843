// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <imbrex/tools/trace/report.hpp>
#include <imbrex/trace/record.hpp>

namespace imbrex::tools {

/// How many phases there were, and how long, by name. Those that do not end, or began before they were
/// recorded, are left out.
class phase_account {
 public:
  /// A phase begins or ends on a track.
  void take(const trace::record& r, std::uint32_t track, std::string_view name);
  /// By name.
  std::vector<phase_report> reports() const;

 private:
  // A phase: its track, the number of its name there, and which.
  using key = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;
  std::map<key, std::uint64_t> open_;  // when they began
  std::map<std::string, phase_report, std::less<>> by_name_;
};

}  // namespace imbrex::tools
