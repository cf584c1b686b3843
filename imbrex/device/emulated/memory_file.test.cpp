// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/emulated/memory_file.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

namespace imbrex::emulated {
namespace {

constexpr std::size_t page = 4096;

TEST(memory_file, is_found_by_its_key_and_seen_as_it_is) {
  memory_file own_file(100 * page);
  auto* const first = static_cast<std::byte*>(own_file.take(3 * page));
  auto* const second = static_cast<std::byte*>(own_file.take(10));
  ASSERT_NE(second, nullptr);
  std::memset(first, 1, 3 * page);
  std::memset(second, 2, 10);
  foreign_files<const std::byte> others;
  const auto* const seen = others.find(own_file.key_of(second + 7).value());
  ASSERT_NE(seen, nullptr);
  EXPECT_EQ(seen[0], std::byte(2));
  second[7] = std::byte(5);
  EXPECT_EQ(seen[0], std::byte(5));
  EXPECT_EQ(others.find(own_file.key_of(first).value())[0], std::byte(1));
  EXPECT_EQ(others.size(), 1);
  foreign_files<std::byte> written;
  *written.find(own_file.key_of(second + 8).value()) = std::byte(6);
  EXPECT_EQ(second[8], std::byte(6));
}

TEST(memory_file, gives_what_came_back_in_one_piece) {
  memory_file own_file(8 * page);
  void* const a = own_file.take(2 * page);
  void* const b = own_file.take(3 * page);
  void* const c = own_file.take(3 * page);
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(own_file.take(1), nullptr);
  own_file.give_back(a, 2 * page);
  own_file.give_back(c, 3 * page);
  EXPECT_EQ(own_file.take(4 * page), nullptr);
  own_file.give_back(b, 3 * page);
  EXPECT_EQ(own_file.take(8 * page), a);
}

TEST(memory_file, knows_no_memory_of_others) {
  memory_file own_file(page), other(page);
  const int here = 0;
  EXPECT_FALSE(own_file.key_of(&here));
  void* const there = other.take(1);
  EXPECT_FALSE(own_file.holds(there));
  foreign_files<const std::byte> files;
  memory_key wrong = other.key_of(there).value();
  ++wrong.words[3];  // the key of another file
  EXPECT_EQ(files.find(wrong), nullptr);
  EXPECT_EQ(files.size(), 0);
}

TEST(memory_file_death, ends_who_uses_what_was_given_back) {
  memory_file own_file(page);
  auto* const at = static_cast<std::byte*>(own_file.take(1));
  own_file.give_back(at, 1);
  EXPECT_DEATH(static_cast<void>(*static_cast<volatile std::byte*>(at)), "");
}

}  // namespace
}  // namespace imbrex::emulated
