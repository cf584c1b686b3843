// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/host_line.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <imbrex/resident/host_exchange.hpp>

namespace imbrex::resident::detail {
namespace {

template <class... V>
std::string line(std::string_view text, const V&... values) {
  struct {
    host_slot head;
    std::byte data[line_values_bytes + most_line_text];
  } slot{};
  std::uint32_t n = 0;
  slot.head.what = host_item::line | std::uint32_t{sizeof...(V)} << 16U;
  const auto add = [&](std::uint64_t bits, std::uint32_t kind) {
    std::memcpy(slot.data + n * sizeof(bits), &bits, sizeof(bits));
    slot.head.what |= kind << (2 * n++);
  };
  (add(bits_in_line(values), kind_in_line<V>()), ...);
  std::memcpy(slot.data + line_values_bytes, text.data(), text.size());
  slot.head.bytes = line_values_bytes + static_cast<std::uint32_t>(text.size());
  return text_of_line(slot.head);
}

TEST(host_line, has_its_values_in_their_places) {
  EXPECT_EQ(line("nothing"), "nothing");
  EXPECT_EQ(line(""), "");
  EXPECT_EQ(line("{}", -7), "-7");
  EXPECT_EQ(line("{}, {} and {}", 1U, 0.1, true), "1, 0.1 and true");
  EXPECT_EQ(
      line("{}{}", std::uint64_t{18'446'744'073'709'551'615U}, std::int64_t{-9'223'372'036'854'775'807}),
      "18446744073709551615-9223372036854775807");
  EXPECT_EQ(line("{}", 0.1F), "0.10000000149011612") << "as the double that it is";
  EXPECT_EQ(line("{} {} {} {} {} {}", 1, 2, 3, 4, 5, 6), "1 2 3 4 5 6");
}

TEST(host_line, has_braces) {
  EXPECT_EQ(line("{{}} is {}", 3), "{} is 3");
  EXPECT_EQ(line("{", 3), "{ 3");
  EXPECT_EQ(line("}"), "}");
}

TEST(host_line, shows_values_and_places_that_do_not_fit) {
  EXPECT_EQ(line("{} and {}", 3), "3 and {}");
  EXPECT_EQ(line("only {}", 3, 4U, false), "only 3 4 false");
}

}  // namespace
}  // namespace imbrex::resident::detail
