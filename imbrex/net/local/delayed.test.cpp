// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/local/delayed.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include <imbrex/base/inbox.hpp>
#include <imbrex/net/local/direct.hpp>
#include <imbrex/net/local/serializing.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex::detail {
namespace {

/// An item with a number; the number of live items is counted.
struct parcel : work {
  explicit parcel(int n) : number(n) {
    type = &kind;
    ++alive;
  }
  ~parcel() { --alive; }
  static void destroy(work& w) noexcept { delete static_cast<parcel*>(&w); }
  static void pack(work& w, writer& out) { out(static_cast<parcel&>(w).number); }
  static work* unpack(reader& in) {
    auto p = std::make_unique<parcel>(0);
    in(p->number);
    return p.release();
  }

  int number;
  static inline int alive = 0;
  static const work_type kind;
};
const work_type parcel::kind{"parcel", nullptr, &parcel::destroy, &parcel::pack, &parcel::unpack};

void take_nothing(work&) noexcept {}
constexpr work_type local_only{"local", nullptr, &take_nothing, nullptr, nullptr};

std::vector<int> order_of(std::uint64_t seed) {
  delayed_transport wire(seed);
  for (int i = 0; i < 30; ++i) wire.send(*new parcel(i), i % 3);
  EXPECT_EQ(wire.in_flight().size(), 30U);
  std::vector<int> order;
  while (!wire.empty()) {
    const auto next = wire.take();
    const int number = static_cast<parcel&>(*next.what).number;
    EXPECT_EQ(next.to, number % 3);
    EXPECT_EQ(next.serial, static_cast<std::uint64_t>(number));
    order.push_back(number);
    next.what->type->destroy(*next.what);
  }
  return order;
}

TEST(delayed_transport, delivers_each_item_once_in_an_order_of_the_seed) {
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto order = order_of(seed);
    EXPECT_EQ(order_of(seed), order);
    orders.insert(order);
    std::sort(order.begin(), order.end());
    for (int i = 0; i < 30; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  }
  EXPECT_EQ(orders.size(), 20U);
  EXPECT_EQ(parcel::alive, 0);
}

TEST(delayed_transport, destroys_what_is_still_under_way) {
  {
    delayed_transport wire(3);
    for (int i = 0; i < 30; ++i) wire.send(*new parcel(i), 0);
    EXPECT_EQ(parcel::alive, 30);
  }
  EXPECT_EQ(parcel::alive, 0);
}

TEST(direct_transport, hands_over_the_item_itself) {
  inbox pe_inboxes[2];
  direct_transport wire({&pe_inboxes[0], &pe_inboxes[1]});
  work item;
  wire.send(item, 1);
  EXPECT_FALSE(pe_inboxes[0].has_items());
  EXPECT_EQ(pe_inboxes[1].take(), &item);
}

TEST(serializing_transport, hands_over_another_item_of_the_same_content) {
  inbox pe_inbox;
  serializing_transport wire(std::make_unique<direct_transport>(std::vector<inbox*>{&pe_inbox}));
  wire.send(*new parcel(77), 0);
  work* got = pe_inbox.take();
  EXPECT_EQ(static_cast<parcel&>(*got).number, 77);
  EXPECT_EQ(parcel::alive, 1);
  got->type->destroy(*got);
  work local;
  local.type = &local_only;
  wire.send(local, 0);
  EXPECT_EQ(pe_inbox.take(), &local);
}

}  // namespace
}  // namespace imbrex::detail
