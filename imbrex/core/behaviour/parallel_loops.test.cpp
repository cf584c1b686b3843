// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/pe/parallel_for.hpp>
#include <imbrex/core/run/spend.hpp>

namespace imbrex::parallel_loops_test {

class parallel_loops : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, parallel_loops, ::testing::ValuesIn(machines()), name_of_machine);

class squares : public chare<squares> {
 public:
  void note() { ++notes_; }
  int notes() const { return notes_; }
  task<std::int64_t> sum_of(int first, int last, int chunk) {
    std::vector<std::int64_t> found(static_cast<std::size_t>(last - first));
    co_await parallel_for(first, last, chunk, [&](int i) {
      found[static_cast<std::size_t>(i - first)] += std::int64_t{1} * i * i;
      if (i % 7 == 0) send<&squares::note>(self());
    });
    co_return std::accumulate(found.begin(), found.end(), std::int64_t{0});
  }
  task<> fail(int at) {
    co_await parallel_for(0, 100, 3, [at](int i) {
      if (i == at) throw std::out_of_range("at " + std::to_string(i));
    });
  }
  /// Abandons a loop while other PEs may be in the function, which must not outlive the objects that it
  /// refers to.
  task<int> give_up() {
    std::vector<std::atomic<int>> calls(1000);
    co_await when_any(parallel_for(std::size_t{0}, calls.size(), 1, [&](std::size_t i) { ++calls[i]; }),
                      sleep_for(std::chrono::nanoseconds(1)));
    int most = 0;
    for (const auto& each : calls) most = std::max(most, each.load());
    co_return most;
  }

 private:
  int notes_ = 0;
};

TEST_P(parallel_loops, call_each_once) {
  run([]() -> task<int> {
    const auto all = make_array<squares>(3);
    for (const int chunk : {1, 4, 1000}) {
      const auto sums = co_await all.reduce<&squares::sum_of>(gather, -20, 80, chunk);
      EXPECT_EQ(sums, std::vector<std::int64_t>(3, 170350));
    }
    const auto nothing = co_await all[0].call<&squares::sum_of>(5, 5, 1);
    EXPECT_EQ(nothing, 0);
    co_await quiescence();
    const int notes = co_await all.reduce<&squares::notes>(sum);
    EXPECT_EQ(notes, 3 * 3 * 14);
    co_return 0;
  });
}

TEST_P(parallel_loops, reach_the_ends_of_their_integers) {
  run([]() -> task<int> {
    std::atomic<int> calls = 0;
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    co_await parallel_for(most - 3, most, most, [&](std::int64_t) { ++calls; });
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    co_await parallel_for(least, least + 3, 2, [&](std::int64_t) { ++calls; });
    co_await parallel_for(3, 0, 2, [&](int) { ++calls; });
    EXPECT_EQ(calls, 6);
    co_return 0;
  });
}

TEST_P(parallel_loops, throw_what_a_call_throws) {
  run([]() -> task<int> {
    const auto all = make_array<squares>(2);
    const std::string text = co_await awaited_error_of<std::out_of_range>(all[1].call<&squares::fail>(50));
    EXPECT_EQ(text.substr(0, 5), "at 50");
    const std::string refusal =
        co_await awaited_error_of<error>([&] { return parallel_for(0, 5, 0, [](int) {}); });
    EXPECT_EQ(refusal,
              "parallel_for: a chunk of 0 is impossible: give the number of calls that a PE makes at a time, "
              "1 or more");
    co_return 0;
  });
}

TEST_P(parallel_loops, may_be_given_up) {
  run([]() -> task<int> {
    const auto all = make_array<squares>(2);
    const int most = co_await all.reduce<&squares::give_up>(max);
    EXPECT_LE(most, 1);
    co_return 0;
  });
}

/// In simulated time a loop ends when its calls have, and several PEs take part in it.
TEST(parallel_loops_in_simulated_time, are_as_long_as_their_longest_part) {
  const options settings{.pes = 4, .machine = machine_kind::simulated};
  double taken = 0;
  run(settings, [&]() -> task<> {
    const double begun = seconds();
    co_await parallel_for(0, 16, 1, [](int) { spend(std::chrono::milliseconds(1)); });
    taken = seconds() - begun;
  });
  EXPECT_GE(taken, 4e-3);
  EXPECT_LT(taken, 5.5e-3);
}

}  // namespace imbrex::parallel_loops_test
