// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/pe/local_objects.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace imbrex::local_objects_test {

using detail::local_objects;

std::string destroyed;

struct counter {
  int value = 0;
  ~counter() { destroyed += 'c'; }
};
struct listener {
  std::vector<std::uint64_t> ended;
  void forget(std::uint64_t collection) { ended.push_back(collection); }
  ~listener() { destroyed += 'l'; }
};

TEST(local_objects, exist_once_for_each_type_from_their_first_use) {
  local_objects of_pe, of_another;
  EXPECT_EQ(of_pe.find<counter>(), nullptr);
  of_pe.get<counter>().value = 3;
  EXPECT_EQ(of_pe.get<counter>().value, 3);
  EXPECT_EQ(of_pe.find<counter>(), &of_pe.get<counter>());
  EXPECT_EQ(of_another.get<counter>().value, 0);
}

TEST(local_objects, learn_which_arrays_have_ended) {
  local_objects all;
  all.get<counter>();
  all.get<listener>();
  all.forget(7);
  all.forget(9);
  EXPECT_EQ(all.get<listener>().ended, (std::vector<std::uint64_t>{7, 9}));
}

TEST(local_objects, are_destroyed_the_youngest_first) {
  destroyed.clear();
  local_objects all;
  all.get<counter>();
  all.get<listener>();
  all.clear();
  EXPECT_EQ(destroyed, "lc");
  EXPECT_EQ(all.find<counter>(), nullptr);
}

}  // namespace imbrex::local_objects_test
