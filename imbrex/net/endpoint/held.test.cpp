// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/endpoint/held.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

#include <imbrex/base/random.hpp>

namespace imbrex::endpoints {
namespace {

struct counted {
  explicit counted(std::set<int>& l, int n) : living(l), number(n) { living.insert(n); }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  ~counted() { living.erase(number); }

  std::set<int>& living;
  int number;
  std::size_t held_at = 0;
};

TEST(held, gives_each_back_and_ends_the_rest) {
  std::set<int> living;
  std::vector<counted*> there;
  {
    held<counted> all;
    EXPECT_TRUE(all.empty());
    random dice(7);
    for (int n = 0; n < 1000; ++n) {
      there.push_back(&all.hold(std::make_unique<counted>(living, n)));
      if (dice.below(3) == 0) continue;
      const std::size_t which = dice.below(there.size());
      const int number = there[which]->number;
      const auto object = all.release(*there[which]);
      EXPECT_EQ(object.get(), there[which]);
      EXPECT_EQ(object->number, number);
      there.erase(there.begin() + static_cast<std::ptrdiff_t>(which));
    }
    EXPECT_EQ(all.size(), there.size());
    EXPECT_EQ(living.size(), there.size());
    EXPECT_GT(there.size(), 100U);
    held<counted> more;
    more.hold(std::make_unique<counted>(living, -1));
    more.clear();
    EXPECT_TRUE(more.empty());
    EXPECT_EQ(living.count(-1), 0U);
  }
  EXPECT_TRUE(living.empty());
}

}  // namespace
}  // namespace imbrex::endpoints
