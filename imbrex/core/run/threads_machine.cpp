// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/threads_machine.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include <imbrex/base/log.hpp>
#include <imbrex/base/lost_process.hpp>
#include <imbrex/net/local/direct.hpp>
#include <imbrex/net/local/serializing.hpp>

namespace imbrex::detail {

namespace {

/// Shorter than the run's grace, since the other processes already know that the run has failed.
constexpr std::chrono::milliseconds grace_after_death{200};

/// True if no other process of the run is on this host.
bool has_host_alone(const local_run& run) {
  const int own = run.processors().front()->pe();
  const auto next_host = std::ranges::upper_bound(run.host_starts(), own);
  const int first = *std::prev(next_host);
  const int end = next_host == run.host_starts().end() ? std::numeric_limits<int>::max() : *next_host;
  return std::ranges::count_if(run.process_starts(), [&](int pe) { return pe >= first && pe < end; }) == 1;
}

}  // namespace

delivery_rules threads_machine::rules() const {
  return {.direct = !how_.serialize_always,
          .separates_broadcasts = how_.serialize_always || how_.shuffle.has_value()};
}

void threads_machine::connect(bool may_spin, scheduler* comm_thread) {
  std::vector<inbox*> inboxes;
  std::vector<scheduler*> pes;
  for (const auto& p : run_.processors()) {
    inboxes.push_back(&p->pe_inbox());
    pes.push_back(p.get());
  }
  if (comm_thread != nullptr) pes.push_back(comm_thread);
  wire_ = std::make_unique<direct_transport>(std::move(inboxes), run_.processors().front()->pe());
  if (how_.serialize_always) wire_ = std::make_unique<serializing_transport>(std::move(wire_));
  thread_machine::listener& owner = *this;
  threads_.emplace(pes, thread_settings{how_.bind, how_.net_latency, has_host_alone(run_)}, may_spin, owner);
}

void threads_machine::run() {
  const auto grace = [this] { return run_.is_deserted() ? grace_after_death : run_.grace(); };
  const auto look_for_end = [this] { run_.look_for_end(); };
  thread_machine::pauses meanwhile{.attend = [this] { run_.attend(); }, .descriptor = run_.report_socket()};
  if (run_.processes() > 1) meanwhile.now_and_then = look_for_end;
  const auto stuck = threads_->run(grace, meanwhile);
  if (!stuck.empty()) end_without(stuck);
}

void threads_machine::end_without(const std::vector<int>& stuck) const {
  if (run_.is_deserted()) ::_exit(status_of_loss());  // the launcher reports the reason
  for (const int p : stuck) {
    if (p == scheduler::no_pe) {
      log(log_level::error, "the run has ended, but the communication thread has not");
      continue;
    }
    const auto* busy = run_.processor_at(p).running();
    log(log_level::error, "the run has ended, but PE " + std::to_string(p) + " is still busy with " +
                              (busy != nullptr ? busy->name : "work of the runtime") +
                              " that does not return; the process ends without it");
  }
  ::_exit(run_.status() == 0 ? 1 : run_.status());
}

void threads_machine::stop() {
  if (threads_) threads_->stop();
}

void threads_machine::interrupt() noexcept { threads_->interrupt(); }

void threads_machine::finish(const std::function<void(processor& pe)>& last) {
  if (threads_ && threads_->has_threads())
    return threads_->finish([&](scheduler& pe) {
      if (pe.pe() != scheduler::no_pe) last(run_.processor_at(pe.pe()));
    });
  for (const auto& p : run_.processors()) {
    const scheduler::activation as(*p);
    last(*p);
  }
}

}  // namespace imbrex::detail
