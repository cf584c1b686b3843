// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/record/run_statistics.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

#include <imbrex/base/host/background_thread.hpp>

namespace imbrex::detail {

namespace {

constexpr std::chrono::seconds between_lines{10};

std::string seconds_text(nanoseconds time) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g s", std::chrono::duration<double>(time).count());
  return text.data();
}

/// "1.23 GB"
std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 5> units{"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < units.size(); ++unit) bytes /= 1000;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g %s", bytes, units[unit]);
  return text.data();
}

std::string percent(double part, double of) {
  return std::to_string(static_cast<int>(std::lround(of > 0 ? 100 * part / of : 0))) + " %";
}

/// Prints to standard error, whatever the log's level is: the user has requested the statistics.
void say(const std::string& text) { std::fputs(("imbrex: " + text + "\n").c_str(), stderr); }

/// The peak memory use of this process, in bytes.
double memory_used() {
  ::rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) * 1024;
}

}  // namespace

struct run_statistics::totals {
  double items = 0;
  double busy = 0;
  std::array<double, idle_causes> idle{};
  double messages = 0;
  double bytes = 0;
  double to_other_pes = 0;
  double to_other_processes = 0;
  double migrations = 0;
  double stays = 0;
};

run_statistics::run_statistics(std::string who, const clock& time, bool is_real_time)
    : who_(std::move(who)), time_(time), is_real_time_(is_real_time) {}

run_statistics::~run_statistics() { stop(); }

void run_statistics::begin() {
  begun_ = time_.now();
  teller_ = background_thread("that reports --stats", [this] { say_progress(); });
}

void run_statistics::end() {
  stop();
  say(summary(time_.now() - begun_));
}

void run_statistics::stop() {
  {
    const std::lock_guard hold(lock_);
    ending_ = true;
  }
  end_.notify_all();
  if (teller_.joinable()) teller_.join();
}

void run_statistics::say_progress() {
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    std::unique_lock hold(lock_);
    if (end_.wait_for(hold, between_lines, [this] { return ending_; })) return;
    say(progress(std::chrono::steady_clock::now() - start,
                 is_real_time_ ? std::optional(time_.now()) : std::nullopt));
  }
}

run_statistics::totals run_statistics::add_up() const {
  totals all;
  const auto add = [](double& to, const pe_counts::number& n) { to += static_cast<double>(n.get()); };
  for (const auto& pe : pes_) {
    add(all.items, pe.items);
    add(all.busy, pe.busy);
    for (std::size_t c = 0; c < idle_causes; ++c) add(all.idle[c], pe.idle[c]);
    add(all.messages, pe.messages);
    add(all.bytes, pe.bytes);
    add(all.to_other_pes, pe.to_other_pes);
    add(all.to_other_processes, pe.to_other_processes);
    add(all.migrations, pe.migrations);
    add(all.stays, pe.stays);
  }
  return all;
}

std::string run_statistics::progress(nanoseconds took, std::optional<nanoseconds> now) const {
  const auto all = add_up();
  std::string text = who_ + seconds_text(took) + ": ";
  if (now) {
    double busy = all.busy;
    for (const auto& pe : pes_) {
      const auto since = pe.runs_since.load(std::memory_order_relaxed);
      if (since != pe_counts::nothing_runs)
        busy += static_cast<double>(std::max<std::int64_t>(0, now->count() - since));
    }
    text += "PEs busy " +
            percent(busy, static_cast<double>(took.count()) * static_cast<double>(pes_.size())) + ", ";
  }
  return text + std::to_string(static_cast<std::uint64_t>(all.messages)) + " messages (" +
         bytes_text(all.bytes) + "), memory " + bytes_text(memory_used());
}

std::string run_statistics::summary(nanoseconds took) const {
  const auto all = add_up();
  const double time = static_cast<double>(took.count()) * static_cast<double>(pes_.size());
  const auto idle = [&](idle_cause why) { return percent(all.idle[static_cast<std::size_t>(why)], time); };
  std::string text = who_ + "the run took " + seconds_text(took) + " on " + std::to_string(pes_.size()) +
                     (pes_.size() == 1 ? " PE" : " PEs");
  text += "\n  messages  " + std::to_string(static_cast<std::uint64_t>(all.messages)) + " with " +
          bytes_text(all.bytes) + ": " + percent(all.to_other_pes, all.messages) + " to other PEs, " +
          percent(all.to_other_processes, all.messages) + " to other processes";
  text += "\n  PEs       busy " + percent(all.busy, time) + " of the time, idle " +
          percent(std::max(0.0, time - all.busy), time);
  text += "\n  exposed   " + idle(idle_cause::message) +
          " of the time PEs were idle until a message came from another, " + idle(idle_cause::device) +
          " until their device had completed work";
  if (all.migrations + all.stays > 0)
    text += "\n  elements  " + std::to_string(static_cast<std::uint64_t>(all.migrations)) +
            " have migrated; " + std::to_string(static_cast<std::uint64_t>(all.stays)) +
            " did not migrate on request, as another of their entries was suspended";
  text += "\n  memory    " + bytes_text(memory_used()) + " at most";
  return text;
}

}  // namespace imbrex::detail
