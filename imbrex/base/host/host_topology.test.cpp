// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/host_topology.hpp>

#include <gtest/gtest.h>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/topology.hpp>

namespace imbrex {
namespace {

using cores = std::vector<std::vector<int>>;

/// Two packages with a NUMA node, two processors and a GPU each; a third GPU is connected to neither.
constexpr const char* two_packages = R"xml(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0xf" complete_cpuset="0xf" allowed_cpuset="0xf" nodeset="0x3"
          complete_nodeset="0x3" allowed_nodeset="0x3" gp_index="1">
    <object type="Package" os_index="0" cpuset="0x3" complete_cpuset="0x3" nodeset="0x1"
            complete_nodeset="0x1" gp_index="2">
      <object type="NUMANode" os_index="0" cpuset="0x3" complete_cpuset="0x3" nodeset="0x1"
              complete_nodeset="0x1" gp_index="3"/>
      <object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1"
              gp_index="4"/>
      <object type="PU" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x1" complete_nodeset="0x1"
              gp_index="5"/>
      <object type="PCIDev" gp_index="6" pci_busid="0000:1b:00.0" pci_type="0302 [10de:2335] [10de:18be] a1"
              pci_link_speed="0.000000"/>
    </object>
    <object type="Package" os_index="1" cpuset="0xc" complete_cpuset="0xc" nodeset="0x2"
            complete_nodeset="0x2" gp_index="7">
      <object type="NUMANode" os_index="1" cpuset="0xc" complete_cpuset="0xc" nodeset="0x2"
              complete_nodeset="0x2" gp_index="8"/>
      <object type="PU" os_index="2" cpuset="0x4" complete_cpuset="0x4" nodeset="0x2" complete_nodeset="0x2"
              gp_index="9"/>
      <object type="PU" os_index="3" cpuset="0x8" complete_cpuset="0x8" nodeset="0x2" complete_nodeset="0x2"
              gp_index="10"/>
      <object type="PCIDev" gp_index="11" pci_busid="0000:9b:00.0" pci_type="0302 [10de:2335] [10de:18be] a1"
              pci_link_speed="0.000000"/>
    </object>
    <object type="PCIDev" gp_index="12" pci_busid="0001:04:00.0" pci_type="0302 [10de:2335] [10de:18be] a1"
            pci_link_speed="0.000000"/>
  </object>
  <distances2 type="NUMANode" nbobjs="2" kind="5" name="NUMALatency" indexing="os">
    <indexes length="4">0 1 </indexes>
    <u64values length="12">10 21 21 10 </u64values>
  </distances2>
</topology>)xml";

TEST(host_topology, knows_the_cores_of_the_processors_given) {
  const host_topology two_threads_a_core("package:1 core:3 pu:2");
  EXPECT_EQ(two_threads_a_core.cores(std::vector{0, 1, 2, 4, 17}), (cores{{0, 1}, {2}, {4}, {17}}));
}

TEST(host_topology, tells_distances_by_the_smallest_part_that_holds_both) {
  const host_topology host("package:2 l3:2 core:2 pu:1");
  const std::vector<int> l3{0, 1};
  const std::vector<int> package{0, 1, 2, 3};
  const auto from = [&](int processor, const std::vector<int>& near) {
    return host.between(std::vector{processor}, near).span;
  };
  EXPECT_EQ(from(0, l3), 2U);
  EXPECT_EQ(from(2, l3), 4U);
  EXPECT_EQ(from(7, l3), 8U);
  EXPECT_EQ(from(3, package), 4U);
  EXPECT_EQ(from(4, package), 8U);
  EXPECT_EQ(from(0, {}), 8U);
  EXPECT_EQ(host.between(std::vector{0, 2, 7}, l3).span, 2U + 4U + 8U);
  EXPECT_EQ(host.between(std::vector{0}, l3).latency, 0U);  // not in the description
  EXPECT_LT((distance{10, 99}), (distance{11, 1}));
}

TEST(host_topology, finds_what_devices_are_connected_to) {
  const host_topology host(two_packages);
  EXPECT_EQ(host.processors_near("0000:1b:00.0"), (std::vector{0, 1}));
  EXPECT_EQ(host.processors_near("0000:9B:00.0"), (std::vector{2, 3}));
  EXPECT_EQ(host.processors_near("0001:04:00.0"), std::vector<int>{}) << "it has no part of its own";
  EXPECT_EQ(host.processors_near("0000:04:00.0"), std::vector<int>{});
  EXPECT_EQ(host.processors_near("no id"), std::vector<int>{});
}

TEST(host_topology, counts_latencies_first_where_they_are_stated) {
  const host_topology host(two_packages);
  const std::vector<int> first{0, 1};
  EXPECT_EQ(host.between(std::vector{0}, first), (distance{10, 2}));
  EXPECT_EQ(host.between(std::vector{3}, first), (distance{21, 4}));
  EXPECT_EQ(host.between(std::vector{3}, {}), (distance{21, 4}));
}

TEST(host_topology, refuses_what_describes_no_host) {
  EXPECT_THROW(host_topology("nonsense:2"), error);
  EXPECT_THROW(host_topology("<nonsense"), error);
}

TEST(host_topology, of_this_host_places_each_usable_processor) {
  const auto usable = usable_processor_numbers();
  for (const auto requested_parts :
       {host_topology::parts::processors, host_topology::parts::processors_and_devices}) {
    std::size_t placed = 0;
    for (const auto& core : host_topology(requested_parts).cores(usable)) placed += core.size();
    EXPECT_EQ(placed, usable.size());
  }
}

}  // namespace
}  // namespace imbrex
