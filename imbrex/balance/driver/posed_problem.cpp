// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/driver/posed_problem.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include <imbrex/balance/curve_order.hpp>
#include <imbrex/balance/edges.hpp>

namespace imbrex::balance::detail {

std::vector<posed_object> objects_of(const std::vector<pe_loads>& loads, std::optional<std::uint64_t> only) {
  std::vector<posed_object> objects;
  for (const pe_loads& of_pe : loads)
    for (const array_loads& its : of_pe.arrays)
      for (std::size_t i = 0; i < its.keys.size(); ++i)
        objects.push_back({.array = its.array,
                           .key = its.keys[i],
                           .device_bytes = its.device_bytes.empty() ? 0 : its.device_bytes[i],
                           .pe = of_pe.pe,
                           .load = its.loads[i],
                           .device_load = its.device_loads.empty() ? 0 : its.device_loads[i],
                           .device_elapsed = its.device_elapsed.empty() ? 0 : its.device_elapsed[i],
                           .measured = its.measured.empty() ? 0 : its.measured[i],
                           .sent = its.sent.empty() ? sent_amount{} : its.sent[i],
                           .is_movable = its.movable[i] != 0 && (!only || *only == its.array)});
  sort_by_name(objects);
  return objects;
}

void sort_by_name(std::vector<posed_object>& objects) {
  const auto name_of = [](const posed_object& one) { return std::pair(one.array, one.key); };
  std::ranges::sort(objects, {}, name_of);
  // Periods of PEs end at different moments, so an element that has moved may be on two of them.
  const auto rest = std::ranges::unique(objects, {}, name_of);
  objects.erase(rest.begin(), rest.end());
}

posed_problem::posed_problem(balanced_loads by, bool has_sent, std::vector<int> nodes)
    : by_(by), has_sent_(has_sent) {
  problem_.pes = static_cast<int>(nodes.size());
  problem_.node = std::move(nodes);
}

/// Numbers the devices in the order of their first PEs.
void posed_problem::pose_devices(const std::vector<pe_loads>& loads) {
  std::map<std::int32_t, int> numbers;
  for (const pe_loads& of_pe : loads)
    if (of_pe.device >= 0) numbers.emplace(of_pe.device, 0);
  int next = 0;
  for (auto& each : numbers) each.second = next++;
  problem_.device.clear();
  problem_.free_memory.clear();
  if (numbers.empty()) return;
  problem_.device.resize(static_cast<std::size_t>(problem_.pes), -1);
  problem_.free_memory.resize(numbers.size(), std::numeric_limits<std::uint64_t>::max());
  for (const pe_loads& of_pe : loads) {
    if (of_pe.device < 0) continue;
    const int number = numbers.at(of_pe.device);
    problem_.device[static_cast<std::size_t>(of_pe.pe)] = number;
    std::uint64_t& free = problem_.free_memory[static_cast<std::size_t>(number)];
    free = std::min(free, of_pe.free_memory);
  }
}

void posed_problem::pose(const std::vector<posed_object>& objects, const std::vector<pe_loads>& loads,
                         const coordinates_function& coordinates) {
  snapshot& p = problem_;
  p.pe.clear();
  p.load.clear();
  p.movable.clear();
  p.device_load.clear();
  p.device_elapsed.clear();
  p.device_bytes.clear();
  p.sent.clear();
  pose_devices(loads);
  std::vector<object_name> names;
  for (const posed_object& each : objects) {
    names.push_back({each.array, each.key});
    p.pe.push_back(each.pe);
    if (by_ != balanced_loads::device) p.load.push_back(each.load);
    p.movable.push_back(each.is_movable ? 1 : 0);
    if (has_sent_) p.sent.push_back(each.sent);
    if (p.device.empty()) continue;
    p.device_load.push_back(each.device_load);
    p.device_elapsed.push_back(each.device_elapsed);
    p.device_bytes.push_back(each.device_bytes);
  }
  const bool have_changed = names != names_;
  names_ = std::move(names);
  if (have_changed) pose_coordinates(coordinates);  // else the order along the curve stays
}

void posed_problem::pose_edges(const std::vector<pe_loads>& loads) {
  std::vector<edge> edges;
  std::vector<float> bytes;
  const auto find = [this](const object_name& name) {
    const auto at = std::ranges::lower_bound(names_, name);
    const bool is_found = at != names_.end() && *at == name;
    return static_cast<std::uint32_t>(is_found ? at - names_.begin() : std::ssize(names_));
  };
  for (const pe_loads& of_pe : loads)
    for (const edge_load& each : of_pe.edges) {
      const edge its{find({each.array, each.key}), find({each.to_array, each.to_key})};
      if (its.from == its.to || std::max(its.from, its.to) >= names_.size()) continue;
      edges.push_back(its);
      bytes.push_back(each.bytes);
    }
  set_edges(problem_, edges, bytes);
}

void posed_problem::pose_coordinates(const coordinates_function& coordinates) {
  snapshot& p = problem_;
  p.dimensions = 0;
  p.curve.clear();
  p.coordinates.clear();
  std::array<float, problem::most_dimensions> where{};
  for (const object_name& each : names_)
    p.dimensions = std::max(p.dimensions, coordinates(each.array, each.key, where.data()));
  for (const object_name& each : names_) {
    where = {};
    coordinates(each.array, each.key, where.data());
    p.coordinates.insert(p.coordinates.end(), where.begin(), where.begin() + p.dimensions);
  }
  p.curve = curve_order(p.view());
}

std::vector<array_moves> posed_problem::moves_of(const std::vector<int>& solution) const {
  std::vector<array_moves> moves;
  for (std::size_t i = 0; i < solution.size(); ++i) {
    if (solution[i] == problem_.pe[i]) continue;
    if (moves.empty() || moves.back().array != names_[i].array) moves.emplace_back().array = names_[i].array;
    array_moves& its = moves.back();
    its.keys.push_back(names_[i].key);
    its.from.push_back(problem_.pe[i]);
    its.to.push_back(solution[i]);
  }
  return moves;
}

std::uint64_t count_of(const std::vector<array_moves>& moves) {
  std::uint64_t count = 0;
  for (const array_moves& each : moves) count += each.keys.size();
  return count;
}

std::vector<array_moves> reversed(std::vector<array_moves> moves) {
  for (array_moves& each : moves) std::swap(each.from, each.to);
  return moves;
}

}  // namespace imbrex::balance::detail
