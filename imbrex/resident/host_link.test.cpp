// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/sanitized.test.hpp>
#include <imbrex/core/array/chare.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/pe/sleep.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/resident/cells.test.hpp>
#include <imbrex/resident/devices.test.hpp>
#include <imbrex/resident/program.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::resident::test {
namespace {

using testing::error_of;

struct shape {
  std::string backend = "emulated";
  std::uint32_t pes = 1, threads = 1, parcels = 64, host_slots = 16;
};
std::string name_of(const ::testing::TestParamInfo<shape>& info) {
  const shape& s = info.param;
  return s.backend + "_" + std::to_string(s.pes) + "_pes_of_" + std::to_string(s.threads) + "_slots_" +
         std::to_string(s.host_slots);
}

class resident_host_link : public ::testing::TestWithParam<shape> {
 protected:
  void SetUp() override {
    devices_ = devices_here(GetParam().backend);
    if (devices_.empty()) GTEST_SKIP() << "there is no GPU";
  }
  device& gpu() { return *devices_.front(); }
  static settings chosen() {
    const shape& s = GetParam();
    settings all;
    all.pes = s.pes;
    all.threads = s.threads;
    all.parcels = s.parcels;
    all.host_slots = s.host_slots;
    return all;
  }
  static std::uint32_t many() { return imbrex::test::memory_is_kept_back ? 50 : 300; }

 private:
  std::vector<std::unique_ptr<device>> devices_;
};
const std::vector<shape> on_threads{
    {}, {.pes = 3, .threads = 2}, {.pes = 5, .parcels = 2, .host_slots = 2}, {.pes = 32, .host_slots = 4}};
INSTANTIATE_TEST_SUITE_P(, resident_host_link, ::testing::ValuesIn(on_threads), name_of);
#if IMBREX_HAS_CUDA
const std::vector<shape> on_a_gpu{{.backend = "cuda"},
                                  {.backend = "cuda", .pes = 5, .threads = 64, .parcels = 2, .host_slots = 2},
                                  {.backend = "cuda", .pes = 0, .threads = 128}};
INSTANTIATE_TEST_SUITE_P(cuda, resident_host_link, ::testing::ValuesIn(on_a_gpu), name_of);
#endif

/// Messages of each chare must arrive completely and in order.
TEST_P(resident_host_link, brings_what_chares_tell_once_and_in_order) {
  program<teller> p(gpu(), chosen(), {7});
  std::array<std::vector<std::uint32_t>, 7> shorts, longs;
  std::uint32_t wrong = 0;
  p.on<short_news>([&](std::uint32_t who, std::uint32_t n) { shorts.at(who).push_back(n); });
  p.on<long_news>([&](std::uint32_t who, std::span<const std::uint32_t> words) {
    const std::uint32_t n = many() - static_cast<std::uint32_t>(longs.at(who).size());
    longs.at(who).push_back(n);
    wrong += words.size() != n % 20 ? 1 : 0;
    for (std::size_t i = 0; i < words.size(); ++i) wrong += words[i] != n + i ? 1 : 0;
  });
  EXPECT_EQ(p.run_all<&teller::say>(many()).value, std::nullopt);
  for (std::size_t who = 0; who < 7; ++who) {
    EXPECT_EQ(longs[who].size(), many());
    ASSERT_EQ(shorts[who].size(), many());
    for (std::uint32_t n = 0; n < many(); ++n) ASSERT_EQ(shorts[who][n], many() - n);
  }
  EXPECT_EQ(wrong, 0U);
}

TEST_P(resident_host_link, brings_more_than_eight_bytes) {
  program<teller> p(gpu(), chosen(), {7});
  std::uint32_t receipts = 0, wrong = 0;
  p.on<wide_news>([&](std::uint32_t who, std::uint64_t large, double half) {
    receipts |= 1U << who;
    wrong += large != std::uint64_t{9} << 32U || half != 4.5 ? 1 : 0;
  });
  p.run<&teller::say_wide>(3, std::uint32_t{9});
  p.run<&teller::say_wide>(6, std::uint32_t{9});
  EXPECT_EQ(receipts, 1U << 3U | 1U << 6U);
  EXPECT_EQ(wrong, 0U);
}

/// Messages of the host of each kind, from two of its threads, and the replies to those that have one.
TEST_P(resident_host_link, takes_messages_of_the_host_until_it_is_closed) {
  program<teller> p(gpu(), chosen(), {7});
  std::vector<std::uint32_t> answers;
  p.on<short_news>([&](std::uint32_t, std::uint32_t n) { answers.push_back(n); });
  p.open();
  p.start<&teller::rest>(0);
  const auto send = [&](std::uint32_t first) {
    for (std::uint32_t n = first; n < many(); n += 2) {
      const int to = static_cast<int>(n % 7);
      p.send<&teller::answer>(to, n);
      p.send<&teller::hear_wide>(to, n, std::uint64_t{n} << 32U, n / 2.0);
      std::vector<std::uint32_t> words(n % 20);
      for (std::uint32_t i = 0; i < words.size(); ++i) words[i] = n + i;
      p.send<&teller::hear_long>(to, n, std::span<const std::uint32_t>(words));
    }
  };
  std::thread other([&] { send(1); });
  send(0);
  other.join();
  p.send_all<&teller::answer>(many());
  p.close();
  p.stream().synchronize();
  EXPECT_EQ(p.end().value, std::nullopt);
  std::ranges::sort(answers);
  ASSERT_EQ(answers.size(), many() + 7);
  for (std::uint32_t n = 0; n < many(); ++n) ASSERT_EQ(answers[n], n);
  std::uint32_t receipts = 0, wrong = 0;
  for (const teller& t : p.read<teller>()) {
    receipts += t.receipts;
    wrong += t.wrong;
  }
  EXPECT_EQ(receipts, 3 * many() + 7);
  EXPECT_EQ(wrong, 0U);
}

/// The host replies to each reply, in the thread that receives it, and closes after the last.
TEST_P(resident_host_link, talks_to_and_fro) {
  program<teller> p(gpu(), chosen(), {7});
  std::uint32_t receipts = 0;
  p.on<short_news>([&](std::uint32_t who, std::uint32_t n) {
    EXPECT_EQ(n, receipts);
    EXPECT_EQ(who, n * 3 % 7);
    ++receipts;
    receipts == 50 ? p.close() : p.send<&teller::answer>(static_cast<int>(receipts * 3 % 7), receipts);
  });
  for (int run = 0; run < 2; ++run) {
    receipts = 0;
    p.open();
    p.start<&teller::answer>(0, std::uint32_t{0});
    p.stream().synchronize();
    EXPECT_EQ(p.end().value, std::nullopt);
    EXPECT_EQ(receipts, 50U);
  }
}

/// Messages that the host had no room for when the run ended must arrive as well.
TEST_P(resident_host_link, brings_what_was_told_before_exit) {
  program<teller> p(gpu(), chosen(), {7});
  std::uint32_t receipts = 0;
  p.on<short_news>([&](std::uint32_t, std::uint32_t n) { EXPECT_EQ(n, receipts++); });
  EXPECT_EQ(p.run<&teller::end>(5, std::uint32_t{100}).value, 100U);
  EXPECT_EQ(receipts, 100U);
}

TEST_P(resident_host_link, ends_open_runs_by_exit) {
  program<teller> p(gpu(), chosen(), {7});
  p.on<short_news>([](std::uint32_t, std::uint32_t) {});
  p.open();
  p.start<&teller::rest>(0);
  p.send<&teller::end>(2, std::uint32_t{4});
  p.stream().synchronize();
  EXPECT_EQ(p.end().value, 4U);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::ranges::sort(lines);
  return lines;
}

TEST_P(resident_host_link, prints_whole_lines_that_name_who_prints) {
  program<teller> p(gpu(), chosen(), {7});
  ::testing::internal::CaptureStdout();
  p.run_all<&teller::speak>(std::int32_t{-6});
  const std::vector<std::string> lines = lines_of(::testing::internal::GetCapturedStdout());
  ASSERT_EQ(lines.size(), 7U);
  const std::uint32_t pes = p.chosen().pes;
  for (std::uint32_t n = 0; n < 7; ++n)
    EXPECT_EQ(lines[n], "teller(" + std::to_string(n) + ") on PE " + std::to_string(n % pes) +
                            ": -6 of 7 is -1.5, true");
}

/// Lines are lost rather than waited for, but their number is reported.
TEST_P(resident_host_link, counts_lines_that_it_leaves_out) {
  program<teller> p(gpu(), chosen(), {7});
  constexpr std::uint32_t printed = 3'000;
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  p.run<&teller::prattle>(0, printed);
  const std::size_t lines = lines_of(::testing::internal::GetCapturedStdout()).size();
  const std::string output = ::testing::internal::GetCapturedStderr();
  EXPECT_GE(lines, p.chosen().host_slots);
  if (lines == printed) {
    EXPECT_EQ(output, "");
  } else {
    EXPECT_EQ(output, "imbrex: warning: " + std::to_string(printed - lines) +
                          " lines that PE 0 of a program inside a GPU has printed are left out: raise "
                          "settings::host_slots, now " +
                          std::to_string(p.chosen().host_slots) + "\n");
  }
}

TEST_P(resident_host_link, ends_the_run_when_a_listener_throws) {
  program<teller> p(gpu(), chosen(), {7});
  p.on<short_news>([](std::uint32_t, std::uint32_t n) {
    if (n == 3) throw std::runtime_error("three is too many");
  });
  p.open();
  p.start<&teller::rest>(0);
  for (std::uint32_t n = 0; n < 10; ++n) p.send<&teller::answer>(1, n);
  p.stream().synchronize();
  EXPECT_EQ(error_of<std::runtime_error>([&] { p.end(); }), "three is too many");
  EXPECT_EQ(p.run<&teller::end>(5, std::uint32_t{2}).value, 2U) << "and the next run is a new one";
}

TEST_P(resident_host_link, says_what_nobody_listens_for) {
  program<teller> p(gpu(), chosen(), {7});
  EXPECT_EQ(error_of<error>([&] { p.run<&teller::answer>(0, std::uint32_t{3}); }),
            "entry answer of teller(0) on PE 0 sent the host short_news, but it has no listener: call "
            "on<short_news>() before the run");
}

/// The run must end although no chare ends it.
TEST_P(resident_host_link, ends_a_run_by_what_nobody_listens_for) {
  constexpr std::uint32_t times = 1'000'000'000;  // longer than the host may have to wait for the processor
  program<teller> p(gpu(), chosen(), {7});
  EXPECT_EQ(error_of<error>([&] { p.run<&teller::go_on>(5, times); }),
            "entry go_on of teller(5) on PE " + std::to_string(5 % p.chosen().pes) +
                " sent the host short_news, but it has no listener: call on<short_news>() before the run");
  EXPECT_LT(p.read<teller>()[5].receipts, times);
}

TEST_P(resident_host_link, takes_nothing_for_a_run_that_has_ended) {
  program<teller> p(gpu(), chosen(), {7});
  p.on<short_news>([](std::uint32_t, std::uint32_t) {});
  p.open();
  p.start<&teller::end>(2, std::uint32_t{1});
  p.stream().synchronize();
  EXPECT_EQ(p.end().value, 1U);
  EXPECT_NE(error_of<error>([&] { p.send<&teller::rest>(0); }), "");
  EXPECT_NE(error_of<error>([&] { p.close(); }), "");
}

TEST_P(resident_host_link, refuses_messages_that_cannot_be) {
  program<teller> p(gpu(), chosen(), {7});
  const std::string not_open =
      "a run inside a GPU is sent a message of the host and is not open: call open() before start(), and "
      "close() after the last message";
  EXPECT_EQ(error_of<error>([&] { p.send<&teller::rest>(0); }), not_open);
  EXPECT_EQ(error_of<error>([&] { p.close(); }),
            "a run inside a GPU is closed and is not open: call open() before start()");
  p.open();
  p.start<&teller::rest>(0);
  EXPECT_EQ(error_of<error>([&] { p.send<&teller::rest>(7); }),
            "a run inside a GPU cannot have a message for teller(7), which there is not: the array has the "
            "extents (7)");
  const std::vector<std::uint32_t> words(1'000);
  EXPECT_EQ(error_of<error>([&] {
              p.send<&teller::hear_long>(0, std::uint32_t{1}, std::span<const std::uint32_t>(words));
            }),
            "a message of the host to a chare inside a GPU has 4032 bytes, but the maximum is 256: raise "
            "settings::host_bytes and settings::parcel_bytes");
  p.close();
  EXPECT_EQ(error_of<error>([&] { p.send<&teller::rest>(0); }), not_open);
  EXPECT_EQ(error_of<error>([&] { p.close(); }), "");
  p.stream().synchronize();
  EXPECT_EQ(error_of<error>([&] { p.close(); }), "");
  p.end();
  EXPECT_EQ(error_of<error>([&] { p.close(); }),
            "a run inside a GPU is closed and is not open: call open() before start()");
  EXPECT_EQ(error_of<error>([&] { p.run<&teller::tell_much>(0); }),
            "entry tell_much of teller(0) on PE 0 requested a message to the host of 4032 bytes: raise "
            "settings::host_bytes, now 256");
  EXPECT_EQ(error_of<error>([&] { p.run<&teller::tell_prepared>(0); }),
            "entry tell_prepared of teller(0) on PE 0 requested a message to the host of 832 bytes: raise "
            "settings::host_bytes, now 256");
}

/// Each call of the listener takes longer than a message does, so the rings are full for longer than the
/// watchdog's patience. The run has also ended for longer than that before the host handles its end.
TEST_P(resident_host_link, lets_the_watchdog_wait_for_a_slow_host) {
  using std::chrono::milliseconds;
  settings s = chosen();
  s.host_slots = 2;
  s.patience = milliseconds(500);
  program<teller> p(gpu(), s, {7});
  std::uint32_t receipts = 0;
  p.on<short_news>([&](std::uint32_t, std::uint32_t) {
    ++receipts;
    std::this_thread::sleep_for(milliseconds(50));
  });
  p.start<&teller::end>(1, std::uint32_t{16});
  std::this_thread::sleep_for(milliseconds(1'300));
  p.stream().synchronize();
  EXPECT_EQ(p.end().value, 16U);
  EXPECT_EQ(receipts, 16U);
}

/// A PE has kept messages for a full mailbox, and has sent them since, while it polled for work.
TEST(resident_watchdog, lets_an_open_run_rest) {
  using std::chrono::milliseconds;
  const auto found = devices_here("emulated");
  settings s;
  s.pes = 2;
  s.mailbox = 2;
  s.patience = milliseconds(500);
  program<teller> p(*found.front(), s, {2});
  std::atomic<int> begun = 0;
  p.on<short_news>([&](std::uint32_t, std::uint32_t) {
    ++begun;
    begun.notify_one();
  });
  p.open();
  p.start<&teller::press>(0, std::uint32_t{10}, std::uint32_t{5});
  for (int n = 0; n < 10; ++n) begun.wait(n);
  std::this_thread::sleep_for(milliseconds(800));
  p.close();
  p.stream().synchronize();
  EXPECT_EQ(p.end().value, std::nullopt);
}

TEST_P(resident_host_link, says_that_parcels_to_tell_are_lacking) {
  settings s = chosen();
  s.parcels = 4;
  s.host_slots = 2;
  program<teller> p(gpu(), s, {7});
  std::atomic<bool> goes_on = false;
  p.on<wide_news>([&](std::uint32_t, std::uint64_t, double) {
    while (!goes_on) std::this_thread::yield();
  });
  p.start<&teller::tell_widely>(0, std::uint32_t{100});
  p.stream().synchronize();
  goes_on = true;
  EXPECT_EQ(error_of<error>([&] { p.end(); }),
            "entry tell_widely of teller(0) on PE 0 sent the host more than 8 bytes, and all 4 parcels of "
            "its PE are in flight: send less at once, or raise settings::parcels or settings::host_slots");
}

TEST_P(resident_host_link, says_that_the_host_does_not_keep_up) {
  settings s = chosen();
  s.outbox = 10;
  s.host_slots = 2;
  program<teller> p(gpu(), s, {7});
  std::atomic<bool> goes_on = false;
  p.on<short_news>([&](std::uint32_t, std::uint32_t) {
    while (!goes_on) std::this_thread::yield();
  });
  p.start<&teller::end>(0, std::uint32_t{100});
  p.stream().synchronize();  // the run does not wait for the listener
  goes_on = true;
  EXPECT_EQ(error_of<error>([&] { p.end(); }),
            "entry end of teller(0) on PE 0 had 10 messages that the host has no room for, and one more: "
            "send less at once, or raise settings::outbox or settings::host_slots");
}

TEST_P(resident_host_link, lets_go_of_a_run_whose_program_ends) {
  {
    program<teller> p(gpu(), chosen(), {7});
    p.on<short_news>([](std::uint32_t, std::uint32_t) {});
    p.open();
    p.start<&teller::answer>(0, std::uint32_t{0});
  }
  program<ring> next(gpu(), chosen(), {5});
  EXPECT_EQ(next.run<&ring::token>(2, std::uint64_t{10}).value, 7U);
}

/// Chare of the host whose program runs, and is open, at the end of the Imbrex run.
class holder : public imbrex::chare<holder> {
 public:
  void begin() {
    settings s;
    s.pes = 2;
    program_.emplace(imbrex::gpu(), s, index<1>(7));
    program_->on<short_news>([](std::uint32_t, std::uint32_t) {});
    program_->open();
    program_->start<&teller::answer>(0, std::uint32_t{0});
  }
  task<> begin_and_wait() {
    begin();
    co_await program_->stream().done();
  }

 private:
  std::optional<program<teller>> program_;
};

options on_an_emulated_device() {
  options how;
  how.pes = 2;
  how.device = "emulated";
  return how;
}

TEST(resident_program_of_a_chare, ends_with_its_run) {
  EXPECT_EQ(run(on_an_emulated_device(),
                []() -> task<int> {
                  co_await make_chare<holder>().call<&holder::begin>();
                  co_return 3;
                }),
            3);
}

TEST(resident_program_of_a_chare, ends_with_a_run_that_fails_while_it_is_awaited) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(on_an_emulated_device(),
                []() -> task<int> {
                  const auto one = make_chare<holder>();
                  send<&holder::begin_and_wait>(one);
                  co_await sleep_for(nanoseconds(1'000'000));
                  throw std::runtime_error("enough");
                  co_return 0;
                }),
            1);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("enough"), std::string::npos);
}

}  // namespace
}  // namespace imbrex::resident::test
