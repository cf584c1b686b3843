// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/model.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <imbrex/base/random.hpp>

namespace imbrex::overlap {
namespace {

constexpr network some_network{.latency = microseconds(4), .bandwidth = 950};

/// `count` distinct numbers below `below`, in random order.
std::vector<std::uint64_t> random_positions(random& numbers, std::uint64_t count, std::uint64_t below) {
  std::vector<std::uint64_t> all(below);
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  for (std::uint64_t i = below; i > 1; --i) std::swap(all[i - 1], all[numbers.below(i)]);
  all.resize(count);
  return all;
}

microseconds random_time(random& numbers) {
  return microseconds(static_cast<double>(1 + numbers.below(64)) / 8);
}

datum random_datum(random& numbers) {
  datum result;
  result.kind = numbers.below(4) == 0 ? execution::pipelined : execution::concurrent;
  result.sent = 1 + numbers.below(12);
  result.produced = result.sent + numbers.below(5);
  result.consumed = result.sent + numbers.below(5);
  result.produce_period = random_time(numbers);
  result.consume_period = random_time(numbers);
  switch (numbers.below(3)) {
    case 0: break;
    case 1: result.order = named_order::reverse; break;
    default:
      result.order = listed_order{random_positions(numbers, result.sent, result.produced),
                                  random_positions(numbers, result.sent, result.consumed)};
  }
  result.dependent_work = result.kind == execution::pipelined || numbers.below(2) == 0;
  if (result.kind == execution::pipelined) return result;
  result.additional_produce = random_time(numbers);
  result.additional_consume = random_time(numbers);
  result.loop_distribution = random_time(numbers);
  result.rearranged_subroutines = random_time(numbers);
  result.local_part = random_time(numbers);
  return result;
}

/// The times at which two processors write and read each sent element. They execute their subroutines step by
/// step, with nothing between send and receive.
struct walk {
  std::vector<microseconds> written;
  microseconds sent{0};
  microseconds consume_start{0};
  std::vector<microseconds> read;

  explicit walk(const datum& of) : written(of.sent), read(of.sent) {
    std::vector<std::uint64_t> produced_at(of.sent);
    std::iota(produced_at.begin(), produced_at.end(), std::uint64_t{0});
    auto consumed_at = produced_at;
    if (const auto* const listed = std::get_if<listed_order>(&of.order)) {
      produced_at = listed->production;
      consumed_at = listed->consumption;
    } else if (std::get<named_order>(of.order) == named_order::reverse) {
      for (std::uint64_t& one : consumed_at) one = of.consumed - 1 - one;
    }
    microseconds now{0};
    for (std::uint64_t step = 0; step < of.produced; ++step) {
      now += of.produce_period;
      for (std::uint64_t i = 0; i < of.sent; ++i)
        if (produced_at[i] == step) written[i] = now;
    }
    now += of.additional_produce;
    sent = now;
    now += of.additional_consume;
    consume_start = now;
    for (std::uint64_t step = 0; step < of.consumed; ++step) {
      for (std::uint64_t i = 0; i < of.sent; ++i)
        if (consumed_at[i] == step) read[i] = now;
      now += of.consume_period;
    }
  }
};

TEST(model, times_of_concurrent_data_are_those_between_writing_and_reading) {
  random numbers(1);
  for (int round = 0; round < 500; ++round) {
    datum of = random_datum(numbers);
    of.kind = execution::concurrent;
    const walk walked(of);
    std::vector<double> times;
    for (std::uint64_t i = 0; i < of.sent; ++i) {
      times.push_back((walked.read[i] - walked.written[i]).count());
      EXPECT_NEAR(available(of, i, false).count(), times.back(), 1e-9);
      const microseconds produced_all = walked.sent - of.additional_produce;
      EXPECT_NEAR(usable(of, i, transfer::while_producing).count(),
                  (produced_all - walked.written[i]).count(), 1e-9);
      EXPECT_NEAR(usable(of, i, transfer::between).count(), (walked.consume_start - produced_all).count(),
                  1e-9);
      EXPECT_NEAR(usable(of, i, transfer::while_consuming).count(), (walked.read[i] - produced_all).count(),
                  1e-9);
    }
    const range found = available_range(of, some_network);
    EXPECT_NEAR(found.least.count(), std::ranges::min(times), 1e-9);
    EXPECT_NEAR(found.most.count(), std::ranges::max(times), 1e-9);
    of.dependent_work = true;
    const microseconds more = of.loop_distribution + of.rearranged_subroutines + of.local_part;
    EXPECT_NEAR(potential(of, some_network).count(), std::ranges::min(times) + more.count(), 1e-9);
  }
}

TEST(model, loop_indexing_is_what_is_left_when_the_boundary_goes_first) {
  random numbers(2);
  for (int round = 0; round < 200; ++round) {
    datum of = random_datum(numbers);
    of.kind = execution::concurrent;
    // The boundary is produced first and consumed last.
    microseconds produce{0};
    for (std::uint64_t step = of.sent; step < of.produced; ++step) produce += of.produce_period;
    microseconds consume{0};
    for (std::uint64_t step = 0; step + of.sent < of.consumed; ++step) consume += of.consume_period;
    EXPECT_NEAR(independent(of).produce_loop_indexing.count(), produce.count(), 1e-9);
    EXPECT_NEAR(independent(of).consume_loop_indexing.count(), consume.count(), 1e-9);
  }
}

TEST(model, more_sent_than_produced_leaves_no_loop_indexing) {
  const datum of{.produce_period = microseconds(2),
                 .consume_period = microseconds(3),
                 .produced = 4,
                 .consumed = 5,
                 .sent = 7};
  EXPECT_EQ(independent(of).total().count(), 0);
  EXPECT_EQ(usable(of, 6, transfer::while_producing).count(), 0);
  EXPECT_EQ(available_range(of, some_network).least.count(), 6);  // the first element
  EXPECT_EQ(available_range(of, some_network).most.count(), 18);  // the last element
  datum reversed = of;
  reversed.order = named_order::reverse;
  EXPECT_EQ(available_range(reversed, some_network).least.count(), 0);
  EXPECT_EQ(available_range(reversed, some_network).most.count(), 6 + 12);
}

TEST(model, ranges_of_named_orders_are_those_of_their_elements) {
  random numbers(3);
  for (int round = 0; round < 500; ++round) {
    datum of{.produce_period = random_time(numbers), .consume_period = random_time(numbers)};
    of.produced = 1 + numbers.below(9);
    of.consumed = 1 + numbers.below(9);
    of.sent = 1 + numbers.below(9);
    if (numbers.below(2) == 0) of.order = named_order::reverse;
    std::vector<microseconds> times;
    for (std::uint64_t i = 0; i < of.sent; ++i) times.push_back(available(of, i, false));
    EXPECT_EQ(available_range(of, some_network).least, std::ranges::min(times));
    EXPECT_EQ(available_range(of, some_network).most, std::ranges::max(times));
  }
}

TEST(model, measured_loop_indexing_counts_instead_of_computed) {
  datum of{
      .produce_period = microseconds(1), .consume_period = microseconds(2), .produced = 5, .consumed = 7};
  EXPECT_EQ(independent(of).total().count(), 4 + 12);
  of.produce_loop_indexing = microseconds(0);
  of.consume_loop_indexing = microseconds(0.5);
  EXPECT_EQ(independent(of).total().count(), 0.5);
}

TEST(model, pipelined_data_need_pace_and_order) {
  datum of{.kind = execution::pipelined,
           .produce_period = microseconds(1),
           .consume_period = microseconds(2),
           .produced = 4,
           .consumed = 4,
           .sent = 4};
  EXPECT_DOUBLE_EQ(pace(of, microseconds(0)), 2);
  EXPECT_DOUBLE_EQ(pace(of, microseconds(4)), 0.5);
  EXPECT_TRUE(keeps_pace(of, microseconds(2)));
  EXPECT_FALSE(keeps_pace(of, microseconds(2.1)));
  EXPECT_EQ(available_range(of, some_network).least.count(), 0);
  EXPECT_EQ(available_range(of, some_network).most.count(), 6);
  EXPECT_EQ(available(of, 3, keeps_pace(of, microseconds(4))).count(), 0);

  of.order = named_order::reverse;
  EXPECT_FALSE(keeps_pace(of, microseconds(1)));
  EXPECT_EQ(available_range(of, some_network).most.count(), 0);
  of.order = listed_order{{0, 1, 2, 3}, {1, 3, 2, 0}};  // the element produced last is consumed first
  EXPECT_FALSE(keeps_pace(of, microseconds(1)));
  of.order = listed_order{{0, 1, 2, 3}, {1, 0, 2, 3}};
  EXPECT_TRUE(keeps_pace(of, microseconds(1)));
  EXPECT_EQ(available(of, 0, true).count(), 2);
  of.sent = 1;
  of.order = named_order::reverse;  // a single element has no reverse order
  EXPECT_TRUE(keeps_pace(of, microseconds(1)));
}

TEST(model, a_stream_that_keeps_pace_delays_its_consumer_as_long_as_it_is_exposed) {
  random numbers(4);
  for (int round = 0; round < 200; ++round) {
    application program;
    program.data = {random_datum(numbers)};
    datum& of = program.data.front();
    of.kind = execution::pipelined;
    of.order = named_order::same;
    const network over{.latency = random_time(numbers),
                       .bandwidth = static_cast<double>(1 + numbers.below(400)) / 100,
                       .gap = microseconds(0)};
    if (!keeps_pace(of, over.gap)) continue;
    double now = 0;
    for (std::uint64_t word = 0; word < of.sent; ++word) {
      const double arrival =
          over.latency.count() + word_bytes * static_cast<double>(word + 1) / over.bandwidth;
      now = std::max(now, arrival) + of.consume_period.count();
    }
    const double undelayed = static_cast<double>(of.sent) * of.consume_period.count();
    EXPECT_NEAR(exposed_time(program, over).count(), now - undelayed, 1e-9 * now);
  }
}

TEST(model, collectives_fan_in_and_out_in_a_binary_tree) {
  for (int processors = 1; processors <= 1 << 20; processors *= 2) {
    int rounds = 0;
    for (int left = processors; left > 1; left /= 2) ++rounds;
    const application program{.processors = processors, .collectives = 3};
    EXPECT_NEAR(collective_time(program, microseconds(5)).count(), 3 * 2 * rounds * 5, 1e-9);
  }
  const application of_some{.processors = 128, .collectives = 1, .collective_processors = 1024};
  EXPECT_NEAR(collective_time(of_some, microseconds(1)).count(), 20, 1e-12);
}

TEST(model, the_hardest_datum_has_some_overlap) {
  application program;
  program.data.resize(3);
  program.data[0].additional_produce = microseconds(3);
  program.data[1].additional_produce = microseconds(2);
  EXPECT_EQ(hardest(program, some_network), &program.data[1]);
  program.data.erase(program.data.begin(), program.data.begin() + 2);
  EXPECT_EQ(hardest(program, some_network), nullptr);
}

TEST(model, shares_are_of_the_whole) {
  application program{.computation = microseconds(50), .processors = 2, .collectives = 1};
  program.data.resize(1);
  program.data[0].sent = 120;
  const shares found = breakdown(program, {.latency = microseconds(10), .bandwidth = 48});
  EXPECT_DOUBLE_EQ(found.computation, 50);
  EXPECT_DOUBLE_EQ(found.point_to_point, 30);
  EXPECT_DOUBLE_EQ(found.collectives, 20);
}

/// The bandwidth found by bisection.
std::optional<double> searched_bandwidth(const application& of, network over, microseconds limit) {
  double low = 1e-12;
  double high = 1e15;
  const auto suffices = [&](double bandwidth) {
    over.bandwidth = bandwidth;
    return exposed_time(of, over) <= limit;
  };
  if (!suffices(high)) return std::nullopt;
  for (int step = 0; step < 200; ++step) {
    const double middle = std::sqrt(low) * std::sqrt(high);
    (suffices(middle) ? high : low) = middle;
  }
  return high;
}

TEST(model, smallest_bandwidth_is_the_one_that_halving_finds) {
  random numbers(5);
  int none = 0;
  int some = 0;
  for (int round = 0; round < 2000; ++round) {
    application program;
    for (std::uint64_t k = 1 + numbers.below(4); k > 0; --k) program.data.push_back(random_datum(numbers));
    const network over{.latency = random_time(numbers) * static_cast<double>(1 + numbers.below(20)),
                       .bandwidth = 1,
                       .gap = random_time(numbers) / 2};
    // An odd number, so that the limit does not equal the time exposed at infinite bandwidth.
    const microseconds limit(numbers.below(4) == 0 ? 0 : static_cast<double>(numbers.below(600)) / 7 + 0.013);
    const auto expected = searched_bandwidth(program, over, limit);
    const auto found = smallest_bandwidth(program, over, limit);
    ASSERT_EQ(found.has_value(), expected.has_value()) << "round " << round;
    if (found) {
      EXPECT_NEAR(*found, *expected, 1e-7 * *expected) << "round " << round;
    }
    ++(found ? some : none);
  }
  EXPECT_GT(none, 100);
  EXPECT_GT(some, 100);
}

TEST(model, no_bandwidth_does_what_only_an_infinite_one_would) {
  application program;
  program.data.resize(1);
  EXPECT_FALSE(smallest_bandwidth(program, some_network, some_network.latency));
  EXPECT_FALSE(smallest_bandwidth(program, some_network, microseconds(0)));
  EXPECT_DOUBLE_EQ(smallest_bandwidth(program, some_network, microseconds(8)).value_or(0), 2);
  program.data.clear();
  EXPECT_EQ(smallest_bandwidth(program, some_network, microseconds(0)), 0);
}

TEST(model, with_the_equal_bandwidth_overlap_is_as_fast_and_with_less_it_is_slower) {
  random numbers(6);
  for (int round = 0; round < 1000; ++round) {
    application program{.computation = random_time(numbers), .processors = 64, .collectives = 1};
    for (std::uint64_t k = 1 + numbers.below(4); k > 0; --k) program.data.push_back(random_datum(numbers));
    const network best{.latency = random_time(numbers), .bandwidth = 50, .gap = microseconds(1)};
    network less = best;
    less.bandwidth = equal_bandwidth(program, best);
    EXPECT_LE(less.bandwidth, best.bandwidth);
    const double goal = normalised_time(program, best);
    EXPECT_LE(normalised_time_overlapped(program, less), goal * (1 + 1e-12));
    less.bandwidth *= 0.999;
    EXPECT_GT(normalised_time_overlapped(program, less), goal);
  }
}

}  // namespace
}  // namespace imbrex::overlap
