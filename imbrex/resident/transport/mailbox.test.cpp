// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/transport/mailbox.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <imbrex/resident/transport/outbox.hpp>

namespace imbrex::resident {
namespace {

/// A mailbox with memory of its own.
template <class Ticket>
struct box {
  alignas(64) native_memory::word tail = 0;
  std::vector<wide_word> slots;
  mailbox<native_memory, Ticket> view;
  Ticket head;

  box(std::uint32_t size, Ticket first) : slots(size), view{&tail, slots.data(), size}, head(first) {
    view.prepare(first);
  }
};

TEST(mailbox, gives_items_in_the_order_of_tickets) {
  box<std::uint32_t> b(4, 7);
  const std::uint32_t one = b.view.draw();
  const std::uint32_t two = b.view.draw();
  EXPECT_TRUE(b.view.try_fill(two, {2, 0}));
  item i;
  EXPECT_FALSE(b.view.try_take(b.head, i)) << "the first is not there yet";
  EXPECT_TRUE(b.view.try_fill(one, {1, 5}));
  ASSERT_TRUE(b.view.try_take(b.head, i));
  EXPECT_EQ(i.body, 1U);
  EXPECT_EQ(i.meta, 5U);
  ASSERT_TRUE(b.view.try_take(b.head, i));
  EXPECT_EQ(i.body, 2U);
  EXPECT_FALSE(b.view.try_take(b.head, i));
}

TEST(mailbox, refuses_an_item_until_its_slot_is_free) {
  box<std::uint8_t> b(2, 255);
  for (std::uint64_t n = 0; n < 2; ++n) EXPECT_TRUE(b.view.try_fill(b.view.draw(), {n, 0}));
  const std::uint8_t third = b.view.draw();
  EXPECT_FALSE(b.view.try_fill(third, {2, 0}));
  item i;
  ASSERT_TRUE(b.view.try_take(b.head, i));
  EXPECT_TRUE(b.view.try_fill(third, {2, 0}));
}

/// Senders send `items` items each, without waiting inside. The receiver expects each item once, and those of
/// one sender in order.
template <class Ticket>
void storm(std::uint32_t senders, std::uint32_t size, std::uint64_t items, Ticket first) {
  box<Ticket> b(size, first);
  std::vector<std::thread> threads;
  for (std::uint32_t s = 0; s < senders; ++s)
    threads.emplace_back([&b, s, items] {
      std::vector<kept_item<Ticket>> memory(8);
      outbox<native_memory, Ticket> out{memory.data(), 8};
      for (std::uint64_t n = 0; n < items || !out.empty();) {
        if (n < items && !out.full()) {
          const Ticket t = b.view.draw();
          const item i{n++, s};
          if (!b.view.try_fill(t, i)) out.keep({i, 0, t});
        } else {
          native_memory::relax();
        }
        out.retry([&b](const auto& one) { return b.view.try_fill(one.ticket, one.what); });
      }
    });
  std::vector<std::uint64_t> next(senders);
  std::uint64_t wrong = 0;
  for (std::uint64_t n = 0; n < senders * items;) {
    item i;
    if (!b.view.try_take(b.head, i)) {
      native_memory::relax();
      continue;
    }
    wrong += i.meta >= senders || i.body != next[i.meta]++ ? 1 : 0;
    ++n;
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0U);
  item i;
  EXPECT_FALSE(b.view.try_take(b.head, i)) << "an item too many";
}

TEST(mailbox, loses_nothing_while_tickets_of_8_bits_wrap) { storm<std::uint8_t>(4, 2, 20'000, 250); }
TEST(mailbox, loses_nothing_while_tickets_of_16_bits_wrap) { storm<std::uint16_t>(3, 64, 60'000, 65'000); }
TEST(mailbox, loses_nothing_while_tickets_of_32_bits_wrap) {
  storm<std::uint32_t>(2, 16, 50'000, static_cast<std::uint32_t>(-1'000));
}

/// Ordered items make other memory visible: data of several words is seen complete.
TEST(mailbox, orders_memory_with_ordered_items) {
  constexpr std::uint32_t rounds = 20'000;
  box<std::uint32_t> there(2, 0), back(2, 0);
  std::vector<std::uint64_t> content(8);
  std::thread sender([&] {
    item i;
    for (std::uint64_t n = 0; n < rounds; ++n) {
      for (std::uint64_t& c : content) c = n;
      while (!there.view.try_fill(static_cast<std::uint32_t>(n), {n, is_ordered})) native_memory::relax();
      while (!back.view.try_take(back.head, i)) native_memory::relax();
    }
  });
  std::uint64_t wrong = 0;
  for (std::uint64_t n = 0; n < rounds; ++n) {
    item i;
    while (!there.view.try_take(there.head, i)) native_memory::relax();
    for (const std::uint64_t c : content) wrong += c != n ? 1 : 0;
    while (!back.view.try_fill(static_cast<std::uint32_t>(n), {n, is_ordered})) native_memory::relax();
  }
  sender.join();
  EXPECT_EQ(wrong, 0U);
}

/// Each of many senders is served in its turn: exactly the items with earlier tickets come before its item.
TEST(mailbox, starves_no_sender) {
  box<std::uint32_t> b(2, 0);
  std::vector<std::uint32_t> tickets;
  for (std::uint32_t s = 0; s < 100; ++s) tickets.push_back(b.view.draw());
  std::uint32_t served = 0;
  item i;
  for (std::uint32_t round = 0; served < 100; ++round) {
    ASSERT_LT(round, 101U) << "a round without an item";
    for (std::uint32_t s = 100; s-- > served;)  // the last sender always tries first
      b.view.try_fill(tickets[s], {s, 0});
    while (b.view.try_take(b.head, i)) EXPECT_EQ(i.body, served++);
  }
}

}  // namespace
}  // namespace imbrex::resident
