// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/nearest_devices.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include <imbrex/base/host/topology.hpp>

namespace imbrex::detail {

std::vector<std::vector<int>> device_places(std::span<const std::unique_ptr<device>> devices) {
  std::vector<std::vector<int>> places(devices.size());
  const auto is_hardware = [](const auto& d) { return !d->info().pci_bus_id.empty(); };
  if (std::ranges::none_of(devices, is_hardware)) return places;
  const host_topology here(host_topology::parts::processors_and_devices);
  std::ranges::transform(devices, places.begin(), [&](const auto& d) {
    return is_hardware(d) ? here.processors_near(d->info().pci_bus_id) : std::vector<int>{};
  });
  return places;
}

std::vector<std::vector<distance>> device_distances(const host_topology& host,
                                                    std::span<const host_process> processes, bool bound,
                                                    std::span<const std::vector<int>> near) {
  const auto distances_from = [&](std::span<const int> processors) {
    std::vector<distance> row;
    for (const auto& device : near) row.push_back(host.between(processors, device));
    return row;
  };
  std::map<int, std::vector<distance>> from_processor;
  const auto distances_of = [&](int processor) {
    const auto [found, is_new] = from_processor.try_emplace(processor);
    if (is_new) found->second = distances_from({&processor, 1});
    return found->second;
  };
  std::map<std::vector<int>, std::pair<std::size_t, std::size_t>>
      sharers;  // by processors: total PEs, and PEs passed so far
  for (const host_process& process : processes)
    sharers[process.processors].first += static_cast<std::size_t>(process.pes);
  std::vector<std::vector<distance>> all;
  for (const host_process& process : processes) {
    const auto cores = host.cores(process.processors);
    const auto order = binding_order(cores);
    std::vector<int> in_place;
    for (const auto& core : cores) in_place.insert(in_place.end(), core.begin(), core.end());
    auto& [pes, passed] = sharers[process.processors];
    for (int pe = process.first_pe; pe < process.first_pe + process.pes; ++pe)
      all.push_back(distances_of(bound ? order[static_cast<std::size_t>(pe) % order.size()]
                                       : in_place[passed++ * in_place.size() / pes]));
  }
  return all;
}

std::vector<int> nearest_devices(std::span<const std::vector<distance>> distances) {
  using choice = std::pair<std::size_t, std::vector<std::size_t>>;  // number of devices, and the devices
  std::map<choice, std::vector<std::size_t>> pes_of;
  std::size_t devices = 0;
  for (std::size_t pe = 0; pe < distances.size(); ++pe) {
    const auto& from = distances[pe];
    devices = from.size();
    const distance least = *std::ranges::min_element(from);
    std::vector<std::size_t> nearest;
    for (std::size_t d = 0; d < from.size(); ++d)
      if (from[d] == least) nearest.push_back(d);
    pes_of[{nearest.size(), nearest}].push_back(pe);
  }
  std::vector<int> chosen(distances.size());
  std::vector<std::size_t> users(devices);
  for (const auto& [which, pes] : pes_of) {
    const auto& nearest = which.second;
    const std::vector<std::size_t> before = users;
    for (std::size_t i = 0; i < pes.size(); ++i)
      ++users[*std::ranges::min_element(nearest, {}, [&](std::size_t d) { return users[d]; })];
    auto pe = pes.begin();
    for (const std::size_t d : nearest)
      for (std::size_t i = before[d]; i < users[d]; ++i) chosen[*pe++] = static_cast<int>(d);
  }
  return chosen;
}

std::vector<int> nearest_devices(const host_topology& host, std::span<const host_process> processes,
                                 bool bound, std::span<const std::vector<int>> near) {
  if (std::ranges::all_of(near, [](const auto& place) { return place.empty(); })) return {};
  return nearest_devices(device_distances(host, processes, bound, near));
}

}  // namespace imbrex::detail
