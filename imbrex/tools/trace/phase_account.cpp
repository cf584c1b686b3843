// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/phase_account.hpp>

#include <algorithm>
#include <cstddef>

namespace imbrex::tools {

namespace {

// Programs have few phases; damaged traces may contain any number.
constexpr std::size_t most_open_phases = 100'000;
constexpr std::size_t most_phase_names = 1000;
constexpr std::size_t most_steps = 100'000;

void add(phase_sum& to, const interval& time, std::uint64_t program, std::uint32_t element) {
  const std::uint64_t length = time.end - time.begin;
  if (to.count == 0 || length > to.longest) {
    to.longest = length;
    to.whose = element;
  }
  ++to.count;
  to.total += length;
  to.program += program;
}

}  // namespace

phase_account::phases_of_name& phase_account::of(std::string_view name, const std::string& entry) {
  const std::pair which(std::string(name), entry);
  if (const auto known = by_name_.find(which); known != by_name_.end()) return known->second;
  const bool has_room = by_name_.size() < most_phase_names;
  phases_of_name& added =
      by_name_[has_room ? which : std::pair<std::string, std::string>("further phases", "")];
  added.report.name = has_room ? which.first : "further phases";
  added.report.entry = has_room ? entry : "";
  return added;
}

void phase_account::take(const trace::record& r, const phase_point& at, std::string_view name) {
  const key which{at.track, r.group, r.b};
  if (r.kind == trace::record_kind::phase_begin) {
    if (open_.size() < most_open_phases)
      open_[which] = {r.time, at.program_time, std::string(at.entry), at.element, at.counts};
    return;
  }
  const auto ended = open_.extract(which);
  if (!ended) return;
  const begun_phase& begun = ended.mapped();
  const interval time{begun.time, r.time};
  if (!begun.counts && !at.counts && time.begin == time.end) return;
  phases_of_name& phases = of(name, begun.entry);
  const std::uint64_t program = at.program_time - begun.program_time;
  add(phases.report.all, time, program, begun.element);
  phases.report.lengths.add(time.end - time.begin);
  const auto number = static_cast<std::int64_t>(r.a);
  auto step = phases.steps.find(number);
  if (step == phases.steps.end()) {
    if (steps_ == most_steps) {
      phases.report.more_steps = true;
      return;
    }
    ++steps_;
    step = phases.steps.try_emplace(number, number, time).first;
  }
  add(step->second.all, time, program, begun.element);
  step->second.time = {std::min(step->second.time.begin, time.begin),
                       std::max(step->second.time.end, time.end)};
}

std::vector<phase_report> phase_account::reports() const {
  std::vector<phase_report> all;
  for (const auto& [name, phases] : by_name_) {
    phase_report& result = all.emplace_back(phases.report);
    for (const auto& [number, step] : phases.steps) result.steps.push_back(step);
  }
  return all;
}

}  // namespace imbrex::tools
