// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/runtime.hpp>

#include <limits>
#include <utility>

#include <unistd.h>

#include <imbrex/base/log.hpp>
#include <imbrex/base/quantity.hpp>
#include <imbrex/base/topology.hpp>
#include <imbrex/core/collection_base.hpp>
#include <imbrex/core/deterministic.hpp>
#include <imbrex/net/local/delayed.hpp>
#include <imbrex/net/local/direct.hpp>
#include <imbrex/net/local/serializing.hpp>

namespace imbrex {

namespace {

/// How long entries may run on after the end of the run before the process gives up on them.
constexpr std::chrono::milliseconds grace_after_failure{3000};
constexpr std::chrono::milliseconds grace_after_success{30000};
constexpr std::size_t report_lines = 20;

link_model link_of(const options& how) { return {how.net_latency, how.net_bandwidth, how.net_injection_gap}; }

/// What the command line would have refused; and delays on the machine that has its own.
void check_link(const options& how) {
  const auto check_time = [](const char* name, nanoseconds time) {
    if (time < nanoseconds(0) || time > max_net_delay)
      throw usage_error(std::string(name) + " = " + duration_text(time) + ": the time must be from 0s to " +
                        duration_text(max_net_delay));
  };
  check_time("net_latency", how.net_latency);
  check_time("net_injection_gap", how.net_injection_gap);
  if (how.net_bandwidth != 0 &&
      (how.net_bandwidth < min_net_bandwidth || how.net_bandwidth > max_net_bandwidth))
    throw usage_error("net_bandwidth = " + rate_text(how.net_bandwidth) + ": the rate must be from " +
                      rate_text(min_net_bandwidth) + " to " + rate_text(max_net_bandwidth) +
                      ", or 0 for no limit");
  if (how.machine != machine_kind::deterministic || !link_of(how).delays()) return;
  std::string given;
  if (how.net_latency.count() != 0) given += "--net-latency " + duration_text(how.net_latency) + " ";
  if (how.net_bandwidth != 0) given += "--net-bandwidth " + rate_text(how.net_bandwidth) + " ";
  if (how.net_injection_gap.count() != 0)
    given += "--net-injection-gap " + duration_text(how.net_injection_gap) + " ";
  throw usage_error(given +
                    "with --machine deterministic: there --seed alone delays messages; leave out one or the "
                    "other");
}

options checked(options how) {
  if (how.pes == 0) how.pes = usable_processors();
  if (how.pes < 1 || how.pes > max_pes)
    throw usage_error("pes = " + std::to_string(how.pes) + ": the number of PEs must be from 1 to " +
                      std::to_string(max_pes));
  check_link(how);
  return how;
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
  void fail() {
    try {
      throw;
    } catch (const usage_error& e) {
      owner.fail(e.what(), usage_error::exit_status);
    } catch (...) {
      owner.fail("the main task: " + detail::describe_current_exception());
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

runtime::runtime(const options& how) : how_(checked(how)) {
  message_table::number();
  const bool deterministic = how_.machine == machine_kind::deterministic;
  const clock& time = deterministic ? static_cast<const clock&>(virtual_clock_) : real_clock_;
  std::vector<inbox*> inboxes;
  for (int p = 0; p < how_.pes; ++p) {
    auto seed = how_.shuffle;
    if (seed) *seed += static_cast<std::uint64_t>(p);
    processors_.push_back(std::make_unique<detail::processor>(*this, p, time, seed));
    inboxes.push_back(&processors_.back()->door());
  }
  if (deterministic) {
    transport_ = std::make_unique<delayed_transport>(how_.seed + how_.shuffle.value_or(0) * 1'000'003);
  } else {
    transport_ = std::make_unique<direct_transport>(std::move(inboxes));
    if (how_.serialize_always) transport_ = std::make_unique<serializing_transport>(std::move(transport_));
    std::vector<scheduler*> pes;
    for (auto& p : processors_) pes.push_back(p.get());
    threads_ = std::make_unique<thread_machine>(pes, how_, *this);
  }
  const auto model = link_of(how_);
  for (auto& p : processors_) {
    transport* wire = transport_.get();
    if (model.delays()) {
      links_.push_back(std::make_unique<link_transport>(*transport_, model, time,
                                                        [self = p->pe()](int to) { return to != self; }));
      wire = links_.back().get();
      p->be_punctual();
    }
    p->connect(*wire, !deterministic && !how_.serialize_always, how_.pes);
  }
}

runtime::~runtime() { clear(); }

void runtime::start(std::function<task<int>()> main) {
  main_ = std::make_unique<main_task>(*this, std::move(main));
  processor_at(0).door().post(*main_);
}

int runtime::run(std::function<task<int>()> main) {
  start(std::move(main));
  if (threads_) {
    const auto stuck =
        threads_->run([this] { return status() == 0 ? grace_after_success : grace_after_failure; });
    if (!stuck.empty()) {
      for (const int p : stuck) {
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
  clear();
  return status();
}

void runtime::exit(int status) {
  int expected = running;
  status_.compare_exchange_strong(expected, status, std::memory_order_acq_rel);
  if (threads_) threads_->stop();
}

void runtime::fail(const std::string& text, int status) {
  const std::lock_guard hold(failure_lock_);
  if (ended()) return;
  log(log_level::error, text);
  exit(status);  // before another may look
}

void runtime::escaped(int pe) noexcept {
  try {
    fail("on PE " + std::to_string(pe) + ": " + detail::describe_current_exception());
  } catch (...) {
    exit(1);
  }
}

void runtime::await_quiescence(const reply_address& who) {
  const std::lock_guard hold(waiters_lock_);
  quiescence_waiters_.push_back({detail::processor::here().pe(), who});
}

void runtime::quiet() {
  if (ended() || release_quiescence_waiters()) return;
  fail(deadlock_report());
}

bool runtime::release_quiescence_waiters() {
  std::vector<waiter> waiters;
  {
    const std::lock_guard hold(waiters_lock_);
    std::swap(waiters, quiescence_waiters_);
  }
  // Every PE sleeps until the first post; the messages are made with the memory of the PEs that they are for.
  std::vector<std::pair<inbox*, message*>> answers;
  for (const auto& w : waiters) {
    auto& pe = processor_at(w.pe);
    if (pe.replies().find(w.reply) == nullptr) continue;
    const scheduler::activation as(pe);
    auto& m = detail::make_message<detail::reply_message<nothing>>(nothing{});
    m.reply = w.reply;
    answers.emplace_back(&pe.door(), &m);
  }
  for (const auto& [door, answer] : answers) door->post(*answer);
  return !answers.empty();
}

std::string runtime::deadlock_report() const {
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
  add_waits("the main task", processor_at(0).main);
  for (const auto& p : processors_) {
    for (const auto* m : p->held())
      add("a message for an array that was never created waits on PE " + std::to_string(p->pe()) +
          " (sent by PE " + std::to_string(m->origin) + ")");
    p->for_each_collection([&](const detail::collection_base& c) {
      c.describe_held(lines, report_lines);
      for (const auto* e : c.locals())
        for (const scope* s = e->entries; s != nullptr; s = s->next)
          add_waits(detail::describe_entry(*e, static_cast<const message*>(s->request)->kind()), *s);
    });
  }
  std::string text =
      "deadlock: no message is in flight, nothing runs, and the main task has not ended. Who waits:";
  for (const auto& l : lines) text += "\n  " + l;
  if (more > 0) text += "\n  and " + std::to_string(more) + " more";
  return text;
}

void runtime::report_held_messages() {
  std::vector<std::string> lines;
  std::size_t count = 0;
  for (const auto& p : processors_)
    p->for_each_collection([&](const detail::collection_base& c) {
      count += c.count_held();
      c.describe_held(lines, 5);
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
  for (auto& p : processors_) p->discard_work();
  transport_->discard();
}

namespace detail {

int run_with(const options& how, std::function<task<int>()> main) {
  try {
    runtime r(how);
    return r.run(std::move(main));
  } catch (const usage_error& e) {
    log(log_level::error, e.what());
    return usage_error::exit_status;
  } catch (...) {
    log(log_level::error, describe_current_exception());
    return 1;
  }
}

int run_command_line(int& argc, char** argv, std::function<task<int>()> main) {
  options how;
  try {
    how = parse_options(argc, argv);
    refuse_near_misses(argc, argv);
  } catch (const usage_error& e) {
    log(log_level::error, e.what());
    return usage_error::exit_status;
  }
  return run_with(how, std::move(main));
}

}  // namespace detail

void exit(int status) { detail::processor::here().owner().exit(status); }

pending<void> quiescence() {
  pending<void> result("quiescence");
  detail::processor::here().owner().await_quiescence(result.address());
  return result;
}

}  // namespace imbrex
