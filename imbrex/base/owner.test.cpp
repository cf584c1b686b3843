// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/owner.hpp>

#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

namespace {

using imbrex::detail::delete_array;
using imbrex::detail::make_owner;
using imbrex::detail::owner;

class counted {
 public:
  explicit counted(int& alive) : alive_(alive) { ++alive_; }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  virtual ~counted() { --alive_; }

 private:
  int& alive_;
};

class derived final : public counted {
  using counted::counted;
};

TEST(owner, destroys_its_object_once) {
  int alive = 0;
  {
    owner<counted> first = make_owner<counted>(alive);
    owner<counted> second = std::move(first);
    EXPECT_EQ(first.get(), nullptr);
    EXPECT_TRUE(second);
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

TEST(owner, takes_over_objects_of_derived_classes) {
  int alive = 0;
  owner<counted> base = make_owner<counted>(alive);
  base = make_owner<derived>(alive);
  EXPECT_EQ(alive, 1);
  base.reset();
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(base, nullptr);
  static_assert(!std::is_constructible_v<owner<derived>, owner<counted>&&>);
  static_assert(!std::is_copy_constructible_v<owner<counted>>);
}

TEST(owner, assigned_to_itself_keeps_its_object) {
  int alive = 0;
  owner<counted> one = make_owner<counted>(alive);
  auto& same = one;
  one = std::move(same);
  EXPECT_EQ(alive, 1);
}

TEST(owner, gives_up_what_it_releases) {
  int alive = 0;
  owner<counted> one = make_owner<counted>(alive);
  const auto* const released = one.release();
  EXPECT_EQ(one.get(), nullptr);
  EXPECT_EQ(alive, 1);
  delete released;
}

TEST(owner, owns_arrays) {
  const owner<int, delete_array> numbers(new int[3]{1, 2, 3});
  EXPECT_EQ(numbers[2], 3);
}

}  // namespace
