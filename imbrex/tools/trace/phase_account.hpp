// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <imbrex/tools/trace/interval_set.hpp>
#include <imbrex/tools/trace/report.hpp>
#include <imbrex/trace/record.hpp>

namespace imbrex::tools {

/// Where a phase begins or ends.
struct phase_point {
  std::uint32_t track = 0;
  /// When it begins what runs there: an entry, and the place of the element in an `element_table`; empty
  /// and 0 if nothing does.
  std::string_view entry{};
  std::uint32_t element = 0;
  std::uint64_t program_time = 0;  ///< for how long the track has run the program
  bool counts = true;              ///< false outside of what a report is on
};

/// The phases of a run, by name and by the entry in which they begin, and by their numbers. Those that do not
/// end, or began before they were recorded, are left out.
class phase_account {
 public:
  /// A phase begins or ends.
  void take(const trace::record& r, const phase_point& at, std::string_view name);
  /// By name and entry. `whose` is the place of an element.
  std::vector<phase_report> reports() const;

 private:
  // A phase: its track, the number of its name there, and which.
  using key = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;
  struct begun_phase {
    std::uint64_t time = 0;
    std::uint64_t program_time = 0;
    std::string entry;
    std::uint32_t element = 0;
    bool counts = true;
  };
  struct phases_of_name {
    phase_report report;
    std::map<std::int64_t, step_report> steps;
  };

  phases_of_name& of(std::string_view name, const std::string& entry);

  std::map<key, begun_phase> open_;
  std::map<std::pair<std::string, std::string>, phases_of_name> by_name_;
  std::size_t steps_ = 0;
};

}  // namespace imbrex::tools
