// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/rank/peer_table.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include <imbrex/mpi/rank/packet.hpp>

namespace imbrex::mpi {

TEST(peer, gives_packets_in_the_order_of_their_sending) {
  constexpr std::uint32_t first = 0xffffff00U;  // sequence numbers wrap around after a while
  constexpr std::uint32_t count = 1000;
  std::deque<packet> packets;
  std::vector<packet*> order;
  for (std::uint32_t i = 0; i < count; ++i) {
    order.push_back(&packets.emplace_back());
    order.back()->sequence = first + i;
  }
  std::mt19937 draws(1);
  std::ranges::shuffle(order, draws);
  peer from;
  from.expected = first;
  std::uint32_t delivered_count = 0;
  EXPECT_FALSE(from.has_early());
  for (packet* const each : order) {
    from.keep_early(*each);
    while (const packet* const next = from.take_expected())
      EXPECT_EQ(next->sequence, first + delivered_count++);
  }
  EXPECT_EQ(delivered_count, count);
  EXPECT_FALSE(from.has_early());
}

}  // namespace imbrex::mpi
