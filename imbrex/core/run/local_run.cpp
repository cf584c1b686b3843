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

constexpr std::size_t report_lines = 20;

constexpr std::chrono::milliseconds grace_after_failure{3000};
constexpr std::chrono::milliseconds grace_after_success{30000};

}  // namespace

local_run::local_run(options settings)
    : gate_(std::make_shared<executor_gate>()), how_(std::move(settings)) {}

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
  if (recording() != nullptr) return;  // a trace knows it by its place alone
  const std::uint64_t next = collection + (std::uint64_t{1} << generation_shift);
  if ((next & singles_bit) != 0) return;  // all numbers of this place have been used
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
  if (std::ranges::none_of(processors_, [](const auto& p) { return p->has_executors(); })) {
    quiet({});
    return;
  }
  for (const auto& p : processors_) {
    const scheduler::activation as(*p);
    p->thread_observers().tell([](observer& o) { o.parks(); });
  }
  gate_->wait([this] { return !std::ranges::all_of(processors_, [](const auto& p) { return p->idle(); }); });
  for (const auto& p : processors_) {
    const scheduler::activation as(*p);
    p->thread_observers().tell_backward([](observer& o) { o.wakes(); });
  }
}

std::chrono::milliseconds local_run::grace() const {
  return status() == 0 ? grace_after_success : grace_after_failure;
}

const device_model* local_run::model() const { return machine_->model(); }

void local_run::fail(std::string_view text, int status) {
  if (!claim(status)) return;  // what is told is what the run comes to
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
  } catch (...) {  // the other processes cannot be told; the launcher will tell them
    end_here(1);
  }
}

bool local_run::release_quiescence_waiters() {
  const auto waiters = std::exchange(quiescence_waiters_, {});
  auto& pe = processor_at(0);
  const scheduler::activation as(pe);
  if (const auto* const observers = waiters.empty() ? nullptr : pe.observers())
    observers->tell([](observer& o) { o.quiescent(); });
  // Made before the first of them wakes anyone.
  std::vector<std::pair<int, message*>> answers;
  for (const auto& w : waiters) {
    if (w.pe == 0 && pe.replies().find(w.reply) == nullptr) continue;
    auto& m = make_message<reply_message<nothing>>(nothing{});
    m.reply = w.reply;
    if (pes_.holds(w.pe)) pe.announce(m, w.pe);
    answers.emplace_back(w.pe, &m);
  }
  for (const auto& [to, answer] : answers)
    pes_.holds(to) ? processor_at(to).door().post(*answer) : pe.dispatch(*answer, to);
  return !answers.empty();
}

std::string local_run::describe_waits() const {
  std::vector<std::string> lines;
  std::size_t more = 0;
  const auto add = [&](std::string line) {
    lines.size() < report_lines ? lines.push_back(std::move(line)) : void(++more);
  };
  const auto add_waits = [&](const std::string& who, const scope& entry) {
    if (entry.waits == nullptr) add(who + " waits for something that is not the runtime's");
    const bool has_place = entry.kind != nullptr && entry.kind->place != nullptr;
    const std::string place = has_place ? ", at " + entry.kind->place(entry.body) : "";
    for (const auto* w = entry.waits; w != nullptr; w = w->next())
      add(who + " waits for " + w->description() + place);
  };
  const auto add_error = [&](const carried_exception& held) {
    if (held) add("an exception waits for the other elements that were called: " + held.description());
  };
  for (const auto& p : processors_) {
    p->replies().for_each([&](const reply_target& target) { add_error(target.held_error()); });
    for_each_array(
        *p, [&](const local_array& c) { std::ranges::for_each(c.reductions().held_errors(), add_error); });
  }
  if (pes_.first == 0) add_waits("the main task", processor_at(0).main);
  for (const auto& p : processors_) {
    for (const auto* m : p->held())
      add("a message for an array that was never created waits on PE " + std::to_string(p->pe()) +
          " (sent by PE " + std::to_string(m->origin) + ")");
    for_each_array(*p, [&](const local_array& c) {
      c.describe_held(lines, report_lines, true);
      for (const auto& [id, place] : c.section_places) place->describe_missing(lines, report_lines);
      for (const auto* e : c.locals())
        for (const scope* s = e->entries; s != nullptr; s = s->next)
          add_waits(describe_entry(*e, static_cast<const message*>(s->request)->shown_kind()), *s);
    });
  }
  std::string text;
  for (const auto& l : lines) text += "\n  " + l;
  if (more > 0) text += "\n  and " + std::to_string(more) + " more";
  return text;
}

void local_run::fail_deadlock(const std::string& waits) {
  fail("deadlock: no message is in flight, nothing runs, and the main task has not ended. Who waits:" +
       waits);
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
