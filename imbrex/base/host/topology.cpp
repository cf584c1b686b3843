// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/topology.hpp>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/host_topology.hpp>
#include <imbrex/base/host/processor_mask.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <system_error>

namespace imbrex {
namespace {

/// The processors that this process may use, read once: later a binding may have changed the calling thread's
/// mask.
struct allowance {
  detail::processor_mask mask = detail::affinity_of_this_thread();
  std::vector<int> processors = detail::processors_in(mask);

  allowance() {
    if (processors.empty()) processors.push_back(0);
  }
};

const allowance& allowed() {
  static const allowance once;
  return once;
}

/// The order in which PEs take the processors of this process.
const std::vector<int>& own_order() {
  static const std::vector<int> once =
      detail::binding_order(host_topology(host_topology::parts::processors).cores(allowed().processors));
  return once;
}

}  // namespace

namespace detail {

std::vector<int> binding_order(std::span<const std::vector<int>> cores) {
  std::vector<int> order;
  std::size_t most = 0;
  for (const auto& core : cores) most = std::max(most, core.size());
  for (std::size_t thread = 0; thread < most; ++thread)
    for (const auto& core : cores)
      if (thread < core.size()) order.push_back(core[thread]);
  return order;
}

int processors_of_quota(std::string_view cpu_max) {
  // The line is "QUOTA PERIOD" in microseconds, or "max PERIOD".
  const char* const end = cpu_max.data() + cpu_max.size();
  long long quota = 0;
  long long period = 0;
  const auto first = std::from_chars(cpu_max.data(), end, quota);
  if (first.ec != std::errc{} || first.ptr == end) return 0;
  const auto second = std::from_chars(first.ptr + 1, end, period);
  if (second.ec != std::errc{} || quota <= 0 || period <= 0) return 0;
  constexpr long long most = 1 << 20;
  return static_cast<int>(std::min(most, quota / period + (quota % period != 0 ? 1 : 0)));
}

}  // namespace detail

int processors_of_control_group() {
  std::ifstream groups("/proc/self/cgroup");
  std::string path;
  while (std::getline(groups, path) && !path.starts_with("0::/")) {
  }
  if (!path.starts_with("0::/")) return 0;
  path.erase(0, std::string_view("0::").size());
  int fewest = 0;
  while (true) {
    std::string line;
    std::ifstream quota("/sys/fs/cgroup" + path + "/cpu.max");
    std::getline(quota, line);
    const int processors = detail::processors_of_quota(line);
    if (processors > 0 && (fewest == 0 || processors < fewest)) fewest = processors;
    if (path.empty()) return fewest;
    path.erase(path.rfind('/'));
  }
}

int processors_of_host() { return static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN))); }

int usable_processors() {
  static const int count = [] {
    const int processors = static_cast<int>(allowed().processors.size());
    const int paid = processors_of_control_group();
    return paid > 0 ? std::min(processors, paid) : processors;
  }();
  return count;
}

std::span<const int> usable_processor_numbers() { return allowed().processors; }

int processor_of_pe(int pe) {
  const std::vector<int>& order = own_order();
  return order[static_cast<std::size_t>(pe) % order.size()];
}

std::string bind_this_thread(int pe) {
  const int processor = processor_of_pe(pe);
  if (!detail::set_affinity_of_this_thread(detail::mask_of(processor)))
    throw error("PE " + std::to_string(pe) + " cannot be bound to processor " + std::to_string(processor) +
                ": " + std::strerror(errno) + "; run without --bind core");
  return "processor " + std::to_string(processor);
}

void unbind_this_thread() noexcept {
  const detail::processor_mask& mask = allowed().mask;
  if (!mask.empty()) detail::set_affinity_of_this_thread(mask);
}

}  // namespace imbrex
