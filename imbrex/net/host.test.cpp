// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/host.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include <imbrex/base/host/topology.hpp>

namespace imbrex {
namespace {

using detail::host_user;
using detail::share_among;

TEST(host, processors_that_all_may_use_are_divided) {
  const std::vector<host_user> all(3, {"a", 0, 8, {0, 1, 2, 3, 4, 5, 6, 7}});
  EXPECT_EQ(share_among(all, 1).pes, 2);
  EXPECT_TRUE(share_among(all, 1).has_processor_for_each);
}

TEST(host, more_processes_than_processors_have_a_pe_each) {
  const std::vector<host_user> all(3, {"a", 0, 2, {0, 1}});
  EXPECT_EQ(share_among(all, 2).pes, 1);
  EXPECT_FALSE(share_among(all, 2).has_processor_for_each);
}

TEST(host, processes_bound_to_processors_of_their_own_do_not_share) {
  const std::vector<host_user> all{{"a", 0, 2, {0, 1}}, {"a", 0, 2, {2, 3}}};
  EXPECT_EQ(share_among(all, 0).pes, 2);
  EXPECT_TRUE(share_among(all, 0).has_processor_for_each);
}

TEST(host, other_hosts_do_not_count) {
  const std::vector<host_user> all{{"a", 0, 2, {0, 1}}, {"b", 7, 2, {0, 1}}};
  EXPECT_EQ(share_among(all, 0).pes, 2);
  EXPECT_TRUE(share_among(all, 0).has_processor_for_each);
  EXPECT_EQ(share_among(all, 1).pes, 7);
  EXPECT_FALSE(share_among(all, 1).is_only_host);
  EXPECT_FALSE(share_among(all, 1).is_first_host);
  EXPECT_TRUE(share_among(all, 0).is_first_host);
  EXPECT_TRUE(share_among(std::span(all).first(1), 0).is_only_host);
  EXPECT_FALSE(share_among(all, 1).has_processor_for_each);
}

TEST(host, a_quota_bounds_what_the_processes_have_together) {
  const std::vector<host_user> all(2, {"a", 1, 1, {0, 1, 2, 3}});
  EXPECT_FALSE(share_among(all, 0).has_processor_for_each);
  EXPECT_TRUE(share_among(std::span(all).first(1), 0).has_processor_for_each);
}

TEST(host, a_thread_beside_the_pes_needs_a_processor_too) {
  std::vector<host_user> all(2, {"a", 1, 3, {0, 1, 2}});
  EXPECT_TRUE(share_among(all, 0).has_processor_for_each);
  for (auto& user : all) user.beside = 1;
  EXPECT_FALSE(share_among(all, 0).has_processor_for_each);
  EXPECT_EQ(share_among(all, 0).pes, 1);
}

TEST(host, its_processes_are_known_by_their_pes) {
  const std::vector<host_user> all{{"b", 3, 8, {0, 1}},
                                   {"a", 0, 4, {0, 1, 2, 3}, 0, "two GPUs"},
                                   {"b", 1, 8, {1}},
                                   {"a", 0, 4, {0, 1, 2, 3}},
                                   {"b", 9, 8, {2}}};
  const auto share = share_among(all, 3);
  ASSERT_EQ(share.processes.size(), 2U);
  EXPECT_EQ(share.self, 1U);
  EXPECT_EQ(share.processes[0].first_pe, 3);
  EXPECT_EQ(share.processes[0].devices, "two GPUs");
  EXPECT_EQ(share.processes[1].devices, "");
  EXPECT_EQ(share.processes[1].first_pe, 6);
  EXPECT_EQ(share.processes[1].pes, 2);
  EXPECT_EQ(share.processes[1].processors, (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(share.first_pe, 2);
  EXPECT_EQ(share.host_pes, 4);
}

TEST(host, is_asked_for_processes_with_devices_side_by_side) {
  std::vector<host_user> all{{"a", 1, 2, {0}, 0, "a GPU"}, {"b", 1, 2, {0}, 0, "a GPU"}, {"a", 1, 2, {0}}};
  EXPECT_FALSE(share_among(all, 0).has_devices_side_by_side);
  all[2].devices = "another";
  EXPECT_TRUE(share_among(all, 0).has_devices_side_by_side);
  EXPECT_TRUE(share_among(all, 1).has_devices_side_by_side);  // all processes of the job agree
}

TEST(host, belongs_to_a_process_by_itself) {
  const auto share = own_host(0, 0);
  EXPECT_EQ(share.pes, usable_processors());
  EXPECT_TRUE(share.has_processor_for_each);
  EXPECT_FALSE(own_host(0, 1).has_processor_for_each);
  EXPECT_EQ(own_host(7, 0).pes, 7);
  ASSERT_EQ(share.processes.size(), 1U);
  EXPECT_EQ(share.processes[0].first_pe, 0);
  EXPECT_EQ(share.processes[0].pes, share.pes);
}

TEST(host, says_where_pes_outnumber_processors) {
  EXPECT_EQ(shared_processors_text(own_host(2, 1), 2), "");
  EXPECT_EQ(shared_processors_text(own_host(3, 0), 2),
            "3 PEs share 2 processors of this host: each waits for others to leave theirs; lower --pes");
  EXPECT_TRUE(shared_processors_text(own_host(2, 0), 1).starts_with("2 PEs share 1 processor of this host"));
  const std::vector<host_user> all{{"a", 3, 2, {0, 1}}, {"a", 2, 2, {1, 2}}, {"b", 1, 1, {0}}};
  EXPECT_EQ(shared_processors_text(share_among(all, 0), 2),
            "5 PEs share 3 processors of this host: each waits for others to leave theirs; lower --pes, or "
            "start fewer processes");
  EXPECT_EQ(shared_processors_text(share_among(all, 1), 2), "");  // only the first process of the host warns
  EXPECT_EQ(shared_processors_text(share_among(all, 2), 1), "");
}

TEST(host, has_a_name_that_stays) {
  EXPECT_FALSE(name_of_host().empty());
  EXPECT_EQ(name_of_host(), name_of_host());
  for (const char* const each :
       {"ipc", "net", "pid", "time"}) {  // processes in different namespaces cannot use each other's memory
    const auto space = std::filesystem::read_symlink("/proc/self/ns/" + std::string(each)).string();
    EXPECT_NE(name_of_host().find(space), std::string::npos) << each;
  }
}

}  // namespace
}  // namespace imbrex
