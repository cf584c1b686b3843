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

/// The context of a phase's begin or end.
struct phase_point {
  std::uint32_t track = 0;
  /// At a begin, the running entry and the element's index in an `element_table`. Empty and 0 if nothing
  /// runs.
  std::string_view entry{};
  std::uint32_t element = 0;
  std::uint64_t program_time = 0;  ///< time for which the track has run the program
  bool counts = true;              ///< false outside the report's phase
};

/// The phases of a run, by name and entry of their begin, and by their numbers. Phases without a recorded
/// begin or end are omitted.
class phase_account {
 public:
  /// Records the begin or end of a phase.
  void take(const trace::record& r, const phase_point& at, std::string_view name);
  /// Reports by name and entry. `phase_sum::whose` is an element's index.
  std::vector<phase_report> reports() const;

 private:
  // A phase: its track, the track's number of its name, and its id.
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
