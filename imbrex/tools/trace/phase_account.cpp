// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/phase_account.hpp>

#include <cstddef>

namespace imbrex::tools {

namespace {

// A program has few; damage may open, or name, any number.
constexpr std::size_t most_open = 100'000;
constexpr std::size_t most_names = 1000;

}  // namespace

void phase_account::take(const trace::record& r, std::uint32_t track, std::string_view name) {
  const key which{track, r.group, r.b};
  if (r.kind == trace::record_kind::phase_begin) {
    if (open_.size() < most_open) open_[which] = r.time;
    return;
  }
  const auto begun = open_.find(which);
  if (begun == open_.end()) return;
  auto known = by_name_.find(name);
  if (known == by_name_.end()) {
    const std::string shown(by_name_.size() < most_names ? name : "further phases");
    known = by_name_.try_emplace(shown).first;
    known->second.name = shown;
  }
  known->second.total += r.time - begun->second;
  known->second.lengths.add(r.time - begun->second);
  open_.erase(begun);
}

std::vector<phase_report> phase_account::reports() const {
  std::vector<phase_report> all;
  for (const auto& [name, phases] : by_name_) all.push_back(phases);
  return all;
}

}  // namespace imbrex::tools
