// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/endpoint/fabric_network.hpp>

#include <chrono>
#include <map>
#include <thread>
#include <utility>

#include <imbrex/net/endpoint/text.hpp>
#include <imbrex/net/host.hpp>

namespace imbrex::endpoints {
namespace {

/// Ends all processes; only process 0 reports the error.
[[noreturn]] void refuse_programs(int rank, const std::vector<int>& others) {
  std::string text = others.size() == 1 ? "process " : "processes ";
  for (std::size_t i = 0; i < others.size(); ++i)
    text += (i == 0 ? "" : i + 1 == others.size() ? " and " : ", ") + std::to_string(others[i]);
  text += (others.size() == 1 ? " runs" : " run");
  text += " another program than process 0 (or another build of it): start the same build everywhere";
  if (rank != 0) throw reported_error(text);
  throw error(text);
}

/// Exchanges the introductions of all processes and opens the fabric. Collective. Throws if processes do not
/// run the same program.
std::vector<introduction> meet(bootstrap& job, int pes, std::uint64_t program, fabric& by) {
  auto all = gather(job, introduction{program, pes, name_of_host(), draw_token(), by.introduction()});
  std::vector<int> strangers;
  for (int process = 0; process < job.size(); ++process)
    if (all[static_cast<std::size_t>(process)].program != all.front().program) strangers.push_back(process);
  if (!strangers.empty()) refuse_programs(job.rank(), strangers);
  std::vector<std::string> introductions;
  for (const auto& one : all) introductions.push_back(one.fabric);
  by.open(introductions, job.rank());
  return all;
}

}  // namespace

fabric_network::fabric_network(bootstrap& job, int pes, detail::endpoint_sharing sharing,
                               std::uint64_t program, receiver& to, std::unique_ptr<fabric> by,
                               endpoint_maker make)
    : fabric_(std::move(by)), all_(meet(job, pes, program, *fabric_)) {
  places_.token = all_.front().token;
  find_places(job, make_endpoints(job, pes, sharing, to, make));
  if (link_monitors_.size() > 1)
    watch_other_hosts(
        job, places_.endpoints[places_.endpoint_of_pe[static_cast<std::size_t>(pes_.first)]].host, to);
  if (static_cast<int>(endpoints_.size()) != pes) return;
  for (std::size_t p = 0; p < endpoints_.size(); ++p)
    endpoints_[p]->belong_to(pes_.first + static_cast<int>(p));
}

std::vector<std::vector<std::string>> fabric_network::make_endpoints(bootstrap& job, int pes,
                                                                     detail::endpoint_sharing sharing,
                                                                     receiver& to, endpoint_maker make) {
  std::vector<std::string> addresses;
  const int count = sharing == detail::endpoint_sharing::each ? pes : 1;
  for (int p = 0; p < count; ++p) {
    endpoints_.push_back(make(fabric_->make_worker(), job.rank(), places_, to));
    addresses.push_back(endpoints_.back()->address());
  }
  return gather(job, addresses);
}

void fabric_network::find_places(bootstrap& job, const std::vector<std::vector<std::string>>& addresses) {
  const std::string& own_host = all_[static_cast<std::size_t>(job.rank())].host;
  std::map<std::string, int> hosts;
  for (int process = 0; process < job.size(); ++process) {
    const auto& other = all_[static_cast<std::size_t>(process)];
    const auto& its_addresses = addresses[static_cast<std::size_t>(process)];
    if (process == job.rank()) pes_ = {static_cast<int>(places_.endpoint_of_pe.size()), other.pes, 0};
    places_.first_endpoint.push_back(places_.endpoints.size());
    const auto [host, is_first] = hosts.try_emplace(other.host, static_cast<int>(hosts.size()));
    if (is_first) link_monitors_.push_back({process, {}});
    const bool is_here = other.host == own_host;
    places_.are_on_one_host &= is_here;
    const std::size_t others_endpoints = its_addresses.size();
    for (std::size_t p = 0; p < static_cast<std::size_t>(other.pes); ++p)
      places_.endpoint_of_pe.push_back(places_.endpoints.size() + (others_endpoints == 1 ? 0 : p));
    for (const auto& address : its_addresses)
      places_.endpoints.push_back(
          {{address, process, is_here}, host->second, other.pes == static_cast<int>(others_endpoints)});
  }
  pes_.total = static_cast<int>(places_.endpoint_of_pe.size());
}

void fabric_network::watch_other_hosts(bootstrap& job, int host, receiver& to) {
  const auto& own = link_monitors_[static_cast<std::size_t>(host)];
  if (own.process == job.rank()) watch_ = fabric_->make_watch(host, link_monitors_, places_.token, to);
  const auto addresses = job.all_gather(watch_ ? watch_->address() : "");
  for (auto& other : link_monitors_) other.address = addresses[static_cast<std::size_t>(other.process)];
  if (!fabric_->watches_links()) return;
  places_.link_monitor = own.process;
  places_.own_watch = watch_.get();
}

detail::endpoint& fabric_network::endpoint_of(int pe) {
  return endpoints_.size() == 1 ? *endpoints_.front()
                                : *endpoints_[static_cast<std::size_t>(pe - pes_.first)];
}

detail::network::counts fabric_network::counted() const {
  counts sum;
  for (const auto& endpoint : endpoints_) {
    sum.sent += endpoint->sent();
    sum.received += endpoint->received();
  }
  return sum;
}

void fabric_network::start() {
  if (watch_) watch_->start();
}

void fabric_network::flush(std::chrono::milliseconds at_most) {
  const auto until = std::chrono::steady_clock::now() + at_most;
  const auto all_flushed = [this] {
    bool all = true;
    for (auto& endpoint : endpoints_) all &= endpoint->flushed();
    return all;
  };
  while (!all_flushed() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
}

void fabric_network::close() {
  watch_.reset();  // first, since it may be about to report a loss
  bool finished = true;
  for (auto& endpoint : endpoints_) finished &= endpoint->close();
  fabric_->close(finished);
}

}  // namespace imbrex::endpoints
