// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/topology.hpp>

#include <gtest/gtest.h>
#include <sched.h>

#include <string>
#include <thread>
#include <vector>

namespace {

int processors_of_this_thread() {
  cpu_set_t mask;
  return ::sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 0;
}

TEST(topology, counts_at_least_one_processor) {
  EXPECT_GE(imbrex::usable_processors(), 1);
  EXPECT_LE(imbrex::usable_processors(), processors_of_this_thread());
}

TEST(topology, binds_a_thread_and_lets_it_go) {
  const int usable = imbrex::usable_processors();
  std::thread([usable] {
    const int before = processors_of_this_thread();
    for (int pe = 0; pe < 2 * before; ++pe) {
      const std::string place = imbrex::bind_this_thread(pe);
      EXPECT_EQ(processors_of_this_thread(), 1);
      EXPECT_EQ(place, "processor " + std::to_string(::sched_getcpu()));
      EXPECT_EQ(imbrex::usable_processors(), usable);
    }
    imbrex::unbind_this_thread();
    EXPECT_EQ(processors_of_this_thread(), before);
  }).join();
}

TEST(topology, gives_more_pes_than_processors_the_same_ones_again) {
  std::thread([] {
    const int processors = processors_of_this_thread();
    EXPECT_EQ(imbrex::bind_this_thread(0), imbrex::bind_this_thread(processors));
    if (processors > 1) {
      EXPECT_NE(imbrex::bind_this_thread(0), imbrex::bind_this_thread(1));
    }
  }).join();
}

TEST(topology, tells_where_a_pe_would_be_bound) {
  std::thread([] {
    for (int pe = 0; pe < 3; ++pe)
      EXPECT_EQ(imbrex::bind_this_thread(pe), "processor " + std::to_string(imbrex::processor_of_pe(pe)));
  }).join();
  EXPECT_GE(imbrex::processors_of_host(), imbrex::usable_processors());
  EXPECT_GE(imbrex::processors_of_control_group(), 0);
}

TEST(topology, fills_cores_before_hardware_threads) {
  const std::vector<std::vector<int>> cores{{0, 4}, {1, 5}, {}, {2}};
  EXPECT_EQ(imbrex::detail::binding_order(cores), (std::vector<int>{0, 1, 2, 4, 5}));
  EXPECT_TRUE(imbrex::detail::binding_order({}).empty());
}

TEST(topology, rounds_quotas_up) {
  using imbrex::detail::processors_of_quota;
  EXPECT_EQ(processors_of_quota("max 100000"), 0);
  EXPECT_EQ(processors_of_quota("200000 100000"), 2);
  EXPECT_EQ(processors_of_quota("150000 100000"), 2);
  EXPECT_EQ(processors_of_quota("1000 100000"), 1);
  for (const char* line : {"", "1", "1 ", "1 x", "1 0", "-1 100000", "x 1", "99999999999999999999 1"})
    EXPECT_EQ(processors_of_quota(line), 0) << line;
}

}  // namespace
