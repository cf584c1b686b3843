// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/watchdog.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/base/host/background_thread.hpp>

namespace imbrex::resident::detail {
namespace {

/// Entries begun by all PEs, plus messages received by the host, modulo 2^32.
std::uint32_t progress(const std::vector<wide_word>& watched) {
  std::uint32_t sum = 0;
  for (const wide_word& w : watched) sum += static_cast<std::uint32_t>(w.body);
  return sum;
}

bool has_work(const std::vector<wide_word>& watched) {
  return std::ranges::any_of(watched,
                             [](const wide_word& w) { return w.stamp >> 32U != 0 || w.body >> 32U != 0; });
}

}  // namespace

watchdog::watchdog(std::function<std::vector<wide_word>()> look,
                   std::function<std::string(const std::vector<wide_word>&)> describe, nanoseconds patience)
    : look_(std::move(look)), describe_(std::move(describe)), patience_(patience) {
  thread_ = background_thread("that watches a program inside a GPU", [this] { work(); });
}

watchdog::~watchdog() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

std::vector<std::string> watchdog::lines() {
  const std::lock_guard lock(mutex_);
  const std::string text = describe_(look_());
  if (text.empty()) return {"no PE inside the GPU is in an entry: all wait for messages"};
  std::vector<std::string> all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of("\n ", at);
    at = std::min(text.find('\n', begin), text.size());
    all.push_back(text.substr(begin, at - begin));
  }
  return all;
}

void watchdog::work() {
  using std::chrono::steady_clock;
  std::uint32_t before = 0;
  auto since = steady_clock::now();
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, patience_ / 4, [this] { return over_; })) {
    const std::vector<wide_word> watched = look_();
    const std::uint32_t now = progress(watched);
    if (std::exchange(before, now) != now || !has_work(watched)) since = steady_clock::now();
    const auto time = steady_clock::now() - since;
    if (time < patience_) continue;
    std::fprintf(stderr, "imbrex: no PE of a program inside a GPU has begun an entry for %.1f s:%s\n",
                 std::chrono::duration<double>(time).count(), describe_(watched).c_str());
    std::fflush(stderr);
    std::_Exit(1);
  }
}

}  // namespace imbrex::resident::detail
