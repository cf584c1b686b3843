// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/ucx/ways.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

namespace imbrex::ucx {
namespace {

class ways_in_a_job : public ::testing::Test {
 protected:
  void SetUp() override {
    ::unsetenv("UCX_TLS");
    ::unsetenv("UCX_NET_DEVICES");
  }
  void TearDown() override { SetUp(); }

  static std::string routed(const std::string& address) {
    static const std::map<std::string, std::string> routes{
        {"10.0.0.2", "eth0"}, {"10.0.0.3", "eth0"}, {"10.1.0.2", "ib0"}, {"127.0.0.1", "lo"}};
    const auto found = routes.find(address);
    return found == routes.end() ? "" : found->second;
  }

  const whereabouts here{"a", "shared", {"10.0.0.1", "172.17.0.1"}};
  const whereabouts neighbour = here;
  const whereabouts in_container{"a", "its own", {"10.0.0.1", "172.17.0.1"}};
  const whereabouts there{"b", "shared", {"10.0.0.2", "172.17.0.1", "10.1.0.2"}};
  const whereabouts nowhere{"c", "shared", {"192.168.7.7"}};
};

TEST_F(ways_in_a_job, open_no_network_within_a_host) {
  const auto open = ways_to_others(std::vector{here, neighbour}, 0, routed);
  EXPECT_EQ(open.transports, "posix,cma,self");
  EXPECT_EQ(open.devices, "");
}

TEST_F(ways_in_a_job, open_what_reaches_other_hosts) {
  const auto alone = ways_to_others(std::vector{here, there}, 0, routed);
  EXPECT_EQ(alone.transports, "^sm");  // no process to share memory with
  EXPECT_TRUE(alone.devices.starts_with("eth0,ib0")) << alone.devices;
  const auto two = ways_to_others(std::vector{here, there, neighbour}, 0, routed);
  EXPECT_EQ(two.transports, "^sysv");
  EXPECT_EQ(two.devices, alone.devices);
  EXPECT_EQ(ways_between_hosts(two).transports, "^sm");
  EXPECT_EQ(ways_between_hosts(two).devices, two.devices);
}

TEST_F(ways_in_a_job, open_the_loopback_to_a_container_on_this_host) {
  const auto open = ways_to_others(std::vector{here, in_container}, 0, routed);
  EXPECT_EQ(open.transports, "^sm");
  EXPECT_EQ(open.devices, "lo");
}

TEST_F(ways_in_a_job, open_all_where_the_way_is_unknown) {
  EXPECT_EQ(ways_to_others(std::vector{here, there, nowhere}, 0, routed).devices, "");
}

TEST_F(ways_in_a_job, are_what_the_user_has_chosen) {
  ::setenv("UCX_TLS", "tcp,self", 1);
  const auto open = ways_to_others(std::vector{here, there}, 0, routed);
  EXPECT_EQ(open.transports, "");
  EXPECT_EQ(ways_between_hosts(open).transports, "");
  EXPECT_NE(open.devices, "");
  ::setenv("UCX_NET_DEVICES", "all", 1);
  EXPECT_EQ(ways_to_others(std::vector{here, there}, 0, routed).devices, "");
}

TEST(lists_of_transports, open_shared_memory) {
  for (const char* list : {"all", "posix", "self,posix,tcp", "sm", "tcp,mm", "^sysv", "^tcp,sysv"})
    EXPECT_TRUE(opens(list, "posix")) << list;
  for (const char* list : {"", "tcp,self", "sysv,self", "^sm", "^posix,tcp", "posixx"})
    EXPECT_FALSE(opens(list, "posix")) << list;
  EXPECT_FALSE(opens("posix,cma,self", "sysv"));
}

TEST(whereabouts, name_no_address_that_only_this_host_reaches) {
  const auto here = whereabouts::of_this_process();
  EXPECT_FALSE(here.host.empty());
  EXPECT_FALSE(here.memory.empty());
  for (const auto& address : here.addresses) {
    EXPECT_FALSE(address.starts_with("127.")) << address;
    EXPECT_NE(address, "::1");
  }
}

TEST(interface_to, names_that_of_the_loopback) {
  EXPECT_EQ(interface_to("127.0.0.1"), "lo");
  EXPECT_EQ(interface_to("no address"), "");
}

}  // namespace
}  // namespace imbrex::ucx
