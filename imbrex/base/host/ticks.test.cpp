// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/ticks.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace imbrex {
namespace {

TEST(Ticks, GoOn) {
  const auto before = read_ticks_in_order();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_GT(read_ticks_in_order(), before);
}

TEST(Ticks, OfAMessageAreLaterThanThoseBeforeItWasWritten) {
  if (!ticks_are_even()) GTEST_SKIP() << "the counters of this machine's processors need not agree";
  constexpr int rounds = 2'000;
  std::atomic<std::uint64_t> written{0};
  std::atomic<std::uint64_t> answered{0};
  std::thread other([&] {
    for (std::uint64_t last = 0, n = 0; n < rounds; ++n) {
      std::uint64_t now = 0;
      while ((now = written.load(std::memory_order_acquire)) == last) std::this_thread::yield();
      last = now;
      answered.store(read_ticks_in_order(), std::memory_order_release);
    }
  });
  for (std::uint64_t last = 0, n = 0; n < rounds; ++n) {
    const auto sent = read_ticks();
    written.store(sent, std::memory_order_release);
    std::uint64_t answer = 0;
    while ((answer = answered.load(std::memory_order_acquire)) == last) std::this_thread::yield();
    last = answer;
    EXPECT_GE(answer, sent);  // may be equal: a counter of 62.5 MHz may not change in between
    EXPECT_GE(read_ticks_in_order(), answer);
  }
  other.join();
}

}  // namespace
}  // namespace imbrex
