// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/bootstrap/internal/sha256.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

namespace imbrex {
namespace {

std::string hex(const digest256& digest) {
  std::string text;
  for (const auto byte : digest) {
    std::array<char, 3> two{};
    std::snprintf(two.data(), two.size(), "%02x", byte);
    text += two.data();
  }
  return text;
}

// The examples of FIPS 180-4 and RFC 4231.
TEST(sha256, is_that_of_the_standard) {
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(hmac_sha256, is_that_of_the_standard) {
  EXPECT_EQ(hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(
      hex(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(digest256, differs_in_any_byte) {
  const digest256 one = sha256("a");
  EXPECT_TRUE(are_equal(one, sha256("a")));
  for (std::size_t i = 0; i < one.size(); ++i) {
    digest256 other = one;
    other[i] ^= 1;
    EXPECT_FALSE(are_equal(one, other));
  }
}

}  // namespace
}  // namespace imbrex
