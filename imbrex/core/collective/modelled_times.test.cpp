// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cstdio>

#include <imbrex/base/clock.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/run/runtime.hpp>
#include <imbrex/core/run/spend.hpp>

namespace imbrex::modelled_times_test {

class element : public chare<element> {
 public:
  task<int> reduce(int times) {
    int sum_of_all = 0;
    for (int i = 0; i < times; ++i) sum_of_all += co_await all_reduce(1, sum);
    co_return sum_of_all;
  }
  task<int> reduce_over(section<element> some) {
    const int sum_of_all = co_await all_reduce(some, 1, sum);
    co_return sum_of_all;
  }
  int own() { return 1; }
};

struct times {
  nanoseconds creation{};
  nanoseconds all_reduce{};
  nanoseconds broadcast_and_reduction{};
  nanoseconds section_reduction{};
  nanoseconds first_section_all_reduce{};
  nanoseconds section_all_reduce{};
};

/// Uses the model of a V100's host, where a message between two PEs takes 12 us: 5 to send, 2 in flight, 5 to
/// receive.
times modelled(int pes) {
  options settings;
  settings.machine = machine_kind::simulated;
  settings.device = "emulated";
  settings.devices = 1;
  settings.device_model = "v100";
  settings.net_latency = std::chrono::microseconds(2);
  settings.pes = pes;
  times result;
  const int status = detail::runtime(settings).run([&]() -> task<int> {
    constexpr int repetitions = 3;
    const auto begin = now();
    auto all = make_array<element>(num_pes());
    co_await all.created();
    const auto created = now();
    EXPECT_EQ((co_await all.reduce<&element::reduce>(sum, repetitions)), repetitions * num_pes() * num_pes());
    const auto reduced = now();
    EXPECT_EQ((co_await all.reduce<&element::own>(sum)), num_pes());
    result.broadcast_and_reduction = now() - reduced;
    const auto some = all.section(full_extent);
    const auto section_start = now();
    EXPECT_EQ((co_await some.reduce<&element::own>(sum)), num_pes());
    result.section_reduction = now() - section_start;
    for (auto* const taken : {&result.first_section_all_reduce, &result.section_all_reduce}) {
      const auto called = now();
      EXPECT_EQ((co_await some.reduce<&element::reduce_over>(imbrex::max, some)), num_pes());
      *taken = now() - called - result.section_reduction;  // the measured call is itself both
    }
    result.creation = created - begin;
    // The call that begins the all_reduces is itself a broadcast and a reduction.
    result.all_reduce = (reduced - created - result.broadcast_and_reduction) / repetitions;
    co_return 0;
  });
  EXPECT_EQ(status, 0);
  std::printf(
      "%d PEs: creation %.0f us, all_reduce %.0f us, broadcast and reduction %.0f us, over a section %.0f "
      "us, all_reduce over it %.0f us, the first %.0f us\n",
      pes, result.creation.count() / 1e3, result.all_reduce.count() / 1e3,
      result.broadcast_and_reduction.count() / 1e3, result.section_reduction.count() / 1e3,
      result.section_all_reduce.count() / 1e3, result.first_section_all_reduce.count() / 1e3);
  return result;
}

TEST(modelled_times, of_collectives_grow_by_the_logarithm_of_the_pes) {
  for (const int pes : {48, 192, 768}) {
    SCOPED_TRACE(::testing::Message() << pes << " PEs");
    const auto found = modelled(pes);
    const auto hop = std::chrono::microseconds(12);
    const auto most = hop * std::bit_width(static_cast<unsigned>(pes - 1)) * 5 / 2;
    EXPECT_LE(found.creation, most);
    EXPECT_LE(found.all_reduce, most);
    EXPECT_LE(found.broadcast_and_reduction, most);
    EXPECT_LE(found.section_reduction, most);
    EXPECT_LE(found.section_all_reduce, most);
    EXPECT_LE(found.first_section_all_reduce, 2 * most);  // homes request their places, up the tree and down
  }
}

}  // namespace imbrex::modelled_times_test
