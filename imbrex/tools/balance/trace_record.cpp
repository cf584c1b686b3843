// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/balance/trace_record.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <imbrex/balance/curve_order.hpp>
#include <imbrex/balance/record_writer.hpp>
#include <imbrex/base/error.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/tools/trace/element_text.hpp>
#include <imbrex/tools/trace/walk.hpp>
#include <imbrex/trace/file_format.hpp>

namespace imbrex::tools::balance {
namespace {

using imbrex::balance::object_name;
using imbrex::balance::problem;
using imbrex::balance::recorded_period;

constexpr int unknown = -1;
constexpr std::uint32_t main_task = 0;  // the number of its collection

/// Finds the first and the last time of a trace.
class extent_observer final : public walk_observer {
 public:
  void start(std::uint64_t time) override { first = last = time; }
  void begin(std::uint32_t, std::uint64_t, const walked_frame&, const message_account::begun*) override {}
  void end(std::uint32_t, std::uint64_t, const walked_frame&) override {}
  void sent(std::uint32_t, const trace::record&, std::uint32_t) override {}
  void begun_early(std::uint64_t, const message_account::begun&) override {}
  void other(std::uint32_t, const trace::record&) override {}
  void finish(std::uint64_t time) override { last = time; }

  std::uint64_t first = 0, last = 0;
};

/// An element in the periods of a trace.
struct traced_element {
  std::vector<double> seconds;  ///< seconds in each period
  std::vector<int> pe;          ///< place in each period, or `unknown`
};

/// Sums the times of elements in periods of equal length. Time in a frame inside another counts for its
/// own element.
class period_observer final : public walk_observer {
 public:
  period_observer(const trace::reader& in, const extent_observer& run, int periods)
      : in_(in), first_(run.first), length_(run.last - run.first + 1), periods_(periods) {}

  void start(std::uint64_t) override { tracks_.resize(in_.tracks().size()); }
  void begin(std::uint32_t track, std::uint64_t time, const walked_frame& frame,
             const message_account::begun*) override {
    charge(track, time);
    tracks_[track].frames.push_back(frame);
  }
  void end(std::uint32_t track, std::uint64_t time, const walked_frame&) override {
    charge(track, time);
    tracks_[track].frames.pop_back();
  }
  void sent(std::uint32_t, const trace::record&, std::uint32_t) override {}
  void begun_early(std::uint64_t, const message_account::begun&) override {}
  void other(std::uint32_t, const trace::record&) override {}
  void finish(std::uint64_t) override {}

  std::map<object_name, traced_element> elements;
  int pes = 0;

 private:
  struct track_state {
    std::vector<walked_frame> frames;
    std::uint64_t since = 0;
  };

  std::uint64_t end_of(int period) const {
    return first_ + length_ * static_cast<std::uint64_t>(period + 1) / static_cast<std::uint64_t>(periods_);
  }
  int period_at(std::uint64_t time) const {
    const std::uint64_t elapsed = time - first_;
    const auto near = static_cast<int>(elapsed * static_cast<std::uint64_t>(periods_) / length_);
    return std::min(time < end_of(near) ? near : near + 1, periods_ - 1);
  }
  /// Charges the time since the last change of a track to the element that has run.
  void charge(std::uint32_t track, std::uint64_t time) {
    track_state& at = tracks_[track];
    std::uint64_t from = std::exchange(at.since, time);
    const std::uint32_t number = in_.tracks()[track].number;
    if (trace::class_of_track(number) != trace::track_class::pe) return;
    const auto pe = static_cast<int>(trace::place_of_track(number));
    pes = std::max(pes, pe + 1);
    if (at.frames.empty() || !at.frames.back().program || at.frames.back().group == main_task) return;
    traced_element& its = elements[{at.frames.back().group, at.frames.back().element}];
    its.seconds.resize(static_cast<std::size_t>(periods_));
    its.pe.resize(static_cast<std::size_t>(periods_), unknown);
    for (int p = period_at(from); from < time; ++p) {
      const std::uint64_t until = p + 1 < periods_ ? std::min(time, end_of(p)) : time;
      its.seconds[static_cast<std::size_t>(p)] += static_cast<double>(until - from) * 1e-9;
      its.pe[static_cast<std::size_t>(p)] = pe;
      from = until;
    }
  }

  const trace::reader& in_;
  const std::uint64_t first_, length_;
  const int periods_;
  std::vector<track_state> tracks_;
};

/// Gives the periods in which an element did not run the place that it had before, or got at first.
void fill_places(traced_element& of) {
  const auto first = std::ranges::find_if(of.pe, [](int pe) { return pe != unknown; });
  int last = first == of.pe.end() ? 0 : *first;
  for (int& pe : of.pe) {
    if (pe == unknown) pe = last;
    last = pe;
  }
}

/// The arrays that have exactly the elements of a group: one on each PE, with its number.
std::map<std::uint64_t, bool> groups_among(const std::map<object_name, traced_element>& elements, int pes) {
  std::map<std::uint64_t, int> members;
  std::map<std::uint64_t, bool> is_group;
  for (const auto& [name, its] : elements) {
    ++members[name.array];
    const auto [at, is_new] = is_group.try_emplace(name.array, true);
    at->second = at->second && std::ranges::all_of(its.pe, [&, key = name.key](int pe) {
                   return static_cast<std::uint64_t>(pe) == key;
                 });
  }
  for (auto& [array, is_one] : is_group) is_one = is_one && members[array] == pes;
  return is_group;
}

/// The shape of a dense array; empty for others.
std::vector<std::uint64_t> shape_of(const trace::reader& in, std::uint64_t array) {
  for (const auto& file : in.files()) {
    auto shape = extents_of_collection(*file, static_cast<std::uint32_t>(array));
    if (!shape.empty()) return shape;
  }
  return {};
}

void set_coordinates(const trace::reader& in, const std::vector<object_name>& names,
                     imbrex::balance::snapshot& p) {
  std::map<std::uint64_t, std::vector<std::uint64_t>> shapes;
  for (const object_name& name : names)
    if (!shapes.contains(name.array)) shapes[name.array] = shape_of(in, name.array);
  for (const auto& [array, shape] : shapes)
    if (shape.size() <= static_cast<std::size_t>(problem::most_dimensions))
      p.dimensions = std::max(p.dimensions, static_cast<int>(shape.size()));
  for (const object_name& name : names) {
    const auto& shape = shapes[name.array];
    std::vector<float> at(static_cast<std::size_t>(p.dimensions));
    std::uint64_t rest = name.key;
    for (std::size_t d = shape.size(); d-- > 0 && shape.size() <= at.size();) {
      at[d] = static_cast<float>(d == 0 ? rest : rest % shape[d]);
      rest /= shape[d];
    }
    p.coordinates.insert(p.coordinates.end(), at.begin(), at.end());
  }
}

}  // namespace

bool is_trace(const std::string& file) {
  std::array<char, trace::file_magic.size()> begin{};
  std::ifstream(file, std::ios::binary).read(begin.data(), begin.size());
  return begin == trace::file_magic;
}

void write_record_of_trace(const std::string& trace, int periods, const std::string& record) {
  extent_observer run;
  trace::reader first_pass(trace);
  walk(first_pass, run);
  trace::reader in(trace);
  period_observer seen(in, run, periods);
  walk(in, seen);
  if (seen.elements.empty())
    throw usage_error(printable(trace) +
                      " has no entries of elements, whose times are the loads; trace a run of a program with "
                      "arrays, or record it with --balance-record");
  for (auto& [name, its] : seen.elements) fill_places(its);
  auto is_group = groups_among(seen.elements, seen.pes);
  imbrex::balance::record_writer out(record);
  out.write({.strategy = "--trace", .pes = seen.pes});
  std::vector<object_name> names;
  recorded_period period;
  period.problem.pes = seen.pes;
  for (const auto& [name, its] : seen.elements) {
    names.push_back(name);
    period.problem.movable.push_back(is_group[name.array] ? 0 : 1);
  }
  set_coordinates(in, names, period.problem);
  for (std::size_t p = 0; p < static_cast<std::size_t>(periods); ++p) {
    period.ended = static_cast<double>(run.last - run.first) * 1e-9 * static_cast<double>(p + 1) / periods;
    period.problem.pe.clear();
    period.problem.load.clear();
    period.measured.clear();
    for (const auto& [name, its] : seen.elements) {
      period.problem.pe.push_back(its.pe[p]);
      period.problem.load.push_back(its.seconds[p]);
      period.measured.push_back(static_cast<float>(its.seconds[p]));
    }
    ++period.problem.seed;
    out.write(names, period);
  }
}

}  // namespace imbrex::tools::balance
