// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/runtime.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <optional>
#include <utility>

#include <malloc.h>
#include <unistd.h>

#include <imbrex/base/host/crash_handler.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/core/gpu/run_devices.hpp>
#include <imbrex/core/gpu/run_options.hpp>
#include <imbrex/core/pe/run_marks.hpp>
#include <imbrex/core/record/pe_statistics.hpp>
#include <imbrex/core/record/recorder.hpp>
#include <imbrex/core/record/run_recording.hpp>
#include <imbrex/core/record/run_statistics.hpp>
#include <imbrex/core/run/check_options.hpp>
#include <imbrex/core/run/crash_description.hpp>
#include <imbrex/core/run/deterministic_machine.hpp>
#include <imbrex/core/run/job.hpp>
#include <imbrex/core/run/link_transport.hpp>
#include <imbrex/core/run/pe_attachment.hpp>
#include <imbrex/core/run/simulated_machine.hpp>
#include <imbrex/net/bootstrap/bootstrap.hpp>
#include <imbrex/net/host.hpp>
#include <imbrex/net/local/delayed.hpp>
#include <imbrex/net/local/direct.hpp>
#include <imbrex/net/local/serializing.hpp>
#include <imbrex/net/router.hpp>
#include <imbrex/sched/device_completions.hpp>

namespace imbrex {

namespace {

/// How long entries may run on after the end of the run before the process gives up on them.
constexpr std::chrono::milliseconds grace_after_failure{3000};
constexpr std::chrono::milliseconds grace_after_success{30000};
constexpr std::chrono::milliseconds grace_after_death{200};

options checked(const options& how, const bootstrap* meeting) {
  detail::check_options(how, meeting == nullptr ? 1 : meeting->size());
  return how;
}

/// Threads of a process that need a processor as its PEs do.
int threads_beside(const options& how) {
  return (how.comm_thread ? 1 : 0) + (how.device == "emulated" ? 1 : 0);
}

/// Long messages come and go: their memory is to be used again, not given back to the system, which clears each of
/// its pages anew. These are the bounds to which glibc moves by itself once a program has freed a block of 32 MiB.
/// A program that has bounds of its own sets them after the start of its first run.
void keep_freed_memory() {
#ifdef __GLIBC__
  static const bool once = [] {
    ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
    ::mallopt(M_TRIM_THRESHOLD, 64 << 20);
    return true;
  }();
  static_cast<void>(once);
#endif
}

}  // namespace

/// The main task: queued like any work on PE 0, then a coroutine.
struct runtime::main_task : work {
  main_task(runtime& r, std::function<task<int>()> f) : owner(r), function(std::move(f)) { type = &kind; }

  static void begin(work& item) {
    auto& self = static_cast<main_task&>(item);
    try {
      self.coroutine.emplace(self.function());
    } catch (...) {
      return self.fail();
    }
    auto frame = self.coroutine->frame();
    auto& entry = self.owner.processor_at(0).main;
    entry.body = frame.address();
    if (frame.promise().start(frame, entry, waiter(&main_task::end, &self))) end(&self);
  }
  static void end(void* self_address) {
    auto& self = *static_cast<main_task*>(self_address);
    try {
      self.owner.exit(self.coroutine->frame().promise().take());
    } catch (...) {
      self.fail();
    }
  }
  /// The main task threw. It may have read the command line: a usage_error is the user's, and needs no more
  /// words.
  void fail() noexcept {
    try {
      tell_current_exception();
    } catch (...) {
      owner.escaped(0);
    }
  }
  void tell_current_exception() {
    try {
      throw;
    } catch (const usage_error& e) {
      owner.fail(e.what(), usage_error::exit_status);
    } catch (...) {
      const auto thrown = std::current_exception();
      const auto thrower = owner.processor_at(0).main.thrower_of(thrown);
      owner.fail("the main task: " +
                 detail::carried_exception(thrown, thrower.value_or(std::string())).description());
    }
  }
  static void forget(work&) noexcept {}
  static const work_type kind;

  runtime& owner;
  std::function<task<int>()> function;
  std::optional<task<int>> coroutine;
};

const work_type runtime::main_task::kind{"the main task", &main_task::begin, &main_task::forget, nullptr,
                                         nullptr};

runtime::runtime(const options& how) : runtime(how, nullptr) {}
runtime::runtime(const options& how, bootstrap& meeting) : runtime(how, &meeting) {}

runtime::runtime(const options& how, bootstrap* meeting) : local_run(checked(how, meeting)) {
  message_table::number();
  keep_freed_memory();
  const bool one_thread = how_.machine != machine_kind::threads;
  const bool is_alone = meeting == nullptr || meeting->size() == 1;
  host_share mine;
  if (is_alone) {
    mine = own_host(how_.pes, threads_beside(how_));
    how_.pes = mine.pes;
  }
  devices_ = std::make_unique<detail::run_devices>(how_, one_thread ? &simulated_clock_ : nullptr);
  if (is_alone) {
    pes_ = {0, how_.pes, how_.pes};
  } else {
    mine = share_host(*meeting, how_.pes, threads_beside(how_), devices_->seen());
    how_.pes = mine.pes;
    host_starts_ = mine.host_starts;
    if (!mine.is_only_host && detail::link_of(how_).delays())
      throw usage_error(
          "--net-latency, --net-bandwidth and --net-injection-gap are for processes of one host, since they "
          "need one clock, and this job has several: leave them out");
    job_ = std::make_unique<detail::job>(*this, *meeting, how_, clock_of_machine());
    pes_ = job_->net().pes();
  }
  std::exception_ptr problem;
  try {
    furnish(mine, meeting);
  } catch (...) {
    if (!job_) throw;
    problem = std::current_exception();
  }
  std::uint32_t ordinal = detail::run_marks::next_run();
  if (job_) ordinal = job_->agree_to_begin(problem, ordinal);
  detail::run_marks::agree(ordinal);
  for (auto& p : processors_) p->mark_proxies(detail::run_marks::mark_of(ordinal));
}

void runtime::furnish(const host_share& mine, const bootstrap* meeting) {
  const bool deterministic = how_.machine == machine_kind::deterministic;
  const bool is_simulated = how_.machine == machine_kind::simulated;
  const clock& time = clock_of_machine();
  std::vector<inbox*> inboxes;
  if (is_simulated) simulated_ = std::make_unique<detail::simulated_machine>(how_, simulated_clock_);
  const auto device_of_pe = devices_->choose(mine);
  for (int p = pes_.first; p < pes_.first + pes_.count; ++p) {
    auto seed = how_.shuffle;
    if (seed) *seed += static_cast<std::uint64_t>(p);
    const clock& its_time = is_simulated ? static_cast<const clock&>(simulated_->clock_of(p)) : time;
    processors_.push_back(std::make_unique<detail::processor>(*this, p, its_time, seed));
    if (is_simulated) processors_.back()->attach(simulated_->clock_of(p));
    inboxes.push_back(&processors_.back()->door());
    const auto which = device_of_pe[static_cast<std::size_t>(p - pes_.first)];
    if (which) devices_->attach(*processors_.back(), *which);
  }
  if (job_) job_->serve(inboxes);
  if (!how_.trace.empty() || how_.stats) watch(meeting, mine);
  for (auto& p : processors_) pe_attachment::attach_all(*p);
  if (job_ && job_->comm() != nullptr) pe_attachment::attach_all(*job_->comm());
  if (deterministic) {
    transport_ =
        std::make_unique<delayed_transport>(detail::seed_of(how_) + how_.shuffle.value_or(0) * 1'000'003);
  } else if (!is_simulated) {
    transport_ = std::make_unique<direct_transport>(std::move(inboxes), pes_.first);
    if (how_.serialize_always) transport_ = std::make_unique<serializing_transport>(std::move(transport_));
    std::vector<scheduler*> pes;
    for (auto& p : processors_) pes.push_back(p.get());
    if (job_ && job_->comm() != nullptr) pes.push_back(job_->comm());
    threads_ = std::make_unique<thread_machine>(pes, thread_settings{how_.bind, how_.net_latency},
                                                mine.has_processor_for_each, *this);
  }
  const auto model = detail::link_of(how_);
  for (auto& p : processors_) {
    transport* wire = transport_.get();
    if (simulated_) {
      links_.push_back(simulated_->transport_of(p->pe()));
      if (how_.serialize_always)
        links_.back() = std::make_unique<serializing_transport>(std::move(links_.back()));
      wire = links_.back().get();
      p->be_punctual();
    }
    if (job_) {
      endpoint& network = job_->endpoint_of(p->pe());
      p->attach(network);
      routers_.push_back(std::make_unique<router>(*wire, network, pes_));
      wire = routers_.back().get();
    }
    if (model.delays() && !simulated_) {
      // Between the processes of a job, between the PEs of a single one.
      const auto near = job_ ? pes_ : pe_range{p->pe(), 1, pes_.total};
      links_.push_back(
          std::make_unique<link_transport>(*wire, model, time, [near](int to) { return !near.holds(to); }));
      wire = links_.back().get();
      p->be_punctual();
    }
    endpoint* const beyond = job_ && !model.delays() ? p->network() : nullptr;
    p->connect(*wire, !deterministic && !how_.serialize_always, pes_, beyond);
  }
}

/// Has what the PEs do recorded, or counted.
void runtime::watch(const bootstrap* meeting, const host_share& mine) {
  if (!how_.trace.empty())
    recording_ = std::make_unique<detail::run_recording>(how_, meeting, pes_, mine.job);
  const bool real_time = how_.machine == machine_kind::threads;
  if (how_.stats)
    statistics_ = std::make_unique<detail::run_statistics>(
        job_
            ? "process " + std::to_string(job_->process()) + " of " + std::to_string(job_->processes()) + ": "
            : "",
        real_time ? static_cast<const clock&>(real_clock_) : simulated_clock_, real_time);
  for (auto& p : processors_) {
    if (statistics_)
      p->attach(*counters_.emplace_back(std::make_unique<detail::pe_statistics>(*p, statistics_->add_pe())));
    if (recording_) recording_->attach(*p);
  }
  if (!recording_) return;
  if (job_ && job_->comm() != nullptr) recording_->attach(static_cast<scheduler&>(*job_->comm()));
  if (mine.is_first_host) {
    recording_->share_clock();
  } else if (job_->process() != 0) {
    recording_->compare_clocks([this] { job_->ask_clock(); });
  }
  if (simulated_) simulated_->record_arrivals(recording_->track_of_network());
  for (const auto& d : devices_->all())
    if (!recording_->attach(*d))
      log(log_level::warning,
          "what " + d->info().label() + " does will not be in the trace: its driver refused to time events");
}

runtime::~runtime() {
  if (job_) job_->net().close();  // it may hold messages, which belong to the PEs' memory
  clear();
  threads_.reset();
  links_.clear();
  routers_.clear();
  transport_.reset();
  processors_.clear();  // before the clocks, the observers and the network that they use
}

void runtime::start(std::function<task<int>()> main) {
  main_ = std::make_unique<main_task>(*this, std::move(main));
  processor_at(0).door().post(*main_);
}

int runtime::process() const { return job_ ? job_->process() : 0; }
int runtime::processes() const { return job_ ? job_->processes() : 1; }

void runtime::end_everywhere() {
  if (job_) job_->tell_end(status());
  stop();
}

void runtime::stop() {
  if (threads_) threads_->stop();
}

detail::run_recording* runtime::recording() const { return recording_.get(); }

const device_model* runtime::model() const { return simulated_ ? &simulated_->model() : nullptr; }

int runtime::run(std::function<task<int>()> main) {
  const crash_handler told(&detail::describe_what_runs);
  const crash_stack stack;
  if (statistics_) statistics_->begin();
  if (pes_.first == 0) start(std::move(main));
  if (job_) job_->net().start();
  if (!threads_) tell_threads([](observer& o) { o.thread_begins(); });
  if (simulated_) {
    while (simulated_->step(*this)) {
    }
  } else if (threads_) {
    const auto grace = [this] {
      if (job_ && job_->is_deserted()) return grace_after_death;
      return status() == 0 ? grace_after_success : grace_after_failure;
    };
    const auto look = [this] { job_->look_for_end(); };
    const auto stuck = threads_->run(grace, job_ ? look : std::function<void()>());
    if (!stuck.empty() && job_ && job_->is_deserted()) ::_exit(1);  // the launcher says why
    if (!stuck.empty()) {
      for (const int p : stuck) {
        if (p == scheduler::no_pe) {
          log(log_level::error, "the run has ended, but the communication thread has not");
          continue;
        }
        const auto* busy = processor_at(p).running();
        log(log_level::error, "the run has ended, but PE " + std::to_string(p) + " is still busy with " +
                                  (busy != nullptr ? busy->name : "its own affairs") +
                                  " that does not return; the process ends without it");
      }
      ::_exit(status() == 0 ? 1 : status());
    }
  } else {
    detail::run_deterministic(*this, static_cast<delayed_transport&>(*transport_));
  }
  const bool devices_are_well = rest_devices();
  int of_all = status() == 0 && !devices_are_well ? 1 : status();
  if (job_) of_all = job_->leave(of_all);
  if (recording_) recording_->end();
  if (statistics_) statistics_->end();
  clear();
  if (!threads_) tell_threads([](observer& o) { o.thread_ends(); });
  return of_all;
}

template <class Event>
void runtime::tell_threads(const Event& event) {
  for (auto& p : processors_) {
    const scheduler::activation as(*p);
    p->thread_observers().tell(event);
  }
}

bool runtime::rest_devices() {
  try {
    if (devices_->rest(status() == 0 ? grace_after_success : grace_after_failure)) return true;
  } catch (...) {  // nobody has waited for what has failed
    if (status() == 0) log(log_level::error, detail::describe_current_exception());
    return false;
  }
  log(log_level::error, "the run has ended, but a device is still busy; the process ends without it");
  ::_exit(status() == 0 ? 1 : status());
}

network::counts runtime::counted() const {
  if (!job_) return {};
  const std::uint64_t round = job_->round_heard();  // first: a report must not be older than its round
  auto counts = job_->net().counted();
  counts.round = round;
  return counts;
}

bool runtime::quiet(const network::counts& exchanged) {
  if (ended()) return true;
  if (job_) return job_->quiet(exchanged);
  if (!release_quiescence_waiters()) fail_deadlock(describe_waits());
  return true;
}

void runtime::clear() {
  if (status() == 0) report_held_messages();
  const auto destroy_chares = [this](detail::processor& pe) {
    if (main_ && pe.pe() == 0) main_->coroutine.reset();
    pe.clear();
  };
  if (threads_ && threads_->has_threads()) {
    threads_->finish([&](scheduler& pe) {
      if (pe.pe() != scheduler::no_pe) destroy_chares(static_cast<detail::processor&>(pe));
    });
  } else {
    for (auto& p : processors_) {
      const scheduler::activation as(*p);
      destroy_chares(*p);
    }
  }
  for (auto& p : processors_) {
    p->discard_work();
    if (p->completions() == nullptr) continue;
    const scheduler::activation as(*p);
    device_completions::of(*p)->discard();
  }
  if (job_ && job_->comm() != nullptr) job_->comm()->discard_work();
  if (simulated_) simulated_->discard();
  if (transport_) transport_->discard();
  for (auto& p : processors_) {
    const scheduler::activation as(*p);
    p->clear_parts();
  }
}

}  // namespace imbrex
