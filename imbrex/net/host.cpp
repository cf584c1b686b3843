// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/host.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/topology.hpp>
#include <imbrex/base/max_pes.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex {

std::string name_of_host() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string name;
  if (!(file >> name)) throw error("/proc/sys/kernel/random/boot_id cannot be read: is /proc mounted?");
  for (const char* kind : {"ipc", "net", "pid", "time"}) {
    std::error_code none;  // ignored: a kernel without such namespaces has a single one
    name += " " + std::filesystem::read_symlink("/proc/self/ns/" + std::string(kind), none).string();
  }
  return name;
}

namespace detail {

namespace {

/// False for numbers that no process of this build sends.
bool is_sound(const host_user& of) {
  constexpr int max_processor = 1 << 20;
  return of.pes >= 0 && of.pes <= max_pes && of.usable >= 1 && of.beside >= 0 && of.beside <= max_pes &&
         !of.processors.empty() &&
         std::ranges::all_of(of.processors, [](int p) { return p >= 0 && p < max_processor; });
}

}  // namespace

host_share share_among(std::span<const host_user> all, std::size_t self) {
  std::map<std::string_view, std::vector<const host_user*>> by_host;  // built once, since in a large job only
                                                                      // a few processes are on one host
  for (const auto& process : all) by_host[process.host].push_back(&process);
  const auto part_of = [&](const host_user& of) {
    if (of.pes > 0) return of.pes;
    const auto shares = std::ranges::count_if(by_host[of.host], [&](const host_user* other) {
      return std::ranges::find_first_of(other->processors, of.processors) != other->processors.end();
    });
    return std::max(1, of.usable / static_cast<int>(shares));
  };
  std::set<int> processors;
  int paid = 0;  // processors that a quota pays for: it holds for the host, or at least for all alike
  int threads = 0;
  int first_pe = 0;
  int host_pes = 0;
  int job_pes = 0;
  std::size_t place = 0;
  std::vector<host_process> processes;
  std::vector<int> host_starts;
  std::vector<int> process_starts;
  std::string_view last_host;
  for (const auto& other : all) {
    const int pes = part_of(other);
    if (host_starts.empty() || other.host != last_host) host_starts.push_back(job_pes);
    last_host = other.host;
    process_starts.push_back(job_pes);
    job_pes += pes;
    if (other.host != all[self].host) continue;
    processes.push_back({job_pes - pes, pes, other.processors, other.devices});
    if (&other == &all[self]) {
      first_pe = host_pes;
      place = processes.size() - 1;
    }
    host_pes += pes;
    processors.insert(other.processors.begin(), other.processors.end());
    if (other.usable < static_cast<int>(other.processors.size())) paid = std::max(paid, other.usable);
    threads += pes + other.beside;
  }
  const int usable = paid > 0 ? paid : static_cast<int>(processors.size());
  const bool is_only_host =
      std::ranges::all_of(all, [&](const host_user& other) { return other.host == all[self].host; });
  const bool has_devices_side_by_side = std::ranges::any_of(by_host, [](const auto& host) {
    return std::ranges::count_if(host.second, [](const auto* of) { return !of->devices.empty(); }) > 1;
  });
  return {part_of(all[self]),
          threads <= usable,
          is_only_host,
          all.front().host == all[self].host,
          first_pe,
          host_pes,
          std::move(processes),
          place,
          all.front().drawn,
          std::move(host_starts),
          std::move(process_starts),
          has_devices_side_by_side};
}

}  // namespace detail

namespace {

detail::host_user this_process(std::string host, int pes, int beside, const std::string& devices) {
  const auto numbers = usable_processor_numbers();
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {std::move(host),
          pes,
          usable_processors(),
          {numbers.begin(), numbers.end()},
          beside,
          devices,
          static_cast<std::uint64_t>(now.count())};
}

}  // namespace

int pes_of_own_processors(const host_share& share) {
  const std::vector<int>& own = share.processes[share.self].processors;
  const auto is_own = [&](int processor) { return std::ranges::find(own, processor) != own.end(); };
  int pes = 0;
  for (std::size_t p = 0; p < share.processes.size(); ++p)
    if (p == share.self || std::ranges::any_of(share.processes[p].processors, is_own))
      pes += share.processes[p].pes;
  return pes;
}

std::string shared_processors_text(const host_share& share, int usable) {
  std::set<int> of_all;
  for (const host_process& each : share.processes)
    of_all.insert(each.processors.begin(), each.processors.end());
  const int processors = share.processes.size() > 1 ? static_cast<int>(of_all.size()) : usable;
  if (share.self != 0 || share.host_pes <= processors) return {};
  return std::to_string(share.host_pes) + " PEs share " + std::to_string(processors) +
         (processors == 1 ? " processor" : " processors") +
         " of this host: each waits for others to leave theirs; lower --pes" +
         (share.processes.size() > 1 ? ", or start fewer processes" : "");
}

host_share own_host(int pes, int beside) {
  const std::array all{this_process({}, pes, beside, {})};
  return detail::share_among(all, 0);
}

host_share share_host(bootstrap& job, int pes, int beside, const std::string& devices) {
  writer out;
  out(this_process(name_of_host(), pes, beside, devices));
  const auto own_text = out.written();
  std::vector<detail::host_user> all;
  for (const auto& text : job.all_gather({reinterpret_cast<const char*>(own_text.data()), own_text.size()})) {
    reader in({reinterpret_cast<const std::byte*>(text.data()), text.size()});
    try {
      in(all.emplace_back());
      in.finish();
      if (!detail::is_sound(all.back())) throw serial_error("numbers that no process has");
    } catch (const serial_error&) {
      const std::string problem =
          "processes of this job are of different builds of imbrex: start the same build everywhere";
      if (job.rank() != 0) throw reported_error(problem);
      throw error(problem);
    }
  }
  std::int64_t total = 0;
  for (const auto& process : all) total += process.pes != 0 ? process.pes : 1;
  if (total > detail::max_pes) {
    const std::string problem = "the processes of this job have " + std::to_string(total) +
                                " PEs together, and a run has " + std::to_string(detail::max_pes) +
                                " at most: start fewer, or give each less by --pes";
    if (job.rank() != 0) throw reported_error(problem, usage_error::exit_status);
    throw usage_error(problem);
  }
  return detail::share_among(all, static_cast<std::size_t>(job.rank()));
}

}  // namespace imbrex
