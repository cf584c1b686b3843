// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/two_levels.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include <imbrex/balance/curve_order.hpp>
#include <imbrex/balance/snapshot.hpp>

namespace imbrex::balance {
namespace {

/// Runs of a group for each of its PEs, beside short ones at the ends.
constexpr int runs_of_pe = 1;

/// The share of the tolerance for groups; the rest is for the PEs of a group.
constexpr double share_between = 0.5;

std::size_t at(int number) { return static_cast<std::size_t>(number); }

/// Numbers from 0 in the order of their first use; negative numbers stay.
class renumbering {
 public:
  int operator()(int number) {
    if (number < 0) return number;
    return numbers_.try_emplace(number, static_cast<int>(numbers_.size())).first->second;
  }
  const std::map<int, int>& all() const { return numbers_; }

 private:
  std::map<int, int> numbers_;
};

/// The objects along the curve that is fixed, so that groups have parts of the order of all objects.
std::vector<std::uint32_t> order_of(const problem& p) {
  const std::vector<std::uint64_t> places = places_on_curve(p);
  std::vector<std::uint32_t> order(p.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::ranges::sort(order, {}, [&](std::uint32_t object) { return std::pair(places[object], object); });
  return order;
}

template <class Value>
void copy_some(std::span<const Value> from, std::span<const std::uint32_t> objects, std::vector<Value>& to) {
  if (from.empty()) return;
  to.reserve(objects.size());
  for (const std::uint32_t object : objects) to.push_back(from[object]);
}

/// The objects of a problem by groups. `place`: of each object in the list of its group.
struct grouped_objects {
  std::vector<std::vector<std::uint32_t>> objects, curve;

  template <class GroupOf>
  grouped_objects(const problem& p, int groups, const GroupOf& group_of)
      : objects(at(groups)), curve(at(groups)) {
    std::vector<std::uint32_t> place(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) {
      auto& its = objects[at(group_of(i))];
      place[i] = static_cast<std::uint32_t>(its.size());
      its.push_back(static_cast<std::uint32_t>(i));
    }
    for (const std::uint32_t object : p.curve) curve[at(group_of(object))].push_back(place[object]);
  }

  /// The problem of one group, on the machine of the whole problem.
  snapshot part(const problem& p, int group) const {
    const std::span<const std::uint32_t> its = objects[at(group)];
    snapshot part;
    copy_some(p.pe, its, part.pe);
    copy_some(p.load, its, part.load);
    copy_some(p.device_load, its, part.device_load);
    copy_some(p.device_elapsed, its, part.device_elapsed);
    copy_some(p.movable, its, part.movable);
    copy_some(p.bytes, its, part.bytes);
    copy_some(p.device_bytes, its, part.device_bytes);
    copy_some(p.sent, its, part.sent);
    part.dimensions = p.dimensions;
    if (!p.coordinates.empty())
      for (const std::uint32_t object : its) {
        const auto first = p.coordinates.begin() + object * p.dimensions;
        part.coordinates.insert(part.coordinates.end(), first, first + p.dimensions);
      }
    part.curve = curve[at(group)];
    part.seed = p.seed;
    return part;
  }
};

/// The PEs of a group as a machine.
struct group_machine {
  std::vector<int> node, device;
  std::vector<double> speed;
  std::vector<std::uint64_t> free_memory;

  group_machine(const machine& on, int first, int end) {
    renumbering nodes, devices;
    for (int pe = first; pe < end; ++pe) {
      if (!on.node.empty()) node.push_back(nodes(on.node_of(pe)));
      if (!on.device.empty()) device.push_back(devices(on.device_of(pe)));
      if (!on.speed.empty()) speed.push_back(on.speed_of(pe));
    }
    if (on.free_memory.empty()) return;
    free_memory.resize(devices.all().size());
    for (const auto& [whole, part] : devices.all()) free_memory[at(part)] = on.free_memory[at(whole)];
  }
};

/// The PE at which each object begins in a group: its own, or the PE with the least load on the node of the
/// object before it on the curve. Objects that come from other groups stay together until a PE has its share.
std::vector<int> first_pes(const pe_groups& groups, int group, const problem& p) {
  std::vector<int> pes(p.size());
  const int first = groups.first[at(group)], end = groups.end(group);
  std::vector<double> time(at(end - first));
  double load = 0, speed = 0;
  const auto add = [&](std::size_t object, int pe) {
    pes[object] = pe;
    time[at(pe)] += p.load_of(object) / p.on.speed_of(first + pe);
  };
  for (std::size_t i = 0; i < p.size(); ++i) {
    load += p.load_of(i);
    if (groups.holds(group, p.pe[i])) add(i, p.pe[i] - first);
  }
  for (int pe = first; pe < end; ++pe) speed += p.on.speed_of(pe);
  const auto own =
      std::ranges::find_if(p.curve, [&](auto object) { return groups.holds(group, p.pe[object]); });
  int node = p.on.node_of(own == p.curve.end() ? first : p.pe[*own]), to = -1;
  const auto lightest = [&] {
    int found = -1;
    for (int pe = 0; pe < end - first; ++pe)
      if (p.on.node_of(first + pe) == node && (found < 0 || time[at(pe)] < time[at(found)])) found = pe;
    return found;
  };
  for (const std::uint32_t object : p.curve) {
    if (groups.holds(group, p.pe[object])) {
      node = p.on.node_of(p.pe[object]);
      continue;
    }
    if (to < 0 || p.on.node_of(first + to) != node || time[at(to)] >= load / speed) to = lightest();
    add(object, to);
  }
  return pes;
}

}  // namespace

int pe_groups::of(int pe) const {
  return static_cast<int>(std::ranges::upper_bound(first, pe) - first.begin()) - 1;
}

pe_groups groups_of(int pes, std::span<const int> node) {
  pe_groups groups;
  groups.pes = pes;
  if (pes < pes_of_two_levels || !std::ranges::is_sorted(node)) return groups;
  const int size = static_cast<int>(std::lround(std::sqrt(pes)));
  const auto node_of = [&](int pe) { return node.empty() ? 0 : node[at(pe)]; };
  for (int begin = 0; begin < pes;) {
    int end = begin;
    while (end < pes && node_of(end) == node_of(begin)) ++end;
    const int its = end - begin;
    const int parts = std::max(1, (its + size / 2) / size);
    const bool joins = parts == 1 && !groups.first.empty() && end - groups.first.back() <= size;
    for (int part = 0; part < parts && !joins; ++part) groups.first.push_back(begin + its * part / parts);
    begin = end;
  }
  return groups;
}

int runs_of_group(int pes) { return runs_of_pe * pes; }

object_runs cut_into_runs(const problem& p, int count) {
  object_runs cut;
  cut.run_of.resize(p.size());
  const std::vector<std::uint64_t> places = places_on_curve(p);
  const auto stays = [&p](std::size_t i) { return !p.is_movable(i) || p.device_bytes_of(i) > 0; };
  double total = 0;
  for (std::size_t i = 0; i < p.size(); ++i) total += stays(i) ? 0 : p.load_of(i);
  const bool counts = total <= 0;  // without loads, objects are equal
  const auto weight = [&](std::size_t i) { return counts ? 1.0 : p.load_of(i); };
  const double all = counts ? static_cast<double>(p.size()) : total;
  std::size_t objects = 0;  // in the last run
  double filled = 0, before = 0;
  const auto end_run = [&] {
    if (objects == 0) return;
    for (float& each : cut.runs.back().middle) each /= static_cast<float>(objects);
  };
  const auto add = [&](object_run& run, std::uint32_t i) {
    run.load += p.load_of(i);
    run.bytes += p.bytes_of(i);
    for (int d = 0; d < p.dimensions; ++d) run.middle[at(d)] += p.coordinates[i * at(p.dimensions) + at(d)];
    cut.run_of[i] = static_cast<std::uint32_t>(&run - cut.runs.data());
    ++objects;
  };
  const std::vector<std::uint32_t> order = order_of(p);
  for (const std::uint32_t i : order) {
    if (stays(i)) continue;
    const double after = all - before - filled;
    if (objects == 0 || filled + weight(i) / 2 > std::min({all / count, before, after / 2})) {
      end_run();
      cut.runs.push_back({.place = places[i]});
      objects = 0;
      before += std::exchange(filled, 0);
    }
    add(cut.runs.back(), i);
    filled += weight(i);
  }
  end_run();
  objects = 0;
  for (const std::uint32_t i : order) {
    if (!stays(i)) continue;
    if (objects == 0) cut.runs.push_back({.place = places[i], .is_movable = false});
    add(cut.runs.back(), i);
  }
  end_run();
  return cut;
}

std::vector<int> solve_between_groups(const solver& solve, const pe_groups& groups,
                                      std::span<const std::vector<object_run>> runs, const machine& on,
                                      std::uint64_t seed) {
  snapshot all;
  all.pes = groups.size();
  all.seed = seed;
  all.dimensions = problem::most_dimensions;
  std::vector<std::uint64_t> places;
  renumbering nodes;
  for (int group = 0; group < groups.size(); ++group) {
    double speed = 0;
    for (int pe = groups.first[at(group)]; pe < groups.end(group); ++pe) speed += on.speed_of(pe);
    all.speed.push_back(speed);
    all.node.push_back(nodes(on.node_of(groups.first[at(group)])));
    for (const object_run& run : runs[at(group)]) {
      all.pe.push_back(group);
      all.load.push_back(run.load);
      all.bytes.push_back(run.bytes);
      all.movable.push_back(run.is_movable ? 1 : 0);
      all.coordinates.insert(all.coordinates.end(), run.middle.begin(), run.middle.end());
      places.push_back(run.place);
    }
  }
  // Where each group is a node, nodes say nothing.
  if (nodes.all().size() == at(groups.size())) all.node.clear();
  all.curve.resize(places.size());
  std::iota(all.curve.begin(), all.curve.end(), std::uint32_t{0});
  std::ranges::sort(all.curve, {}, [&](std::uint32_t run) { return std::pair(places[run], run); });
  problem between = all.view();
  between.tolerance *= share_between;
  return solve(between);
}

std::vector<int> solve_within_group(const solver& solve, const pe_groups& groups, int group,
                                    const problem& p) {
  const int first = groups.first[at(group)], end = groups.end(group);
  const std::vector<std::uint32_t> order = order_of(p);
  problem own = p;
  own.curve = order;
  const std::vector<int> pes = first_pes(groups, group, own);
  const group_machine machine(p.on, first, end);
  own.pe = pes;
  own.on = {.pes = end - first,
            .node = machine.node,
            .device = machine.device,
            .speed = machine.speed,
            .free_memory = machine.free_memory};
  own.tolerance *= 1 - share_between;
  std::vector<int> solution = solve(own);
  for (int& pe : solution) pe += first;
  return solution;
}

std::vector<int> solve_in_two_levels(const solver& solve, const pe_groups& groups, const problem& p) {
  const std::vector<std::uint32_t> order = order_of(p);
  problem whole = p;
  whole.curve = order;
  const grouped_objects before(whole, groups.size(), [&](std::size_t i) { return groups.of(p.pe[i]); });
  std::vector<std::vector<object_run>> runs;
  std::vector<std::vector<std::uint32_t>> run_of;
  for (int group = 0; group < groups.size(); ++group) {
    const snapshot part = before.part(whole, group);
    object_runs cut = cut_into_runs(part.view(), runs_of_group(groups.end(group) - groups.first[at(group)]));
    runs.push_back(std::move(cut.runs));
    run_of.push_back(std::move(cut.run_of));
  }
  const std::vector<int> groups_of_runs = solve_between_groups(solve, groups, runs, p.on, p.seed);
  std::vector<int> group_of(p.size());
  std::size_t first_run = 0;
  for (int group = 0; group < groups.size(); ++group) {
    const auto& its = before.objects[at(group)];
    for (std::size_t k = 0; k < its.size(); ++k)
      group_of[its[k]] = groups_of_runs[first_run + run_of[at(group)][k]];
    first_run += runs[at(group)].size();
  }
  const grouped_objects after(whole, groups.size(), [&](std::size_t i) { return group_of[i]; });
  std::vector<int> solution(p.size());
  for (int group = 0; group < groups.size(); ++group) {
    const snapshot part = after.part(whole, group);
    problem own = part.view();
    own.on = p.on;
    const std::vector<int> pes = solve_within_group(solve, groups, group, own);
    for (std::size_t k = 0; k < pes.size(); ++k) solution[after.objects[at(group)][k]] = pes[k];
  }
  return solution;
}

}  // namespace imbrex::balance
