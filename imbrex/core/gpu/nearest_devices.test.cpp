// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/nearest_devices.hpp>

#include <gtest/gtest.h>

#include <numeric>

namespace imbrex::detail {
namespace {

using sets = std::vector<std::vector<int>>;

std::vector<int> numbers(int from, int to) {
  std::vector<int> all(static_cast<std::size_t>(to - from));
  std::iota(all.begin(), all.end(), from);
  return all;
}

std::vector<int> map(const char* host, const std::vector<host_process>& processes, bool bound,
                     const sets& near) {
  return nearest_devices(host_topology(host), processes, bound, near);
}

/// Two packages of four processors, starting at 0 and 4.
constexpr const char* two_packages = "package:2 [numa] core:4 pu:1";
const std::vector<int> left = numbers(0, 4);
const std::vector<int> right = numbers(4, 8);

TEST(nearest_devices, are_those_of_the_pes_own_package) {
  EXPECT_EQ(map(two_packages, {{0, 8, numbers(0, 8)}}, true, {right, left}),
            (std::vector{1, 1, 1, 1, 0, 0, 0, 0}));
}

TEST(nearest_devices, of_equal_distance_are_shared_evenly_by_neighbours) {
  EXPECT_EQ(map(two_packages, {{0, 8, numbers(0, 8)}}, true, {left, left, right}),
            (std::vector{0, 0, 1, 1, 2, 2, 2, 2}));
  EXPECT_EQ(map(two_packages, {{0, 5, numbers(0, 8)}}, false, {left, right}), (std::vector{0, 0, 0, 1, 1}));
}

TEST(nearest_devices, are_found_for_pes_that_move_about_by_where_they_may) {
  EXPECT_EQ(map(two_packages, {{0, 2, right}}, false, {left, right}), (std::vector{1, 1}));
  // Three of these four processors are on the left.
  EXPECT_EQ(map(two_packages, {{0, 4, numbers(1, 5)}}, false, {right, left}), (std::vector{1, 1, 1, 0}));
  EXPECT_EQ(map(two_packages, {{0, 6, numbers(0, 7)}}, false, {left, left, right, right}),
            (std::vector{0, 0, 1, 1, 2, 3}));
  EXPECT_EQ(map(two_packages, {{0, 4, numbers(0, 8)}}, false, {left, left, right, right}),
            (std::vector{0, 1, 2, 3}));
}

TEST(nearest_devices, are_found_for_processes_that_move_about_over_the_same_processors) {
  std::vector<host_process> all;
  for (int rank = 0; rank < 4; ++rank) all.push_back({rank, 1, numbers(0, 8)});
  EXPECT_EQ(map(two_packages, all, false, {left, left, right, right}), (std::vector{0, 1, 2, 3}));
}

TEST(nearest_devices, are_divided_among_the_processes_of_a_host) {
  const sets two_each{left, left, right, right};
  const std::vector<host_process> by_turns{{0, 1, left}, {1, 1, right}, {2, 1, left}, {3, 1, right}};
  EXPECT_EQ(map(two_packages, by_turns, false, two_each), (std::vector{0, 2, 1, 3}));
  // Bound: PE 1 of the job is on its process's second processor.
  EXPECT_EQ(map(two_packages, by_turns, true, two_each), (std::vector{0, 2, 1, 3}));
}

TEST(nearest_devices, go_by_the_processor_of_the_pes_number_in_the_job) {
  const std::vector<host_process> second_of_two_hosts{{5, 2, numbers(0, 8)}};
  EXPECT_EQ(map(two_packages, second_of_two_hosts, true, {left, right}), (std::vector{1, 1}));
  const std::vector<host_process> round_again{{7, 2, numbers(0, 8)}};
  EXPECT_EQ(map(two_packages, round_again, true, {left, right}), (std::vector{1, 0}));
}

TEST(nearest_devices, take_a_device_without_a_place_for_far_from_all) {
  EXPECT_EQ(map(two_packages, {{0, 8, numbers(0, 8)}}, true, {{}, left}),
            (std::vector{1, 1, 1, 1, 0, 0, 0, 0}));
}

TEST(nearest_devices, leave_the_devices_that_all_may_have_to_those_with_no_other) {
  const distance near{0, 1};
  const distance far{0, 2};
  const std::vector<std::vector<distance>> rows{{near, near}, {near, near}, {near, far}, {near, far}};
  EXPECT_EQ(nearest_devices(rows), (std::vector{1, 1, 0, 0}));
}

TEST(nearest_devices, are_not_to_be_found_where_no_device_has_a_place) {
  EXPECT_TRUE(map(two_packages, {{0, 2, numbers(0, 8)}}, false, {{}, {}}).empty());
}

TEST(nearest_devices, may_be_more_than_pes) {
  EXPECT_EQ(map(two_packages, {{0, 2, numbers(0, 8)}}, false, {left, left, right, right}),
            (std::vector{0, 2}));
  EXPECT_TRUE(nearest_devices({}).empty());
}

}  // namespace
}  // namespace imbrex::detail
