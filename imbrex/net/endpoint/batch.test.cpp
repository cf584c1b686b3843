// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/endpoint/batch.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <imbrex/base/random.hpp>

namespace imbrex {
namespace {

using bytes = std::vector<std::byte>;

std::vector<bytes> items_of(std::span<const std::byte> all) {
  std::vector<bytes> items;
  batch::for_each(all,
                  [&](std::span<const std::byte> item) { items.emplace_back(item.begin(), item.end()); });
  return items;
}

bytes random_item(random& dice) {
  bytes item(dice.below(10) == 0 ? dice.below(batch::longest_item + 1) : dice.below(20));
  for (auto& b : item) b = static_cast<std::byte>(dice.below(256));
  return item;
}

TEST(batch, gives_back_what_was_appended_in_order) {
  random dice(7);
  for (std::size_t count = 0; count < 60; ++count) {
    std::vector<bytes> items;
    writer out;
    for (std::size_t i = 0; i < count; ++i) batch::append(out, items.emplace_back(random_item(dice)));
    EXPECT_EQ(items_of(out.written()), items);
  }
  const bytes longest(batch::longest_item, std::byte{3});
  writer out;
  batch::append(out, longest);
  EXPECT_EQ(items_of(out.written()), std::vector<bytes>{longest});
}

TEST(batch, refuses_to_end_within_an_item) {
  writer out;
  batch::append(out, bytes(5, std::byte{1}));
  const std::size_t first = out.size();
  batch::append(out, bytes(3, std::byte{2}));
  for (std::size_t cut = 1; cut < out.size(); ++cut) {
    if (cut == first) continue;
    EXPECT_THROW(items_of(out.written().first(cut)), serial_error) << cut;
  }
}

}  // namespace
}  // namespace imbrex
