// SPDX-License-Identifier: Apache-2.0
// The cost of an idle PE's turn while work on its device is pending: a poll of the inbox, the device and the
// queue, which the thread machine repeats while nothing arrives.
//   build/release/bin/gpu_idle_turn --device emulated
//
// Pending work waits in its streams for a flag that the host stores at the end, so that nothing completes
// meanwhile.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/device/event.hpp>
#include <imbrex/device/flag.hpp>
#include <imbrex/device/stream.hpp>
#include <imbrex/sched/device_completions.hpp>
#include <imbrex/sched/scheduler.hpp>

#include "bench/gpu/program.hpp"
#include "bench/stopwatch.hpp"

namespace {

using imbrex::completion_method;

struct course {
  std::vector<int> pending{0, 1, 10, 1000};
  int repeats = 15;
  double stretch = 0.002;  ///< seconds of turns timed together
};

/// Blocks streams until it is opened. A driver's queues are bounded, and submitting to a full queue waits for
/// the device: so the gate opens by itself after some time.
class gate {
 public:
  explicit gate(imbrex::device& of) : flag_(of, 1), opener_([this] { open_in_time(); }) {}
  gate(const gate&) = delete;
  gate& operator=(const gate&) = delete;
  ~gate() {
    open();
    opener_.join();
  }

  void hold(imbrex::stream& up) { up.wait(flag_[0], 1); }
  void open() {
    const std::lock_guard guard(lock_);
    is_open_ = true;
    state_change_.notify_all();
  }
  /// Cancels opening by itself. False if it has opened already, so that the work behind it has run.
  bool stay_closed() {
    const std::lock_guard guard(lock_);
    waits_for_ever_ = true;
    state_change_.notify_all();
    return !is_open_;
  }

 private:
  void open_in_time() {
    constexpr std::chrono::seconds patience{5};
    std::unique_lock guard(lock_);
    state_change_.wait_for(guard, patience, [&] { return is_open_ || waits_for_ever_; });
    if (waits_for_ever_) state_change_.wait(guard, [&] { return is_open_; });
    is_open_ = true;
    flag_.store(0, 1);
  }

  imbrex::flag_array flag_;
  std::mutex lock_;
  std::condition_variable state_change_;
  bool is_open_ = false;
  bool waits_for_ever_ = false;
  std::thread opener_;
};

/// A PE that is run only by this program.
class subject {
 public:
  subject(imbrex::device& on, completion_method method, int pending, int streams)
      : on_(on),
        pe_(0, clock_, std::nullopt),
        activation_(pe_),
        completions_(pe_, on, method, {}),
        pending_(pending) {
    pe_.attach(completions_);
    for (int s = 0; s < streams; ++s)
      streams_.emplace_back(on, imbrex::stream_priority::normal, "stream " + std::to_string(s));
    submit();  // once without the gate: drivers cannot create some objects while streams are blocked
    drain();
  }

  /// Nanoseconds of a turn, by repeat; empty if the device did not accept all work.
  std::vector<double> measure(const course& plan) {
    gate closed(on_);
    for (imbrex::stream& s : streams_) closed.hold(s);
    submit();
    std::vector<double> nanoseconds;
    if (closed.stay_closed()) {
      const int turns = std::max(1, static_cast<int>(plan.stretch / seconds_of(1000)));
      for (int repeat = 0; repeat < plan.repeats; ++repeat) nanoseconds.push_back(seconds_of(turns) * 1e9);
    }
    closed.open();
    drain();
    return nanoseconds;
  }

 private:
  void submit() {
    const imbrex::detail::device_completions::receiver who{
        [](void* count, const std::exception_ptr&) { ++*static_cast<int*>(count); }, [](void*) noexcept {},
        &completion_count_};
    for (int i = 0; i < pending_; ++i) {
      const auto which = static_cast<std::size_t>(i) % streams_.size();
      completions_.notify(streams_[which], who);
    }
  }
  void drain() {
    while (completions_.pending() > 0) {
      pe_.poll();
      while (pe_.step()) {
      }
    }
    if (completion_count_ != pending_)
      throw imbrex::error(std::to_string(completion_count_) + " of " + std::to_string(pending_) +
                          " were told");
    completion_count_ = 0;
  }
  double seconds_of(int turns) {
    int came = 0;
    const bench::stopwatch watch;
    for (int turn = 0; turn < turns; ++turn)
      if (pe_.pe_inbox().has_items() || pe_.poll() || !pe_.idle()) ++came;
    const double seconds = watch.seconds() / turns;
    if (came != 0) throw imbrex::error("something came to a PE that was to be idle");
    return seconds;
  }

  imbrex::device& on_;
  imbrex::detail::real_clock clock_;
  imbrex::detail::scheduler pe_;
  imbrex::detail::scheduler::activation activation_;
  std::vector<imbrex::stream> streams_;
  imbrex::detail::device_completions completions_;
  const int pending_;
  int completion_count_ = 0;
};

/// The cost of querying one pending event of the device, without a PE.
nlohmann::ordered_json query_row(imbrex::device& on, const course& plan) {
  imbrex::event_pool pool(on);
  imbrex::event end = pool.take();
  imbrex::stream held(on, imbrex::stream_priority::normal, "held");
  gate closed(on);
  closed.hold(held);
  held.record(end);
  closed.stay_closed();
  const auto seconds_of = [&](int queries) {
    const bench::stopwatch watch;
    for (int query = 0; query < queries; ++query)
      if (end.done()) throw imbrex::error("an event has come that was to wait");
    return watch.seconds() / queries;
  };
  const int queries = std::max(1, static_cast<int>(plan.stretch / seconds_of(1000)));
  std::vector<double> nanoseconds;
  for (int repeat = 0; repeat < plan.repeats; ++repeat) nanoseconds.push_back(seconds_of(queries) * 1e9);
  closed.open();
  held.synchronize();
  return {{"what", "query of an event"}, {"ns", bench::spread(nanoseconds)}};
}

nlohmann::ordered_json turn_row(imbrex::device& on, completion_method method, const char* name, int pending,
                                int streams, const course& plan) {
  const auto nanoseconds = subject(on, method, pending, streams).measure(plan);
  nlohmann::ordered_json row{{"what", "turn"}, {"method", name}, {"pending", pending}, {"streams", streams}};
  if (!nanoseconds.empty()) row["ns"] = bench::spread(nanoseconds);
  return row;
}

void measure(const course& plan, const imbrex::options& settings, nlohmann::ordered_json& rows) {
  const auto devices = bench::open_devices(settings);
  imbrex::device& on = *devices.front();
  if (!on.info().can.stream_values)
    throw imbrex::error(on.info().label() + " cannot hold a stream up until the host stores a value");
  rows.push_back(query_row(on, plan));
  for (const auto& [method, name] :
       {std::pair{completion_method::polling, "poll"}, std::pair{completion_method::flag, "flag"}})
    for (const int pending : plan.pending) {
      rows.push_back(turn_row(on, method, name, pending, 1, plan));
      if (pending > 1) rows.push_back(turn_row(on, method, name, pending, pending, plan));
    }
}

}  // namespace

int main(int argc, char** argv) {
  course plan;
  return bench::run(
      {.name = "idle_turn",
       .text = "Measures the turn of an idle PE while work is pending on its device.",
       .declare =
           [&](CLI::App& app) {
             app.add_option("--pending", plan.pending, "numbers of pending completions (default 0,1,10,1000)")
                 ->delimiter(',')
                 ->check(CLI::Range(0, 100'000));
             app.add_option("--repeats", plan.repeats, "number of repeats of each (default 15)")
                 ->check(CLI::Range(1, 1000));
             app.add_option("--stretch", plan.stretch,
                            "seconds of turns that are timed together (default 0.002)")
                 ->check(CLI::Range(1e-6, 1.0));
           },
       .measure = [&](const imbrex::options& settings, auto& rows) { measure(plan, settings, rows); }},
      argc, argv);
}
