// SPDX-License-Identifier: Apache-2.0
#include "apps/harness/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

namespace harness {
namespace {

constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();

std::optional<std::uint64_t> number_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

// The number after a word at the start of a line, as in "MemAvailable:  123 kB" and "inactive_file 123".
std::optional<std::uint64_t> number_beside(const std::string& word, const std::filesystem::path& path) {
  std::ifstream file(path);
  for (std::string first, rest; file >> first; std::getline(file, rest)) {
    std::uint64_t number = 0;
    if (first == word && file >> number) return number;
  }
  return std::nullopt;
}

std::uint64_t machine_memory() {
  const auto kibibytes = number_beside("MemAvailable:", "/proc/meminfo");
  return kibibytes ? *kibibytes * 1024 : unknown;
}

// The memory left in one control group: its limit less the used memory, without the inactive page cache.
std::uint64_t left_in(const std::filesystem::path& group, const char* limit_name, const char* used_name,
                      const char* reclaimable_name) {
  const auto limit = number_in(group / limit_name);
  const auto used = number_in(group / used_name);
  if (!limit || !used) return unknown;
  const auto reclaimable = number_beside(reclaimable_name, group / "memory.stat").value_or(0);
  const std::uint64_t held = *used - std::min(*used, reclaimable);
  return *limit - std::min(*limit, held);
}

// Limits may be set for the process's own group, and for any group above it.
std::uint64_t control_group_memory() {
  const std::filesystem::path root = "/sys/fs/cgroup";
  std::uint64_t least =
      left_in(root / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file");
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("0::/")) continue;
    for (std::filesystem::path group = root / line.substr(4);; group = group.parent_path()) {
      least = std::min(least, left_in(group, "memory.max", "memory.current", "inactive_file"));
      if (group == root || !group.has_relative_path()) break;
    }
  }
  return least;
}

}  // namespace

std::uint64_t available_memory() { return std::min(machine_memory(), control_group_memory()); }

std::string in_binary_units(double bytes) {
  constexpr std::array<const char*, 7> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return fmt::format("{:.4g} {}", bytes, units[unit]);
}

}  // namespace harness
