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
#include <imbrex/net/ucx/heartbeat.hpp>
#include <imbrex/net/ucx/run_token.hpp>
#include <imbrex/net/ucx/ucx_port.hpp>
#include <imbrex/net/ucx/ways.hpp>
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

/// UCX also takes crashes, of which it tells addresses, and would keep a run from telling what it ran.
[[maybe_unused]] const bool crashes_are_given_back = [] {
  if (std::getenv("UCX_HANDLE_ERRORS") != nullptr || std::getenv("UCX_ERROR_SIGNALS") != nullptr)
    return false;
  for (const int signal : {SIGILL, SIGSEGV, SIGBUS, SIGFPE}) ucs_debug_disable_signal(signal);
  return true;
}();

/// What a process tells the others before UCX opens anything.
struct introduction {
  std::uint64_t program = 0;
  int pes = 0;
  whereabouts where;
  run_token token = 0;  ///< that of process 0 is the run's
};

template <class T>
std::string to_text(const T& mine) {
  writer out;
  out(mine);
  const auto bytes = out.written();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class T>
T from_text(const std::string& text) {
  T other;
  reader in({reinterpret_cast<const std::byte*>(text.data()), text.size()});
  in(other);
  in.finish();
  return other;
}

/// What each process tells all, in the order of their numbers.
template <class T>
std::vector<T> gather(bootstrap& job, const T& mine) {
  std::vector<T> all;
  for (const auto& text : job.all_gather(to_text(mine))) all.push_back(from_text<T>(text));
  return all;
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

/// Collective. Throws where processes do not run the same program.
std::vector<introduction> meet(bootstrap& job, int pes, std::uint64_t program) {
  auto all = gather(job, introduction{program, pes, whereabouts::of_this_process(), draw_token()});
  std::vector<int> strangers;
  for (int process = 0; process < job.size(); ++process)
    if (all[static_cast<std::size_t>(process)].program != all.front().program) strangers.push_back(process);
  if (!strangers.empty()) refuse_programs(job.rank(), strangers);
  return all;
}

ways ways_in_job(const std::vector<introduction>& all, int self) {
  std::vector<whereabouts> places;
  for (const auto& one : all) places.push_back(one.where);
  return ways_to_others(places, static_cast<std::size_t>(self));
}

class ucx_network final : public network {
 public:
  ucx_network(bootstrap& job, int pes, port_sharing sharing, std::uint64_t program, receiver& to)
      : all_(meet(job, pes, program)),
        ways_(ways_in_job(all_, job.rank())),
        context_(make_context(connecting::may_block, ways_)) {
    allow_many_descriptors();  // over TCP each connection takes one, and each worker several
    places_.token = all_.front().token;
    const int ports = sharing == port_sharing::each ? pes : 1;
    for (int p = 0; p < ports; ++p)
      ports_.push_back(std::make_unique<ucx_port>(context_.get(), job.rank(), places_, to));
    std::vector<std::string> addresses;
    for (const auto& p : ports_) addresses.push_back(p->address());
    const auto addresses_of = gather(job, addresses);
    const std::string& own_host = all_[static_cast<std::size_t>(job.rank())].where.host;
    std::map<std::string, int> hosts;
    for (int process = 0; process < job.size(); ++process) {
      const auto& other = all_[static_cast<std::size_t>(process)];
      const auto& its_addresses = addresses_of[static_cast<std::size_t>(process)];
      if (process == job.rank()) pes_ = {static_cast<int>(places_.port_of_pe.size()), pes, 0};
      places_.first_port.push_back(places_.ports.size());
      const auto [host, is_first] = hosts.try_emplace(other.where.host, static_cast<int>(hosts.size()));
      if (is_first) watchmen_.push_back({process, {}});
      const bool is_here = other.where.host == own_host;
      places_.are_on_one_host &= is_here;
      const std::size_t others_ports = its_addresses.size();
      for (std::size_t p = 0; p < static_cast<std::size_t>(other.pes); ++p)
        places_.port_of_pe.push_back(places_.ports.size() + (others_ports == 1 ? 0 : p));
      for (const auto& address : its_addresses)
        places_.ports.push_back(
            {address, process, host->second, is_here, other.pes == static_cast<int>(others_ports)});
    }
    if (watchmen_.size() > 1) watch_other_hosts(job, hosts.at(own_host), to);
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
      heartbeat_ = std::make_unique<heartbeat>(host, watchmen_, silence_, ways_between_hosts(ways_),
                                               places_.token, to);
    const auto addresses = job.all_gather(heartbeat_ ? heartbeat_->address() : "");
    for (auto& other : watchmen_) other.address = addresses[static_cast<std::size_t>(other.process)];
    if (silence_.count() == 0) return;
    places_.watchman = own.process;
    places_.own_heartbeat = heartbeat_.get();
  }

  /// Asked first, so that a wrong one is refused on a single host, too.
  const std::chrono::milliseconds silence_ = heartbeat::silence();
  const std::vector<introduction> all_;
  const ways ways_;
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
