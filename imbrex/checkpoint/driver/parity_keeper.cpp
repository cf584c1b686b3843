// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/driver/parity_keeper.hpp>

#include <algorithm>

#include <imbrex/checkpoint/driver/part_file.hpp>
#include <imbrex/core/extension/load.hpp>
#include <imbrex/core/extension/run.hpp>
#include <imbrex/core/extension/stop.hpp>

namespace imbrex::checkpoints::detail {

namespace {

constexpr int hosts_of_partners = 2;
constexpr int hosts_of_parity = 8;

const checkpoint_settings& own_settings() { return extension::current_pe().run().settings().checkpoint; }

}  // namespace

bool have_hosts_own_folders() {
  const extension::run_handle run = extension::current_pe().run();
  return run.settings().checkpoint.hosts != checkpoint_hosts::shared && run.host_starts().size() > 1;
}

bool is_first_of_process() {
  const extension::current_pe pe;
  return pe.number() == 0 || !pe.run().holds(pe.number() - 1);
}

bool is_first_of_host() {
  const extension::current_pe pe;
  return std::ranges::find(pe.run().host_starts(), pe.number()) != pe.run().host_starts().end();
}

int host_here() {
  const extension::current_pe pe;
  const auto starts = pe.run().host_starts();
  return static_cast<int>(std::ranges::upper_bound(starts, pe.number()) - starts.begin()) - 1;
}

parity_keeper::parity_keeper() { extension::stop_here().leave_out(extension::header_of(*this)); }

std::optional<process_place> parity_keeper::place() const {
  if (!is_first_of_process()) return std::nullopt;
  return process_place{extension::current_pe().run().process(), pe(), host_here()};
}

std::uint64_t parity_keeper::largest_number() const {
  if (!is_first_of_host()) return 0;
  std::uint64_t largest = 0;
  for (const listed_checkpoint& each : checkpoint_folder(own_settings().folder).list())
    largest = std::max(largest, each.number);
  return largest;
}

void parity_keeper::learn(const std::vector<process_place>& places) {
  std::vector<int> hosts(places.size());
  for (const process_place& each : places) {
    first_pes_[each.process] = each.pe;
    hosts[static_cast<std::size_t>(each.process)] = each.host;
  }
  const bool are_partners = own_settings().hosts == checkpoint_hosts::partner;
  groups_ = parity_groups(hosts, are_partners ? hosts_of_partners : hosts_of_parity);
}

task<std::string> parity_keeper::protect(const checkpoint_identity& which, int process) {
  std::string problem;
  try {
    const part_file part(path_of_part(which.path, process));
    for (const parity_group& group : groups_) {
      if (std::ranges::find(group, process) == group.end()) continue;
      for (const parity_segment& each : segments_of(group, process, part.bytes()))
        for (std::uint64_t at = each.begin; at < each.end; at += bytes_at_once)
          co_await peers()[first_pes_.at(each.holder)].call<&parity_keeper::add>(
              which.number, group, at - each.begin, part.read(at, std::min(each.end, at + bytes_at_once)));
    }
  } catch (const std::exception& e) {
    problem = e.what();
  }
  co_return problem;
}

void parity_keeper::add(std::uint64_t number, const parity_group& group, std::uint64_t position,
                        const std::vector<std::byte>& bytes) {
  if (number_ != number) {
    number_ = number;
    for (auto& [of, sum] : parities_) sum.clear();  // the memory stays for this checkpoint
  }
  add_by_xor(parities_[group], position, bytes);
}

std::string parity_keeper::write(const checkpoint_identity& which) try {
  if (!is_first_of_process()) return {};
  const int process = extension::current_pe().run().process();
  for (const parity_group& group : groups_)
    if (std::ranges::find(group, process) != group.end()) {
      const bool has_bytes = number_ == which.number;
      write_parity(which.path, group, process, has_bytes ? parities_[group] : std::vector<std::byte>());
    }
  return {};
} catch (const std::exception& e) {
  return e.what();
}

std::string parity_keeper::commit(const checkpoint_identity& which, const std::string& manifest_text,
                                  std::uint64_t oldest) try {
  if (!is_first_of_host() || pe() == 0) return {};
  write_manifest_text(which.path, manifest_text);
  checkpoint_folder(own_settings().folder).remove_outside(oldest, which.number);
  return {};
} catch (const std::exception& e) {
  return e.what();
}

}  // namespace imbrex::checkpoints::detail
