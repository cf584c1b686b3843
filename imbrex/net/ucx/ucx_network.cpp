// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/ucx/ucx_network.hpp>

#include <signal.h>

#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <ucs/debug/debug.h>

#include <imbrex/base/descriptor.hpp>
#include <imbrex/net/host.hpp>
#include <imbrex/net/ucx/heartbeat.hpp>
#include <imbrex/net/ucx/ucx_port.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex {
namespace ucx {
namespace {

/// UCX takes SIGHUP when it is loaded, to switch its debug output on, and nobody ends by it any more. Before `main`,
/// so that what the program then does with the signal stays.
[[maybe_unused]] const bool hangup_is_given_back = [] {
  if (std::getenv("UCX_DEBUG_SIGNO") != nullptr) return false;
  ucs_debug_disable_signal(SIGHUP);
  return true;
}();

/// What a process tells the others at the start.
struct introduction {
  std::uint64_t program = 0;
  std::string host;
  int pes = 0;
  std::vector<std::string> addresses;  ///< of its ports: one for each PE, or one for all
};

std::string to_text(const introduction& mine) {
  writer out;
  out(mine);
  const auto bytes = out.written();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

introduction from_text(const std::string& text) {
  introduction other;
  reader in({reinterpret_cast<const std::byte*>(text.data()), text.size()});
  in(other);
  in.finish();
  return other;
}

/// Process 0 says it, once; all end.
[[noreturn]] void refuse_programs(int rank, const std::vector<int>& others) {
  std::string text = others.size() == 1 ? "process " : "processes ";
  for (std::size_t i = 0; i < others.size(); ++i)
    text += (i == 0 ? "" : i + 1 == others.size() ? " and " : ", ") + std::to_string(others[i]);
  text += (others.size() == 1 ? " runs" : " run");
  text += " another program than process 0 (or another build of it): start the same build everywhere";
  if (rank != 0) throw told_error(text);
  throw error(text);
}

class ucx_network final : public network {
 public:
  ucx_network(bootstrap& job, int pes, port_sharing sharing, std::uint64_t program, receiver& to)
      : context_(make_context(connecting::may_block)) {
    allow_many_descriptors();  // over TCP each connection takes one, and each worker several
    const int ports = sharing == port_sharing::each ? pes : 1;
    for (int p = 0; p < ports; ++p)
      ports_.push_back(std::make_unique<ucx_port>(context_.get(), job.rank(), places_, to));
    introduction mine{program, name_of_host(), pes, {}};
    for (const auto& p : ports_) mine.addresses.push_back(p->address());
    const auto all = job.all_gather(to_text(mine));
    const auto first = from_text(all.front());
    std::vector<int> strangers;
    std::map<std::string, int> hosts;
    for (int process = 0; process < job.size(); ++process) {
      const auto other = from_text(all[static_cast<std::size_t>(process)]);
      if (other.program != first.program) strangers.push_back(process);
      if (process == job.rank()) pes_ = {static_cast<int>(places_.port_of_pe.size()), pes, 0};
      places_.first_port.push_back(places_.ports.size());
      const auto [host, is_first] = hosts.try_emplace(other.host, static_cast<int>(hosts.size()));
      if (is_first) watchmen_.push_back({process, {}});
      places_.are_on_one_host &= other.host == mine.host;
      const std::size_t others_ports = other.addresses.size();
      for (std::size_t p = 0; p < static_cast<std::size_t>(other.pes); ++p)
        places_.port_of_pe.push_back(places_.ports.size() + (others_ports == 1 ? 0 : p));
      for (const auto& address : other.addresses)
        places_.ports.push_back({address, process, host->second, other.host == mine.host,
                                 other.pes == static_cast<int>(others_ports)});
    }
    if (!strangers.empty()) refuse_programs(job.rank(), strangers);
    if (watchmen_.size() > 1) watch_other_hosts(job, hosts.at(mine.host), to);
    pes_.total = static_cast<int>(places_.port_of_pe.size());
    for (std::size_t p = 0; p < ports_.size() && ports == pes; ++p)
      ports_[p]->belong_to(pes_.first + static_cast<int>(p));
  }

  const pe_range& pes() const override { return pes_; }
  port& port_of(int pe) override {
    return ports_.size() == 1 ? *ports_.front() : *ports_[static_cast<std::size_t>(pe - pes_.first)];
  }

  counts counted() const override {
    counts sum;
    for (const auto& p : ports_) {
      sum.sent += p->sent();
      sum.received += p->received();
    }
    return sum;
  }

  void start() override {
    if (heartbeat_) heartbeat_->start();
  }

  void flush(std::chrono::milliseconds at_most) override {
    const auto until = std::chrono::steady_clock::now() + at_most;
    const auto all_flushed = [this] {
      bool all = true;
      for (auto& p : ports_) all &= p->flushed();
      return all;
    };
    while (!all_flushed() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  }

  void close() override {
    heartbeat_.reset();  // it may be about to tell of a loss
    bool finished = true;
    for (auto& p : ports_) finished &= p->close();
    // UCX 1.18 aborts if a context ends that still has memory registered for what it had not finished.
    if (!finished) static_cast<void>(context_.release());
  }

 private:
  /// `host` is the number of this one. Collective.
  void watch_other_hosts(bootstrap& job, int host, network::receiver& to) {
    const auto& own = watchmen_[static_cast<std::size_t>(host)];
    if (own.process == job.rank() && silence_.count() > 0)
      heartbeat_ = std::make_unique<heartbeat>(host, watchmen_, silence_, to);
    const auto addresses = job.all_gather(heartbeat_ ? heartbeat_->address() : "");
    for (auto& other : watchmen_) other.address = addresses[static_cast<std::size_t>(other.process)];
    if (silence_.count() == 0) return;
    places_.watchman = own.process;
    places_.own_heartbeat = heartbeat_.get();
  }

  /// Asked first, so that a wrong one is refused on a single host, too.
  const std::chrono::milliseconds silence_ = heartbeat::silence();
  context context_;
  places places_;
  pe_range pes_;
  std::vector<std::unique_ptr<ucx_port>> ports_;
  std::vector<watchman> watchmen_;        ///< of the hosts, in the order of their first processes
  std::unique_ptr<heartbeat> heartbeat_;  ///< of the first process of a host, if there are several
};

}  // namespace
}  // namespace ucx

std::unique_ptr<network> make_ucx_network(bootstrap& job, int pes, port_sharing sharing,
                                          std::uint64_t program, network::receiver& to) {
  return std::make_unique<ucx::ucx_network>(job, pes, sharing, program, to);
}

}  // namespace imbrex
