// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/node_links.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include <imbrex/base/random.hpp>

namespace imbrex {
namespace {

using namespace std::chrono_literals;
using end = node_links::end;

constexpr end device(int number) { return {number, true}; }
constexpr end host(int number) { return {number, false}; }

/// Hosts of four devices on two sockets. A megabyte takes 1 ms between devices, 2 ms between a device and its
/// socket, 3 ms between sockets, 4 ms at a card, 5 ms between a device and a card. The latencies identify the
/// path.
device_model model() {
  device_model m;
  m.node.devices = 4;
  m.node.sockets = 2;
  m.link.device = 1'000'000'000;
  m.link.device_latency = 1us;
  m.link.host = 500'000'000;
  m.link.socket = 333'333'333;
  m.link.socket_latency = 10us;
  m.link.card = 250'000'000;
  m.link.card_device = 200'000'000;
  m.link.card_latency = 100us;
  m.link.eager = std::size_t{1} << 30U;
  m.link.device_rendezvous = 20us;
  m.link.card_rendezvous = 30us;
  return m;
}

constexpr std::size_t megabyte = 1'000'000;

nanoseconds alone(end from, end to, std::size_t bytes = megabyte) {
  return node_links(model(), 12).transfer(7us, from, to, bytes) - 7us;
}

TEST(node_links, take_the_slowest_link_on_the_way) {
  EXPECT_EQ(alone(device(0), device(1)), 1ms + 1us);
  EXPECT_EQ(alone(device(0), host(0)), 2ms);
  EXPECT_EQ(alone(host(5), device(5)), 2ms);
  EXPECT_NEAR(double(alone(device(1), device(2)).count()), 3'011'000, 10) << "the other socket";
  EXPECT_EQ(alone(host(0), host(4)), 4ms + 100us);
  EXPECT_EQ(alone(device(0), device(4)), 5ms + 100us) << "the other host";
  EXPECT_EQ(alone(device(0), host(4)), 5ms + 100us);
}

TEST(node_links, begin_with_a_rendezvous_where_a_device_gives_much_to_another) {
  device_model m = model();
  m.link.eager = megabyte - 1;
  const auto first = [&](end from, end to, std::size_t bytes) {
    return node_links(m, 12).transfer(0us, from, to, bytes);
  };
  EXPECT_EQ(first(device(0), device(1), megabyte), 1ms + 1us + 20us);
  EXPECT_EQ(first(device(0), device(4), megabyte), 5ms + 100us + 30us);
  EXPECT_EQ(first(host(0), host(4), megabyte), 4ms + 100us);
  EXPECT_LT(first(device(0), device(1), megabyte - 1), 1ms + 1us);
}

TEST(node_links, stage_large_transfers_between_hosts_where_the_model_says_so) {
  device_model m = model();
  m.link.staged_from = megabyte;
  m.link.staged = 100'000'000;
  const auto first = [&](end from, end to, std::size_t bytes) {
    return node_links(m, 12).transfer(0us, from, to, bytes);
  };
  EXPECT_EQ(first(device(0), device(4), megabyte), 10ms + 100us);
  EXPECT_LT(first(device(0), device(4), megabyte - 1), 5ms + 100us);
  EXPECT_EQ(first(device(0), device(1), megabyte), 1ms + 1us);
  EXPECT_EQ(first(host(0), host(4), megabyte), 4ms + 100us);
}

TEST(node_links, are_shared_at_both_ends) {
  node_links links(model(), 12);
  links.transfer(0us, device(0), device(4), megabyte);
  // senders: the same device, another of its socket, one of the other socket with another card
  EXPECT_EQ(links.transfer(0us, device(0), device(8), megabyte), 10ms + 100us);
  EXPECT_EQ(links.transfer(0us, device(1), device(9), megabyte), 9ms + 5ms + 100us);
  EXPECT_EQ(links.transfer(0us, device(2), device(10), megabyte), 5ms + 100us);
  // transfers that meet
  node_links meet(model(), 12);
  meet.transfer(0us, host(0), host(8), megabyte);
  EXPECT_EQ(meet.transfer(0us, host(4), host(9), megabyte), 8ms + 100us);
  EXPECT_EQ(meet.transfer(0us, host(2), host(10), megabyte), 4ms + 100us) << "the card of the other socket";
}

TEST(node_links, of_two_devices_are_theirs_alone_and_go_both_ways) {
  node_links links(model(), 12);
  links.transfer(0us, device(0), device(1), megabyte);
  EXPECT_EQ(links.transfer(0us, device(1), device(0), megabyte), 1ms + 1us);
  EXPECT_EQ(links.transfer(0us, device(0), device(1), megabyte), 2ms + 1us);
}

TEST(node_links, let_packets_pass) {
  node_links links(model(), 12);
  links.transfer(0us, device(0), device(4), megabyte);
  EXPECT_EQ(links.transfer(0us, device(0), device(4), 1000), 5us + 100us);
  EXPECT_EQ(links.transfer(0us, device(0), device(4), node_links::packet), 20'480ns + 100us);
  EXPECT_EQ(links.transfer(0us, device(0), device(4), megabyte), 10ms + 100us) << "which take no turn";
}

/// Transfers over one link are no faster than the link, in any order, and each takes at least its time alone.
TEST(node_links, never_carry_more_than_they_can) {
  random dice(5);
  for (int round = 0; round < 50; ++round) {
    node_links links(model(), 12);
    nanoseconds now{0};
    std::size_t bytes_into_host_of_4 = 0;
    nanoseconds last{0};
    for (int i = 0; i < 40; ++i) {
      now += nanoseconds(dice.below(1'000'000));
      const end from = device(static_cast<int>(dice.below(4)));
      const end to = device(4 + static_cast<int>(dice.below(2)));
      const auto bytes = static_cast<std::size_t>(5000 + dice.below(megabyte));
      const nanoseconds there = links.transfer(now, from, to, bytes);
      EXPECT_GE(there - now, alone(from, to, bytes));
      bytes_into_host_of_4 += bytes;
      last = std::max(last, there);
    }
    EXPECT_GE(last, device_model::transfer_time(bytes_into_host_of_4, model().link.card));
  }
}

}  // namespace
}  // namespace imbrex
