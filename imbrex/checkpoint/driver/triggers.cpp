// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/driver/triggers.hpp>

#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>

#include <imbrex/base/error.hpp>

namespace imbrex::checkpoints::detail {

namespace {

/// The period of `auto` before the cost of a checkpoint is known.
constexpr nanoseconds first_period = std::chrono::minutes(1);
/// The thread looks so often whether a signal has come.
constexpr auto slice = std::chrono::milliseconds(20);

std::atomic<bool> has_signal = false;

void note_signal(int) { has_signal.store(true, std::memory_order_relaxed); }

}  // namespace

void catch_signal(int signal) {
  struct sigaction action{};
  action.sa_handler = &note_signal;
  action.sa_flags = SA_RESTART;
  has_signal = false;
  if (::sigaction(signal, &action, nullptr) != 0)
    throw error("--checkpoint-on: the signal cannot be caught: " + std::string(std::strerror(errno)));
}

triggers::triggers(const checkpoint_settings& settings, std::function<void()> call)
    : settings_(settings), call_(std::move(call)) {
  restart(0);
  if (settings_.signal != 0 || period(0) > nanoseconds(0)) watch_ = std::thread([this] { watch(); });
}

triggers::~triggers() {
  {
    const std::lock_guard hold(lock_);
    ends_ = true;
  }
  changed_.notify_all();
  if (watch_.joinable()) watch_.join();
}

/// The period that loses the least time: the square root of twice the cost times the mean time between
/// failures (Young 1974).
nanoseconds triggers::period(double cost) const {
  if (!settings_.every_auto) return settings_.every_time;
  if (cost <= 0) return first_period;
  const double mtbf = std::chrono::duration<double>(settings_.mtbf).count();
  return std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(std::sqrt(2 * cost * mtbf)));
}

void triggers::restart(double cost) {
  const nanoseconds next = period(cost);
  const std::lock_guard hold(lock_);
  using clock = std::chrono::steady_clock;
  due_ = next > nanoseconds(0) ? clock::now() + next : clock::time_point::max();
  changed_.notify_all();
}

void triggers::watch() {
  std::unique_lock hold(lock_);
  while (!ends_) {
    const auto now = std::chrono::steady_clock::now();
    if (has_signal.exchange(false) || now >= due_) {
      due_ = std::chrono::steady_clock::time_point::max();
      if (!pe_.post(call_)) return;
    }
    if (settings_.signal != 0)
      changed_.wait_for(hold, slice);
    else if (due_ == std::chrono::steady_clock::time_point::max())
      changed_.wait(hold);
    else
      changed_.wait_until(hold, due_);
  }
}

}  // namespace imbrex::checkpoints::detail
