// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/transport/parcel_pool.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

#include <imbrex/resident/transport/mailbox.hpp>

namespace imbrex::resident {
namespace {

struct pool {
  native_memory::word returned = 0;
  std::vector<native_memory::plain> next;
  parcel_pool<native_memory> view;
  parcel_pool<native_memory>::owned state;

  explicit pool(std::uint32_t count) : next(count), view{&returned, next.data(), count} {}
};

TEST(parcel_pool, gives_each_once_and_then_none) {
  pool p(3);
  std::set<std::uint32_t> taken;
  for (int n = 0; n < 3; ++n) {
    EXPECT_TRUE(p.view.any_left(p.state));
    taken.insert(p.view.take(p.state));
  }
  EXPECT_EQ(taken, (std::set<std::uint32_t>{1, 2, 3}));
  EXPECT_FALSE(p.view.any_left(p.state));
  EXPECT_EQ(p.view.take(p.state), 0U);
}

TEST(parcel_pool, gives_again_what_was_given_back) {
  pool p(3);
  for (int n = 0; n < 3; ++n) p.view.take(p.state);
  p.view.give_back(2);
  p.view.give_back(3);
  EXPECT_TRUE(p.view.any_left(p.state));
  EXPECT_EQ(p.view.take(p.state), 3U);
  EXPECT_EQ(p.view.take(p.state), 2U);
  EXPECT_EQ(p.view.take(p.state), 0U);
}

/// One owner writes parcels; several readers read and return them. The read values are the written ones.
TEST(parcel_pool, protects_what_is_read) {
  constexpr std::uint32_t readers = 3, rounds = 20'000;
  struct reader {
    native_memory::word tail = 0;
    std::array<wide_word, 4> slots{};
    mailbox<native_memory> box{&tail, slots.data(), 4};
    std::uint32_t head = 0;
  };
  pool p(2);
  std::array<std::array<std::uint64_t, 4>, 2> content{};
  std::array<reader, readers> boxes;
  for (reader& r : boxes) r.box.prepare(0);
  std::array<std::uint64_t, readers> wrong{};
  std::vector<std::thread> threads;
  for (std::uint32_t r = 0; r < readers; ++r)
    threads.emplace_back([&, r] {
      for (std::uint64_t n = 0; n < rounds; ++n) {
        item i;
        while (!boxes[r].box.try_take(boxes[r].head, i)) native_memory::relax();
        const auto one = static_cast<std::uint32_t>(i.body);
        for (const std::uint64_t c : content[one - 1]) wrong[r] += c != n * readers + r ? 1 : 0;
        p.view.give_back(one);
      }
    });
  for (std::uint64_t n = 0; n < std::uint64_t{rounds} * readers; ++n) {
    std::uint32_t one = 0;
    while ((one = p.view.take(p.state)) == 0) native_memory::relax();
    content[one - 1].fill(n);
    mailbox<native_memory>& box = boxes[n % readers].box;
    const std::uint32_t t = box.draw();
    while (!box.try_fill(t, {one, is_ordered})) native_memory::relax();
  }
  for (std::thread& t : threads) t.join();
  for (const std::uint64_t w : wrong) EXPECT_EQ(w, 0U);
}

}  // namespace
}  // namespace imbrex::resident
