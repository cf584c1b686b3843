// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/parity.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/read_file.hpp>
#include <imbrex/base/host/whole_file.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/checkpoint/part_reader.hpp>

namespace imbrex::checkpoints {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view name_begin = "xor-";
constexpr std::string_view name_end = ".icx";
constexpr std::size_t most_bytes = std::size_t{1} << 46U;

std::string in_four_digits(int number) {
  const std::string text = std::to_string(number);
  return std::string(4 - std::min<std::size_t>(4, text.size()), '0') + text;
}

/// The numbers of processes in the name of a parity: those of its group, and then its holder.
std::optional<std::pair<parity_group, int>> processes_in_name(const std::string& name) {
  if (!name.starts_with(name_begin) || !name.ends_with(name_end)) return std::nullopt;
  std::string_view rest = std::string_view(name).substr(name_begin.size());
  rest.remove_suffix(name_end.size());
  parity_group all;
  while (!rest.empty()) {
    const auto end = std::min(rest.find('-'), rest.size());
    const auto number = parse_number<int>(rest.substr(0, end));
    if (!number || *number < 0) return std::nullopt;
    all.push_back(*number);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  constexpr std::size_t least = 3;  // two processes and the holder
  if (all.size() < least) return std::nullopt;
  const int holder = all.back();
  all.pop_back();
  if (!std::ranges::is_sorted(all) || std::ranges::find(all, holder) == all.end()) return std::nullopt;
  return std::pair(std::move(all), holder);
}

/// Positions are counted in the group, round.
int position_in(const parity_group& group, int process) {
  return static_cast<int>(std::ranges::find(group, process) - group.begin());
}

/// The segment of a process's part that another one of the group keeps.
parity_segment segment_for(const parity_group& group, int process, std::uint64_t bytes, int holder) {
  for (const parity_segment& each : segments_of(group, process, bytes))
    if (each.holder == holder) return each;
  return {.holder = holder};
}

std::string path_of(const std::string& checkpoint, const std::string& name) {
  return (fs::path(checkpoint) / name).string();
}

std::vector<std::byte> read_all(const std::string& file) {
  const std::string text = read_file(file, most_bytes);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// The groups by which the part of a process can be rebuilt from these files.
std::vector<parity_group> groups_for(std::span<const std::string> files, int process) {
  std::map<parity_group, std::size_t> parities;
  for (const std::string& file : files)
    if (const auto in_name = processes_in_name(file))
      if (in_name->second != process) ++parities[in_name->first];
  const auto has_part = [&](int other) {
    return other == process || std::ranges::find(files, name_of_part(other)) != files.end();
  };
  std::vector<parity_group> groups;
  for (const auto& [group, count] : parities)
    if (std::ranges::find(group, process) != group.end() && count + 1 == group.size() &&
        std::ranges::all_of(group, has_part))
      groups.push_back(group);
  return groups;
}

}  // namespace

std::vector<parity_group> parity_groups(std::span<const int> hosts, int size) {
  const int count = hosts.empty() ? 0 : *std::ranges::max_element(hosts) + 1;
  if (count < 2) return {};
  const int blocks = std::max(1, count / size);
  std::vector<std::vector<int>> of_host(static_cast<std::size_t>(count));
  for (std::size_t p = 0; p < hosts.size(); ++p)
    of_host[static_cast<std::size_t>(hosts[p])].push_back(static_cast<int>(p));
  std::vector<parity_group> groups;
  for (int block = 0; block < blocks; ++block) {
    const auto first = static_cast<std::size_t>(block * count / blocks);
    const auto last = static_cast<std::size_t>((block + 1) * count / blocks);
    std::size_t most = 0;
    for (std::size_t h = first; h < last; ++h) most = std::max(most, of_host[h].size());
    for (std::size_t slot = 0; slot < most; ++slot) {
      parity_group group;
      std::size_t host = first;
      for (std::size_t h = first; h < last; ++h)
        if (slot < of_host[h].size()) {
          group.push_back(of_host[h][slot]);
          host = h;
        }
      if (group.size() == 1) group.push_back(of_host[host + 1 < last ? host + 1 : first].front());
      std::ranges::sort(group);
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

std::vector<parity_segment> segments_of(const parity_group& group, int process, std::uint64_t bytes) {
  const std::size_t others = group.size() - 1;
  const std::uint64_t size = (bytes + others - 1) / others;
  const auto own = static_cast<std::size_t>(position_in(group, process));
  std::vector<parity_segment> segments;
  for (std::size_t i = 0; i < others; ++i)
    segments.push_back({.holder = group[(own + 1 + i) % group.size()],
                        .begin = std::min(bytes, i * size),
                        .end = std::min(bytes, (i + 1) * size)});
  return segments;
}

void add_by_xor(std::vector<std::byte>& sum, std::uint64_t position, std::span<const std::byte> bytes) {
  sum.resize(std::max<std::size_t>(sum.size(), position + bytes.size()));
  std::byte* const into = sum.data() + position;
  for (std::size_t i = 0; i < bytes.size(); ++i) into[i] ^= bytes[i];
}

std::string name_of_parity(const parity_group& group, int holder) {
  std::string name(name_begin);
  for (const int process : group) name += in_four_digits(process) + "-";
  return name + in_four_digits(holder) + std::string(name_end);
}

bool is_name_of_parity(const std::string& name) { return processes_in_name(name).has_value(); }

void write_parity(const std::string& checkpoint, const parity_group& group, int holder,
                  std::span<const std::byte> parity) {
  const std::string file = path_of(checkpoint, name_of_parity(group, holder));
  try {
    whole_file out(file);
    out.write(parity);
    out.put_in_place();
  } catch (const error& why) {
    throw error("cannot write \"" + printable(file) + "\": " + why.what());
  }
}

bool can_rebuild(std::span<const std::string> files, int process) {
  return !groups_for(files, process).empty();
}

void rebuild_part(const std::string& checkpoint, const manifest& m, int process) {
  const std::string file = path_of(checkpoint, name_of_part(process));
  std::vector<std::string> files;
  for (const auto& each : fs::directory_iterator(checkpoint))
    files.push_back(each.path().filename().string());
  const auto groups = groups_for(files, process);
  if (groups.empty())
    throw error("\"" + printable(file) + "\" is lost, and cannot be rebuilt from the files of other hosts");
  const parity_group& group = groups.front();
  const auto bytes_of = [&](int part) { return m.parts.at(static_cast<std::size_t>(part)).bytes; };
  const auto lost = segments_of(group, process, bytes_of(process));
  std::vector<std::vector<std::byte>> sums;
  for (const parity_segment& each : lost)
    sums.push_back(read_all(path_of(checkpoint, name_of_parity(group, each.holder))));
  for (const int other : group) {
    if (other == process) continue;
    const auto whole = read_all(path_of(checkpoint, name_of_part(other)));
    if (whole.size() != bytes_of(other))
      throw error(printable(path_of(checkpoint, name_of_part(other))) + " is cut");
    for (std::size_t i = 0; i < lost.size(); ++i) {
      if (lost[i].holder == other) continue;
      const parity_segment its = segment_for(group, other, whole.size(), lost[i].holder);
      add_by_xor(sums[i], 0, std::span(whole).subspan(its.begin, its.end - its.begin));
    }
  }
  std::vector<std::byte> part(bytes_of(process));
  for (std::size_t i = 0; i < lost.size(); ++i) {
    sums[i].resize(std::max<std::size_t>(sums[i].size(), lost[i].end - lost[i].begin));
    std::copy_n(sums[i].begin(), lost[i].end - lost[i].begin,
                part.begin() + static_cast<std::ptrdiff_t>(lost[i].begin));
  }
  const part_reader rebuilt(part, file);
  rebuilt.verify();
  if (rebuilt.summary() != m.parts.at(static_cast<std::size_t>(process)))
    throw error("\"" + printable(file) + "\", rebuilt from files of other hosts, has another digest");
  whole_file out(file);
  out.write(part);
  out.put_in_place();
}

}  // namespace imbrex::checkpoints
