// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/link_transport.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <tuple>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/run/runtime.hpp>
#include <imbrex/net/local/direct.hpp>
#include <imbrex/net/local/serializing.hpp>

namespace imbrex::link_test {

using namespace std::chrono_literals;

struct line {
  nanoseconds when;
  int number;
  int pe;
  auto operator<=>(const line&) const = default;
};

/// A message that records when it was run; `alive` counts the existing ones.
struct test_message final : detail::message {
  test_message() { ++alive; }
  test_message(int n, std::size_t size) : test_message() {
    number = n;
    content.resize(size);
  }
  ~test_message() { --alive; }

  static inline detail::message_type type_record = detail::runtime_message_type<test_message>();
  void serialize(auto& ar) { ar(number, content); }
  void deliver() {
    const detail::message_guard guard(*this);
    const auto& here = *detail::scheduler::current();
    log->push_back({here.now(), number, here.pe()});
  }

  int number = 0;
  std::vector<char> content;
  static inline std::atomic<int> alive = 0;
  static inline std::vector<line>* log = nullptr;
};

/// PEs stepped by hand in simulated time, so that all times are exact.
class link_in_simulated_time : public ::testing::TestWithParam<bool> {
 protected:
  static constexpr int count = 3;

  link_in_simulated_time() {
    detail::message_table::number();
    test_message::log = &log_;
    std::vector<detail::inbox*> inboxes;
    for (int p = 0; p < count; ++p) {
      pes_.push_back(std::make_unique<detail::scheduler>(p, time_, std::nullopt));
      pes_.back()->be_punctual();
      inboxes.push_back(&pes_.back()->pe_inbox());
    }
    carrier_ = std::make_unique<detail::direct_transport>(inboxes);
    if (GetParam()) carrier_ = std::make_unique<detail::serializing_transport>(std::move(carrier_));
  }
  void connect(const link_model& model) {
    for (int p = 0; p < count; ++p)
      links_.push_back(
          std::make_unique<link_transport>(*carrier_, model, time_, [p](int to) { return to != p; }));
  }
  /// Sends a message; returns its size in bytes.
  std::size_t send(int from, int to, int number, std::size_t size) {
    const detail::scheduler::activation as(at(from));
    auto& l = detail::make_message<test_message>(number, size);
    const auto bytes = packed_size(l);
    links_[static_cast<std::size_t>(from)]->send(l, to);
    return bytes;
  }
  void run_what_is_ready() {
    for (auto& p : pes_) {
      const detail::scheduler::activation as(*p);
      while (p->step()) {
      }
    }
  }
  void run_until(nanoseconds moment) {
    for (;;) {
      run_what_is_ready();
      auto next = nanoseconds::max();
      for (const auto& p : pes_) next = std::min(next, p->next_deadline().value_or(nanoseconds::max()));
      if (next > moment) break;
      time_.advance_to(next);
    }
    time_.advance_to(moment);
  }
  detail::scheduler& at(int pe) { return *pes_[static_cast<std::size_t>(pe)]; }

  detail::simulated_clock time_;
  std::vector<std::unique_ptr<detail::scheduler>> pes_;
  std::unique_ptr<detail::transport> carrier_;
  std::vector<std::unique_ptr<link_transport>> links_;
  std::vector<line> log_;
};

INSTANTIATE_TEST_SUITE_P(carriers, link_in_simulated_time, ::testing::Values(false, true),
                         [](const auto& serialises) { return serialises.param ? "serializing" : "direct"; });

TEST_P(link_in_simulated_time, delivers_by_the_model) {
  connect({200us, 1'000'000'000, 5us});
  const nanoseconds large(send(0, 1, 1, 100'000));  // a nanosecond for each byte
  const nanoseconds small(send(0, 2, 2, 0));
  send(1, 0, 3, 0);
  run_until(1ms);
  EXPECT_GT(large, 100us);
  EXPECT_LT(small, 1us);
  EXPECT_EQ(log_,
            (std::vector<line>{{200us + small, 3, 0}, {200us + large, 1, 1}, {205us + large + small, 2, 2}}));
  EXPECT_EQ(test_message::alive, 0);
}

TEST_P(link_in_simulated_time, agrees_with_an_independent_computation) {
  connect({70us, 50'000'000, 2us});
  random dice(11);
  nanoseconds free[count]{};
  std::vector<line> expected;
  for (int n = 0; n < 2000; ++n) {
    run_until(time_.now() + nanoseconds(dice.below(20'000)));
    const int from = static_cast<int>(dice.below(count));
    const int to = static_cast<int>(dice.below(count));
    const auto transfer = 20ns * send(from, to, n, dice.below(1'000));
    if (from == to) {
      expected.push_back({time_.now(), n, to});
      continue;
    }
    auto& next = free[from];
    next = std::max(next, time_.now());
    expected.push_back({next + transfer + 70us, n, to});
    next += 2us + transfer;
  }
  run_until(time_.now() + 1s);
  std::sort(expected.begin(), expected.end());
  std::sort(log_.begin(), log_.end());
  EXPECT_EQ(log_, expected);
  EXPECT_EQ(test_message::alive, 0);
}

TEST_P(link_in_simulated_time, is_a_timer_or_a_post_while_anything_is_under_way) {
  connect({10us, 0, 0us});
  send(0, 1, 1, 100);
  EXPECT_TRUE(at(1).pe_inbox().has_items());
  run_what_is_ready();
  EXPECT_TRUE(at(1).idle());
  EXPECT_EQ(at(1).next_deadline(), 10us);
  run_until(10us);
  EXPECT_FALSE(at(1).next_deadline());
  EXPECT_EQ(log_.size(), 1U);
}

TEST_P(link_in_simulated_time, queues_what_is_due_before_what_comes_later) {
  connect({10us, 0, 0us});
  send(0, 1, 1, 0);
  run_what_is_ready();
  for (int n = 2; n < 5; ++n) send(1, 1, n, 0);  // queued at once
  time_.advance_to(10us);
  {
    const detail::scheduler::activation as(at(1));
    at(1).step();  // takes in the three messages, then the alarm, which runs first
  }
  send(1, 1, 5, 0);
  run_what_is_ready();
  ASSERT_EQ(log_.size(), 5U);
  EXPECT_EQ(log_[3].number, 1);
  EXPECT_EQ(log_[4].number, 5);
}

TEST_P(link_in_simulated_time, destroys_what_is_under_way) {
  connect({1s, 0, 0us});
  for (int n = 0; n < 10; ++n) send(0, 1, n, 100);
  run_what_is_ready();
  for (int n = 0; n < 10; ++n) send(1, 0, n, 100);
  EXPECT_EQ(test_message::alive, 20);
  for (auto& p : pes_) p->discard_work();
  EXPECT_EQ(test_message::alive, 0);
}

/// The count of living arguments shows whether messages in flight are destroyed.
struct counted {
  counted() { ++alive; }
  counted(const counted&) { ++alive; }
  counted& operator=(const counted&) = default;
  ~counted() { --alive; }
  void serialize(auto&) {}
  static inline std::atomic<int> alive = 0;
};

class end : public chare<end> {
 public:
  mailbox<int> answers;

  task<> measure(int messages) {
    const detail::real_clock time;
    for (int i = 0; i < messages; ++i) {
      send<&end::answer>(peers()[1], time.now());
      co_await answers.receive();
    }
  }
  void answer(nanoseconds sent) {
    times.push_back(detail::real_clock().now() - sent);
    send<&end::answers>(peers()[0], 0);
  }
  void hop(int left) {
    ++hops;
    if (left > 0) send<&end::hop>(peers()[1 - where()[0]], left - 1);
  }
  void keep(counted) {}

  static inline std::atomic<int> hops = 0;
  static inline std::vector<nanoseconds> times;  ///< from send to entry; touched by PE 1 only
};

options slow(nanoseconds latency) {
  options settings = threads(2);
  settings.net_latency = latency;
  return settings;
}

TEST(link, delivers_never_before_and_soon_after_its_time) {
  end::times.clear();
  EXPECT_EQ(run(slow(200us),
                []() -> task<> {
                  const auto ends = make_array<end>(2);
                  co_await ends[0].call<&end::measure>(100);
                }),
            0);
  auto& times = end::times;
  ASSERT_EQ(times.size(), 100U);
  std::sort(times.begin(), times.end());
  EXPECT_GE(times.front(), 200us);
  std::printf("for 200 us: %.1f us in the median, %.1f us in 95 %%\n",
              static_cast<double>(times[50].count()) / 1e3, static_cast<double>(times[95].count()) / 1e3);
  EXPECT_LT(times[50], 100ms);
}

TEST(link, is_quiet_only_when_nothing_is_under_way) {
  end::hops = 0;
  EXPECT_EQ(run(slow(300us),
                []() -> task<> {
                  const auto ends = make_array<end>(2);
                  for (int round = 1; round <= 50; ++round) {
                    send<&end::hop>(ends[1], 3);
                    co_await quiescence();
                    EXPECT_EQ(end::hops, 4 * round);
                  }
                }),
            0);
}

TEST(link, ends_at_once_and_leaves_nothing_behind) {
  const detail::real_clock time;
  const auto begin = time.now();
  EXPECT_EQ(run(slow(60s),
                []() -> task<> {
                  const auto ends = make_array<end>(2);
                  for (int i = 0; i < 5; ++i) {
                    send<&end::keep>(ends[1], counted());
                    co_await sleep_for(2ms);
                  }
                  EXPECT_EQ(counted::alive, 5);
                }),
            0);
  EXPECT_LT(time.now() - begin, 10s);
  EXPECT_EQ(counted::alive, 0);
}

nanoseconds processor_time() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + nanoseconds(used.tv_nsec);
}

TEST(link, uses_no_processor_while_it_waits) {
  nanoseconds used{};
  EXPECT_EQ(run(slow(300ms),
                [&]() -> task<> {
                  const auto ends = make_array<end>(2);
                  co_await sleep_for(20ms);  // PE 1 sleeps by now
                  const auto before = processor_time();
                  co_await ends[0].call<&end::measure>(1);
                  used = processor_time() - before;
                }),
            0);
  EXPECT_LT(used, 60ms);
}

TEST(link, is_refused_where_it_cannot_be) {
  const auto refusal = [](options settings) {
    return error_of<usage_error>([&] { const detail::runtime r(settings); });
  };
  options run_options = seeded(2, 1);
  EXPECT_EQ(refusal(run_options), "");
  run_options.net_latency = 200us;
  run_options.net_bandwidth = 125'000'000;
  EXPECT_EQ(refusal(run_options),
            "--net-latency 200us --net-bandwidth 125MB/s with --machine deterministic: there --seed alone "
            "delays messages; leave out one or the other");
  EXPECT_EQ(refusal(slow(-5ns)), "net_latency = -5ns: the time must be from 0s to 60s");
  run_options = slow(0ns);
  run_options.net_bandwidth = 5;
  EXPECT_EQ(refusal(run_options),
            "net_bandwidth = 5B/s: the rate must be from 1kB/s to 1000GB/s, or 0 for no limit");
  run_options.net_bandwidth = 0;
  run_options.net_injection_gap = 61s;
  EXPECT_EQ(refusal(run_options), "net_injection_gap = 61s: the time must be from 0s to 60s");
}

}  // namespace imbrex::link_test
