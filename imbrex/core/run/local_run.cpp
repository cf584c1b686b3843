// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/local_run.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/core/collective/reductions.hpp>
#include <imbrex/core/gpu/run_devices.hpp>
#include <imbrex/core/pe/executor_gate.hpp>
#include <imbrex/core/pe/failures.hpp>
#include <imbrex/core/pe/pending.hpp>
#include <imbrex/core/run/machine.hpp>

namespace imbrex::detail {

namespace {

constexpr std::chrono::milliseconds grace_after_failure{3000};
constexpr std::chrono::milliseconds grace_after_success{30000};

}  // namespace

local_run::local_run(options settings)
    : gate_(std::make_shared<executor_gate>()), how_(std::move(settings)), watch_(processors_, *gate_) {}

local_run::~local_run() = default;

std::uint64_t local_run::new_collection() {
  const std::lock_guard hold(collections_lock_);
  if (!free_collections_.empty()) {
    const std::uint64_t id = free_collections_.back();
    free_collections_.pop_back();
    return id;
  }
  const std::uint64_t place = places_of_collections_++ * static_cast<std::uint64_t>(processes()) +
                              static_cast<std::uint64_t>(process());
  if (place >> generation_shift != 0)
    throw error("there are " + std::to_string(place) +
                " arrays and groups, and no more numbers for others: destroy those that are not needed");
  return place;
}

void local_run::give_back(std::uint64_t collection) {
  if (recording() != nullptr) return;  // a trace identifies a collection by its place alone
  const std::uint64_t next = collection + (std::uint64_t{1} << generation_shift);
  if ((next & singles_bit) != 0) return;  // all generations of this place have been used
  const std::lock_guard hold(collections_lock_);
  free_collections_.push_back(next);
}

void local_run::exit(int status) {
  if (status < 0 || status > 255)
    throw error("the exit status " + std::to_string(status) + " would be seen as " +
                std::to_string(status & 255) +
                ": the system keeps its last 8 bits; give 0 for success, else one of 1 to 255");
  if (claim(status)) end_everywhere();
}

bool local_run::claim(int status) {
  int expected = running;
  return status_.compare_exchange_strong(expected, status, std::memory_order_acq_rel);
}

void local_run::end_here(int status) {
  claim(status);
  machine_->stop();
}

void local_run::idle() {
  if (std::ranges::none_of(processors_, [](const auto& p) { return p->executors().are_awaited(); })) {
    quiet({});
    return;
  }
  for (const auto& p : processors_) {
    const scheduler::activation as(*p);
    p->thread_observers().tell([](observer& o) { o.parks(); });
  }
  const auto has_work = [this] {
    return !std::ranges::all_of(processors_, [](const auto& p) { return p->idle(); });
  };
  for (bool has_request = true; has_request;) {
    gate_->wait([&] {
      has_request = desk_ && desk_->has_request();
      return has_request || has_work();
    });
    if (has_request) attend();
  }
  for (const auto& p : processors_) {
    const scheduler::activation as(*p);
    p->thread_observers().tell_backward([](observer& o) { o.wakes(); });
  }
}

void local_run::attend() {
  if (desk_) desk_->attend();
}

int local_run::report_socket() const { return desk_ ? desk_->socket() : -1; }

std::chrono::milliseconds local_run::grace() const {
  return status() == 0 ? grace_after_success : grace_after_failure;
}

const device_model* local_run::model() const { return machine_->model(); }

void local_run::fail(std::string_view text, int status) {
  if (!claim(status)) return;  // the reported error must be the one that determines the status
  log(log_level::error, text);
  end_everywhere();
}

void local_run::on_uncaught(int pe) noexcept {
  try {
    const std::string where =
        pe != scheduler::no_pe ? "on PE " + std::to_string(pe) : "on the communication thread";
    fail(where + ": " + describe_current_exception());
  } catch (...) {
    fail_without_memory(pe);
  }
}

void local_run::fail_without_memory(int pe) noexcept {
  std::array<char, 640> text{};
  const auto* const busy = pe != scheduler::no_pe ? processor_at(pe).running() : nullptr;
  if (pe != scheduler::no_pe)
    std::snprintf(text.data(), text.size(), "on PE %d, %.200s: %s", pe,
                  busy != nullptr ? busy->name : "between two messages", out_of_memory().what());
  else
    std::snprintf(text.data(), text.size(), "on the communication thread: %s", out_of_memory().what());
  try {
    fail(text.data());
  } catch (...) {  // the other processes cannot be notified; the launcher does so
    end_here(1);
  }
}

bool local_run::release_quiescence_waiters() {
  const auto of_stop = std::exchange(stop_waiter_, std::nullopt);
  const auto waiters =
      of_stop ? std::vector<quiescence_waiter>{*of_stop} : std::exchange(quiescence_waiters_, {});
  auto& pe = processor_at(0);
  const scheduler::activation as(pe);
  if (const auto* const observers = waiters.empty() ? nullptr : pe.observers())
    observers->tell([](observer& o) { o.quiescent(); });
  // All replies are made before the first of them wakes a waiter.
  std::vector<std::pair<int, message*>> answers;
  for (const auto& w : waiters) {
    if (w.pe == 0 && pe.replies().find(w.reply) == nullptr) continue;
    auto& m = make_message<reply_message<nothing>>(nothing{});
    m.reply = w.reply;
    if (pes_.holds(w.pe)) pe.announce(m, w.pe);
    answers.emplace_back(w.pe, &m);
  }
  for (const auto& [to, answer] : answers)
    pes_.holds(to) ? processor_at(to).pe_inbox().post(*answer) : pe.dispatch(*answer, to);
  return !answers.empty();
}

known_waits local_run::describe_waits() const {
  known_waits all;
  for (const auto& p : processors_) add_waits_of(*p, all);
  return all;
}

void local_run::fail_deadlock(const known_waits& waits) {
  if (waits.thrown.empty())
    return fail("deadlock: no message is in flight, nothing runs, and the main task has not ended. Waiting:" +
                waits.text());
  std::string text;
  for (const std::string& thrown : waits.thrown) text += thrown + "\n";
  fail(text +
       "The call cannot end, which is a deadlock: other elements that were called wait, no message is in "
       "flight, and nothing runs. Waiting:" +
       waits.text());
}

void local_run::report_held_messages() {
  std::vector<std::string> lines;
  std::size_t count = 0;
  for (const auto& p : processors_)
    for_each_array(*p, [&](const local_array& c) {
      count += c.count_held();
      c.describe_held(lines, 5, false);
    });
  if (count == 0) return;
  std::string text = "the run has ended with " + std::to_string(count) + " undelivered message(s):";
  for (const auto& l : lines) text += "\n  " + l;
  log(log_level::warning, text);
}

}  // namespace imbrex::detail
