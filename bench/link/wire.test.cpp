// SPDX-License-Identifier: Apache-2.0
#include "wire.hpp"

#include <gtest/gtest.h>

namespace bench::link {
namespace {

using namespace std::chrono_literals;

// 8 bits a nanosecond: a packet of 1000 bytes takes one microsecond to leave.
wire fast_wire(std::size_t queue) {
  return wire({.delay = 200us, .bits_per_second = 8e9, .largest_packet = 1500, .queue = queue});
}

bool send(wire& w, std::size_t size, wire::time now, std::byte content = {}) {
  w.buffer()[0] = content;
  return w.accept(size, now);
}

TEST(wire, nothing_is_due_on_an_idle_link) { EXPECT_FALSE(fast_wire(10).due()); }

TEST(wire, one_packet_takes_its_transmission_and_the_delay) {
  wire w = fast_wire(10);
  send(w, 1000, 50us);
  EXPECT_EQ(w.due(), 50us + 1us + 200us);
}

TEST(wire, packets_leave_one_after_the_other_but_travel_together) {
  wire w = fast_wire(10);
  send(w, 1000, 50us);
  send(w, 500, 50us);
  w.pop();
  EXPECT_EQ(w.due(), 50us + 1500ns + 200us);
}

TEST(wire, an_idle_time_is_not_made_up_for) {
  wire w = fast_wire(10);
  send(w, 1000, 50us);
  send(w, 1000, 60us);
  w.pop();
  EXPECT_EQ(w.due(), 60us + 1us + 200us);
}

TEST(wire, contents_and_order_are_kept) {
  wire w = fast_wire(10);
  send(w, 1000, 50us, std::byte{1});
  send(w, 20, 50us, std::byte{2});
  EXPECT_EQ(w.front().size(), 1000u);
  EXPECT_EQ(w.front()[0], std::byte{1});
  w.pop();
  send(w, 30, 51us, std::byte{3});  // reuses the buffer of the first packet
  EXPECT_EQ(w.front().size(), 20u);
  EXPECT_EQ(w.front()[0], std::byte{2});
  w.pop();
  EXPECT_EQ(w.front()[0], std::byte{3});
}

TEST(wire, a_full_queue_drops_the_newest) {
  wire w = fast_wire(2);
  EXPECT_TRUE(send(w, 1000, 50us, std::byte{1}));
  EXPECT_TRUE(send(w, 1000, 50us, std::byte{2}));
  EXPECT_FALSE(send(w, 1000, 50us, std::byte{3}));
  EXPECT_EQ(w.dropped(), 1u);
  EXPECT_EQ(w.front()[0], std::byte{1});
  w.pop();
  EXPECT_EQ(w.front()[0], std::byte{2});
  w.pop();
  EXPECT_FALSE(w.due());
}

TEST(wire, what_travels_takes_no_place_in_the_queue) {
  wire w = fast_wire(2);
  for (int n = 0; n < 100; ++n) EXPECT_TRUE(send(w, 1000, 50us + n * 1us));
  EXPECT_EQ(w.dropped(), 0u);
}

TEST(wire, a_packet_taken_off_frees_no_place_twice) {
  wire w = fast_wire(1);
  send(w, 1000, 50us);
  EXPECT_TRUE(send(w, 1000, 51us));  // the first packet travels
  w.pop();
  EXPECT_FALSE(send(w, 1000, 51us));
  EXPECT_TRUE(send(w, 1000, 52us));
}

}  // namespace
}  // namespace bench::link
