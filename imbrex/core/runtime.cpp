// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/runtime.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <optional>
#include <utility>

#include <malloc.h>
#include <unistd.h>

#include <imbrex/base/crash_handler.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/core/check_options.hpp>
#include <imbrex/core/collection_base.hpp>
#include <imbrex/core/crash_description.hpp>
#include <imbrex/core/deterministic.hpp>
#include <imbrex/core/job.hpp>
#include <imbrex/core/link_transport.hpp>
#include <imbrex/core/pe_watch.hpp>
#include <imbrex/core/recorder.hpp>
#include <imbrex/core/run_devices.hpp>
#include <imbrex/core/run_marks.hpp>
#include <imbrex/core/run_recording.hpp>
#include <imbrex/core/run_statistics.hpp>
#include <imbrex/core/virtual_machine.hpp>
#include <imbrex/net/bootstrap/bootstrap.hpp>
#include <imbrex/net/host.hpp>
#include <imbrex/net/local/delayed.hpp>
#include <imbrex/net/local/direct.hpp>
#include <imbrex/net/local/serializing.hpp>
#include <imbrex/net/router.hpp>

namespace imbrex {

namespace {

/// How long entries may run on after the end of the run before the process gives up on them.
constexpr std::chrono::milliseconds grace_after_failure{3000};
constexpr std::chrono::milliseconds grace_after_success{30000};
constexpr std::chrono::milliseconds grace_after_death{200};
constexpr std::size_t report_lines = 20;

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
    entry.root = frame;
    if (frame.promise().start(frame, entry, &main_task::end, &self)) end(&self);
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

runtime::runtime(const options& how, bootstrap* meeting) : how_(checked(how, meeting)) {
  message_table::number();
  keep_freed_memory();
  const bool one_thread = how_.machine != machine_kind::threads;
  const bool is_alone = meeting == nullptr || meeting->size() == 1;
  host_share mine;
  if (is_alone) {
    mine = own_host(how_.pes, threads_beside(how_));
    how_.pes = mine.pes;
  }
  devices_ = std::make_unique<detail::run_devices>(how_, one_thread ? &virtual_clock_ : nullptr);
  if (is_alone) {
    pes_ = {0, how_.pes, how_.pes};
  } else {
    mine = share_host(*meeting, how_.pes, threads_beside(how_), devices_->seen());
    how_.pes = mine.pes;
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
  const bool is_modelled = how_.machine == machine_kind::virtual_time;
  const clock& time = clock_of_machine();
  std::vector<inbox*> inboxes;
  if (is_modelled) modelled_ = std::make_unique<detail::virtual_machine>(how_, virtual_clock_);
  const auto device_of_pe = devices_->choose(mine);
  for (int p = pes_.first; p < pes_.first + pes_.count; ++p) {
    auto seed = how_.shuffle;
    if (seed) *seed += static_cast<std::uint64_t>(p);
    const clock& its_time = is_modelled ? static_cast<const clock&>(modelled_->clock_of(p)) : time;
    processors_.push_back(std::make_unique<detail::processor>(*this, p, its_time, seed));
    if (is_modelled) processors_.back()->attach(modelled_->clock_of(p));
    inboxes.push_back(&processors_.back()->door());
    const auto which = device_of_pe[static_cast<std::size_t>(p - pes_.first)];
    if (which) devices_->attach(*processors_.back(), *which);
  }
  if (job_) job_->serve(inboxes);
  if (!how_.trace.empty() || how_.stats) watch(meeting, mine);
  if (deterministic) {
    transport_ =
        std::make_unique<delayed_transport>(detail::seed_of(how_) + how_.shuffle.value_or(0) * 1'000'003);
  } else if (!is_modelled) {
    transport_ = std::make_unique<direct_transport>(std::move(inboxes), pes_.first);
    if (how_.serialize_always) transport_ = std::make_unique<serializing_transport>(std::move(transport_));
    std::vector<scheduler*> pes;
    for (auto& p : processors_) pes.push_back(p.get());
    if (job_ && job_->comm() != nullptr) pes.push_back(job_->comm());
    threads_ = std::make_unique<thread_machine>(pes, how_, mine.has_processor_for_each, *this);
  }
  const auto model = detail::link_of(how_);
  for (auto& p : processors_) {
    transport* wire = transport_.get();
    if (modelled_) {
      links_.push_back(modelled_->transport_of(p->pe()));
      if (how_.serialize_always)
        links_.back() = std::make_unique<serializing_transport>(std::move(links_.back()));
      wire = links_.back().get();
      p->be_punctual();
    }
    if (job_) {
      port& network = job_->port_of(p->pe());
      p->attach(network);
      routers_.push_back(std::make_unique<router>(*wire, network, pes_));
      wire = routers_.back().get();
    }
    if (model.delays() && !modelled_) {
      // Between the processes of a job, between the PEs of a single one.
      const auto near = job_ ? pes_ : pe_range{p->pe(), 1, pes_.total};
      links_.push_back(
          std::make_unique<link_transport>(*wire, model, time, [near](int to) { return !near.holds(to); }));
      wire = links_.back().get();
      p->be_punctual();
    }
    port* const beyond = job_ && !model.delays() ? p->network() : nullptr;
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
        real_time ? static_cast<const clock&>(real_clock_) : virtual_clock_, real_time);
  for (auto& p : processors_) {
    auto& made = *watches_.emplace_back(std::make_unique<detail::pe_watch>(*p));
    if (recording_) recording_->attach(made, *p);
    if (statistics_) made.attach(statistics_->add_pe());
    p->attach(made);
  }
  if (!recording_) return;
  if (job_ && job_->comm() != nullptr) {
    auto& made = *watches_.emplace_back(std::make_unique<detail::pe_watch>(*job_->comm()));
    recording_->attach(made, *job_->comm());
    job_->comm()->attach(made);
  }
  if (mine.is_first_host) {
    recording_->share_clock();
  } else if (job_->process() != 0) {
    recording_->compare_clocks([this] { job_->ask_clock(); });
  }
  if (modelled_) modelled_->record_arrivals(recording_->track_of_network());
  for (const auto& d : devices_->all())
    if (!recording_->attach(*d))
      log(log_level::warning,
          "what " + d->info().label() + " does will not be in the trace: its driver refused to time events");
}

std::uint64_t runtime::new_collection() {
  const std::lock_guard hold(collections_lock_);
  if (!free_collections_.empty()) {
    const std::uint64_t id = free_collections_.back();
    free_collections_.pop_back();
    return id;
  }
  const std::uint64_t processes = job_ ? static_cast<std::uint64_t>(job_->processes()) : 1;
  const std::uint64_t process = job_ ? static_cast<std::uint64_t>(job_->process()) : 0;
  const std::uint64_t place = places_of_collections_++ * processes + process;
  if (place >> detail::generation_shift != 0)
    throw error("there are " + std::to_string(place) +
                " arrays and groups, and no more numbers for others: destroy those that are not needed");
  return place;
}

void runtime::give_back(std::uint64_t collection) {
  if (recording_) return;  // a trace knows it by its place alone
  const std::uint64_t next = collection + (std::uint64_t{1} << detail::generation_shift);
  if ((next & detail::singles_bit) != 0) return;  // all numbers of this place have been used
  const std::lock_guard hold(collections_lock_);
  free_collections_.push_back(next);
}

runtime::~runtime() {
  if (job_) job_->net().close();  // it may hold messages, which belong to the PEs' memory
  clear();
}

void runtime::start(std::function<task<int>()> main) {
  main_ = std::make_unique<main_task>(*this, std::move(main));
  processor_at(0).door().post(*main_);
}

int runtime::process() const { return job_ ? job_->process() : 0; }
int runtime::processes() const { return job_ ? job_->processes() : 1; }

int runtime::run(std::function<task<int>()> main) {
  const crash_handler told(&detail::describe_what_runs);
  const crash_stack stack;
  if (statistics_) statistics_->begin();
  if (pes_.first == 0) start(std::move(main));
  if (job_) job_->net().start();
  if (modelled_) {
    while (modelled_->step(*this)) {
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
  return of_all;
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

void runtime::exit(int status) {
  if (status != 0 && status % 256 == 0)
    throw error("the exit status " + std::to_string(status) +
                " would be seen as 0, success: the system keeps its last 8 bits; give one of 1 to 255");
  if (claim(status)) tell_end();
}

bool runtime::claim(int status) {
  int expected = running;
  return status_.compare_exchange_strong(expected, status, std::memory_order_acq_rel);
}

void runtime::tell_end() {
  if (job_) job_->tell_end(status());
  if (threads_) threads_->stop();
}

void runtime::end_here(int status) {
  claim(status);
  if (threads_) threads_->stop();
}

void runtime::fail(std::string_view text, int status) {
  if (!claim(status)) return;  // what is told is what the run comes to
  log(log_level::error, text);
  tell_end();
}

void runtime::escaped(int pe) noexcept {
  try {
    const std::string where =
        pe != scheduler::no_pe ? "on PE " + std::to_string(pe) : "on the communication thread";
    fail(where + ": " + detail::describe_current_exception());
  } catch (...) {
    fail_without_memory(pe);
  }
}

void runtime::fail_without_memory(int pe) noexcept {
  std::array<char, 640> text{};
  const auto* const busy = pe != scheduler::no_pe ? processor_at(pe).running() : nullptr;
  if (pe != scheduler::no_pe)
    std::snprintf(text.data(), text.size(), "on PE %d, %.200s: %s", pe,
                  busy != nullptr ? busy->name : "between two messages", out_of_memory().what());
  else
    std::snprintf(text.data(), text.size(), "on the communication thread: %s", out_of_memory().what());
  try {
    fail(text.data());
  } catch (...) {  // the other processes cannot be told; the launcher will tell them
    end_here(1);
  }
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

bool runtime::release_quiescence_waiters() {
  const auto waiters = std::exchange(quiescence_waiters_, {});
  auto& pe = processor_at(0);
  const scheduler::activation as(pe);
  if (detail::recorder* const r = waiters.empty() ? nullptr : detail::recorder::of(pe)) r->quiet();
  // Made before the first of them wakes anyone.
  std::vector<std::pair<int, message*>> answers;
  for (const auto& w : waiters) {
    if (w.pe == 0 && pe.replies().find(w.reply) == nullptr) continue;
    auto& m = detail::make_message<detail::reply_message<nothing>>(nothing{});
    m.reply = w.reply;
    if (pes_.holds(w.pe)) pe.announce(m, w.pe);
    answers.emplace_back(w.pe, &m);
  }
  for (const auto& [to, answer] : answers)
    pes_.holds(to) ? processor_at(to).door().post(*answer) : pe.dispatch(*answer, to);
  return !answers.empty();
}

std::string runtime::describe_waits() const {
  std::vector<std::string> lines;
  std::size_t more = 0;
  const auto add = [&](std::string line) {
    lines.size() < report_lines ? lines.push_back(std::move(line)) : void(++more);
  };
  const auto add_waits = [&](const std::string& who, const scope& entry) {
    if (entry.waits == nullptr) add(who + " waits for something that is not the runtime's");
    for (const auto* w = entry.waits; w != nullptr; w = w->next())
      add(who + " waits for " + w->description());
  };
  const auto add_error = [&](const detail::carried_exception& held) {
    if (held) add("an exception waits for the other elements that were called: " + held.description());
  };
  for (const auto& p : processors_) {
    p->replies().for_each([&](const detail::reply_target& one) { add_error(one.held_error()); });
    p->for_each_collection([&](const detail::collection_base& c) {
      std::ranges::for_each(c.reductions.held_errors(), add_error);
    });
  }
  if (pes_.first == 0) add_waits("the main task", processor_at(0).main);
  for (const auto& p : processors_) {
    for (const auto* m : p->held())
      add("a message for an array that was never created waits on PE " + std::to_string(p->pe()) +
          " (sent by PE " + std::to_string(m->origin) + ")");
    p->for_each_collection([&](const detail::collection_base& c) {
      c.describe_held(lines, report_lines, true);
      for (const auto* e : c.locals())
        for (const scope* s = e->entries; s != nullptr; s = s->next)
          add_waits(detail::describe_entry(*e, static_cast<const message*>(s->request)->kind()), *s);
    });
  }
  std::string text;
  for (const auto& l : lines) text += "\n  " + l;
  if (more > 0) text += "\n  and " + std::to_string(more) + " more";
  return text;
}

void runtime::fail_deadlock(const std::string& waits) {
  fail("deadlock: no message is in flight, nothing runs, and the main task has not ended. Who waits:" +
       waits);
}

void runtime::report_held_messages() {
  std::vector<std::string> lines;
  std::size_t count = 0;
  for (const auto& p : processors_)
    p->for_each_collection([&](const detail::collection_base& c) {
      count += c.count_held();
      c.describe_held(lines, 5, false);
    });
  if (count == 0) return;
  std::string text = "the run has ended with " + std::to_string(count) + " undelivered message(s):";
  for (const auto& l : lines) text += "\n  " + l;
  log(log_level::warning, text);
}

void runtime::clear() {
  if (status() == 0) report_held_messages();
  if (main_) {
    const scheduler::activation as(processor_at(0));
    main_->coroutine.reset();
  }
  for (auto& p : processors_) {
    const scheduler::activation as(*p);
    p->clear();
  }
  for (auto& p : processors_) {
    p->discard_work();
    if (p->completions() == nullptr) continue;
    const scheduler::activation as(*p);
    p->completions()->discard();
  }
  if (job_ && job_->comm() != nullptr) job_->comm()->discard_work();
  if (modelled_) modelled_->discard();
  if (transport_) transport_->discard();
  for (auto& p : processors_) {
    const scheduler::activation as(*p);
    p->clear_parts();
  }
}

}  // namespace imbrex
