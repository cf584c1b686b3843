// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/phase_time.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/printable.hpp>

namespace imbrex::tools {

namespace {

constexpr std::size_t most_listed_names = 20;  // names listed in an error
// Damaged traces may contain any number of open phases.
constexpr std::size_t most_open_times = 100'000;
constexpr std::size_t most_apart = 1U << 16U;  // phases kept before they are united

/// The union of some intervals, in the order of time.
std::vector<interval> united(std::vector<interval> phases) {
  std::ranges::sort(phases, {}, &interval::begin);
  std::vector<interval> all;
  for (const interval& one : phases)
    if (!all.empty() && one.begin <= all.back().end)
      all.back().end = std::max(all.back().end, one.end);
    else
      all.push_back(one);
  return all;
}

}  // namespace

phase_time::phase_time(std::vector<interval> phases) {
  std::uint64_t before = 0;
  for (const interval& one : united(std::move(phases))) {
    pieces_.push_back({one, before});
    before += one.end - one.begin;
  }
}

const phase_time::piece* phase_time::piece_at(std::uint64_t time) const {
  const auto later = std::ranges::upper_bound(pieces_, time, {}, [](const piece& p) { return p.time.begin; });
  return later == pieces_.begin() ? nullptr : &*std::prev(later);
}

std::uint64_t phase_time::passed(std::uint64_t time) const {
  const piece* const at = piece_at(time);
  return at == nullptr ? 0 : at->before + std::min(time, at->time.end) - at->time.begin;
}

bool phase_time::contains(std::uint64_t time) const {
  const piece* const at = piece_at(time);
  return at != nullptr && time < at->time.end;
}

phase_time read_phase(trace::reader& in, const std::string& name) {
  using trace::record_kind;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::uint64_t> open;
  std::vector<interval> phases;
  std::set<std::string, std::less<>> names;
  std::uint64_t end = 0;
  std::size_t room = most_apart;
  in.order_only(0);
  for (auto piece = in.next(); !piece.records.empty(); piece = in.next()) {
    for (const trace::record& r : piece.records) {
      end = std::max(end, r.time);
      if (r.kind != record_kind::phase_begin && r.kind != record_kind::phase_end) continue;
      const auto named = in.files()[in.tracks()[piece.track].file]->name(trace::name_table::marks, r.group);
      if (named != name) {
        if (names.size() < most_listed_names) names.emplace(named);
        continue;
      }
      const std::tuple which(piece.track, r.group, r.b);
      if (r.kind == record_kind::phase_begin) {
        if (open.size() < most_open_times) open[which] = r.time;
      } else if (const auto begun = open.extract(which)) {
        phases.push_back({begun.mapped(), r.time});
        if (phases.size() < room) continue;
        phases = united(std::move(phases));
        room = std::max(most_apart, 2 * phases.size());
      }
    }
  }
  for (const auto& [which, begun] : open) phases.push_back({begun, end});
  if (!phases.empty()) return phase_time(std::move(phases));
  std::string known;
  for (const std::string& one : names) known += (known.empty() ? "" : ", ") + printable(one);
  throw usage_error("--phase " + printable(name) + ": the trace has no such phase; " +
                    (known.empty() ? "it has none, leave --phase out" : "it has " + known));
}

}  // namespace imbrex::tools
