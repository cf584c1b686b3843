// SPDX-License-Identifier: Apache-2.0
// Checkpoints at awkward moments, many of them, and with very small and large elements.
#include <gtest/gtest.h>

#include <malloc.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/checkpoint/driver/checkpoint.hpp>
#include <imbrex/checkpoint/driver/enable.hpp>
#include <imbrex/checkpoint/driver/test_folder.test.hpp>
#include <imbrex/core/array/balance_point.hpp>
#include <imbrex/core/array/collectives.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/pe/executor.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/serial/absent_bytes.hpp>
#include <imbrex/testing/awaited_error_of.hpp>
#include <imbrex/testing/machines.hpp>

namespace imbrex::extreme_checkpoints_test {

using testing::awaited_error_of;

class extreme_checkpoints : public checkpoints_test::in_test_folder {};

/// An element with so many bytes, or with none at all.
class sack : public chare<sack> {
 public:
  sack() = default;
  explicit sack(std::size_t bytes) : bytes_(bytes, std::byte{7}) {}
  std::size_t size() const { return bytes_.size(); }
  void end() { destroy(); }
  bool is_right() const {
    return bytes_.empty() || (bytes_.front() == std::byte{7} && bytes_.back() == std::byte{7});
  }
  void serialize(auto& ar) { ar(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// An element of which a model leaves out so many bytes.
class modelled_sack : public chare<modelled_sack> {
 public:
  modelled_sack() = default;
  explicit modelled_sack(std::uint64_t bytes) : bytes_{bytes} {}
  void serialize(auto& ar) { ar(bytes_); }

 private:
  absent_bytes bytes_;
};

class stateless : public chare<stateless> {
 public:
  int one() const { return 1; }
  void serialize(auto&) {}
};

// Parts without elements, among others: restarts of enzo-e hung on such (enzo-e#259).
TEST_F(extreme_checkpoints, have_few_small_and_large_elements) {
  constexpr std::size_t large = std::size_t{24} << 20U;
  for (const int pes : {7, 2, 1, 3}) {
    EXPECT_EQ(run(on(testing::threads(pes)),
                  [=]() -> task<> {
                    auto none = restored<sack>("none");
                    auto one = restored<sack>("one");
                    auto empty = restored<stateless>("stateless");
                    if (!one) {
                      none = make_array<sack>(sparse(index<1>(100)).named("none"));
                      one = make_array<sack>(dense(1).named("one"), large);
                      empty = make_array<stateless>(dense(5).named("stateless"));
                    }
                    const auto bytes = co_await (*one)[0].call<&sack::size>();
                    EXPECT_EQ(bytes, large);
                    const bool is_right = co_await (*one)[0].call<&sack::is_right>();
                    EXPECT_TRUE(is_right);
                    const int five = co_await empty->reduce<&stateless::one>(sum);
                    EXPECT_EQ(five, 5);
                    none->insert(pes, std::size_t{0});
                    const auto nothing = co_await (*none)[pes].call<&sack::size>();
                    EXPECT_EQ(nothing, 0);
                    send<&sack::end>((*none)[pes]);
                    co_await quiescence();
                    co_await checkpoint();
                  }),
              0);
  }
}

TEST_F(extreme_checkpoints, are_asked_for_while_others_are_made) {
  EXPECT_EQ(run(on(testing::threads(2)),
                []() -> task<> {
                  static_cast<void>(make_array<sack>(dense(4).named("all"), std::size_t{100}));
                  std::vector<pending<checkpoint_result>> requests;
                  for (int i = 0; i < 5; ++i) requests.push_back(checkpoint());
                  std::vector<std::uint64_t> numbers;
                  for (auto& each : requests) {
                    const checkpoint_result result = co_await std::move(each);
                    numbers.push_back(result.number);
                  }
                  EXPECT_EQ(numbers.front(), 1);
                  EXPECT_EQ(numbers.back(), 2);
                }),
            0);
}

TEST_F(extreme_checkpoints, say_that_an_executor_is_held) {
  EXPECT_EQ(run(on(testing::threads(2)),
                []() -> task<> {
                  const executor held = make_executor();
                  const std::string why = co_await awaited_error_of<error>(checkpoint());
                  EXPECT_NE(why.find("executor"), why.npos) << why;
                }),
            0);
}

/// Counts steps.
class walker : public chare<walker> {
 public:
  task<int> walk(int steps) {
    while (step_ < steps) {
      const int sum_of_steps = co_await all_reduce(1, sum);
      step_ += sum_of_steps / peers().size();
      co_await balance_point<&walker::walk>(steps);
    }
    co_return step_;
  }
  void serialize(auto& ar) { ar(step_); }

 private:
  int step_ = 0;
};

TEST_F(extreme_checkpoints, are_made_at_each_point_or_each_millisecond) {
  for (const bool by_clock : {false, true}) {
    options settings = on(testing::threads(3));
    if (by_clock)
      settings.checkpoint.every_time = std::chrono::milliseconds(1);
    else
      settings.checkpoint.every_points = 1;
    EXPECT_EQ(run(settings,
                  [by_clock]() -> task<> {
                    auto all = restored<walker>("all");
                    if (!all) all = make_array<walker>(dense(7).named("all"));
                    const int steps = co_await all->reduce<&walker::walk>(max, by_clock ? 200 : 100);
                    EXPECT_EQ(steps, by_clock ? 200 : 100);
                  }),
              0);
    EXPECT_GE(count_whole(), 1);
  }
}

/// Bytes that the program has allocated.
std::size_t allocated() {
  const auto info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// Less than a hundredth of what a process takes, and less than an element for each checkpoint or restart.
constexpr std::size_t most_growth = std::size_t{32} << 10U;

TEST_F(extreme_checkpoints, take_no_memory_for_ever) {
  options settings = on(testing::seeded(2, 5));
  EXPECT_EQ(run(settings,
                []() -> task<> {
                  static_cast<void>(make_array<walker>(dense(7).named("all")));
                  std::size_t before = 0;
                  for (int i = 0; i < 300; ++i) {
                    co_await checkpoint();
                    if (i == 50) before = allocated();
                  }
                  EXPECT_LT(allocated(), before + most_growth);
                }),
            0);
  std::size_t before = 0;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(run(on(testing::seeded(1 + i % 4, 5)),
                  []() -> task<> {
                    const auto all = restored<walker>("all");
                    co_await all->reduce<&walker::walk>(max, 3);
                    co_await checkpoint();
                  }),
              0);
    if (i == 19) before = allocated();
  }
  EXPECT_LT(allocated(), before + most_growth);
}

TEST_F(extreme_checkpoints, take_the_time_of_copies_in_simulated_time) {
  const std::uint64_t bytes = 64 << 20;
  const int pes = 6, elements_of_pe = 3;
  options settings;
  settings.machine = machine_kind::simulated;
  settings.pes = pes;
  settings.net_bandwidth = 10'000'000'000;
  settings.net_latency = std::chrono::microseconds(2);
  double alone = 0;
  for (const auto hosts : {checkpoint_hosts::shared, checkpoint_hosts::partner, checkpoint_hosts::parity}) {
    settings.checkpoint.hosts = hosts;
    settings.checkpoint.folder = folder() + std::to_string(static_cast<int>(hosts));
    const int status = run(settings, [&]() -> task<> {
      const auto sacks = make_array<modelled_sack>(dense(pes * elements_of_pe).named("sacks"), bytes);
      co_await sacks.created();
      const checkpoint_result saved = co_await checkpoint();
      if (hosts == checkpoint_hosts::shared) {
        alone = saved.seconds;
        co_return;
      }
      const double copy =
          elements_of_pe * static_cast<double>(bytes) / static_cast<double>(settings.net_bandwidth);
      EXPECT_GE(saved.seconds, copy);
      EXPECT_LE(saved.seconds, alone + 1.05 * copy);
      EXPECT_LE(saved.seconds_stopped, copy / 10);
    });
    EXPECT_EQ(status, 0);
  }
}

}  // namespace imbrex::extreme_checkpoints_test
