// SPDX-License-Identifier: Apache-2.0
#include <imbrex/trace/ring.hpp>

#include <gtest/gtest.h>

#include <random>
#include <thread>

namespace imbrex::trace {
namespace {

record numbered(std::uint64_t n) {
  return {n, record_kind::mark, 0, static_cast<std::uint16_t>(n), static_cast<std::uint32_t>(n), ~n, n * n};
}

void expect_numbered(const record& r, std::uint64_t n) {
  ASSERT_EQ(r.time, n);
  ASSERT_EQ(r.group, static_cast<std::uint32_t>(n));
  ASSERT_EQ(r.a, ~n);
  ASSERT_EQ(r.b, n * n);
}

TEST(Ring, RoundsItsRoomDown) {
  EXPECT_EQ(ring(0).capacity(), 4U);
  EXPECT_EQ(ring(7).capacity(), 4U);
  EXPECT_EQ(ring(64).capacity(), 64U);
}

TEST(Ring, RefusesWhatItHasNoRoomForAndKeepsTheRest) {
  ring r(4);
  for (std::uint64_t n = 0; n < 3; ++n) EXPECT_TRUE(r.push(numbered(n)));
  EXPECT_FALSE(r.push(numbered(3)));
  ASSERT_EQ(r.oldest().size(), 3U);
  for (std::uint64_t n = 0; n < 3; ++n) expect_numbered(r.oldest()[n], n);
  r.release(1);
  EXPECT_TRUE(r.push(numbered(3)));
  EXPECT_FALSE(r.push(numbered(4)));
}

TEST(Ring, HasRoomToSayThatItIsFull) {
  ring r(4);
  std::uint64_t n = 0;
  while (r.push(numbered(n))) ++n;
  r.push_last(numbered(n++));
  EXPECT_FALSE(r.push(numbered(n)));
  ASSERT_EQ(r.oldest().size(), 4U);
  for (std::uint64_t k = 0; k < 4; ++k) expect_numbered(r.oldest()[k], k);
  r.release(1);
  EXPECT_FALSE(r.push(numbered(n)));
  r.release(1);
  EXPECT_TRUE(r.push(numbered(n)));
}

TEST(Ring, GivesItsRecordsInPiecesRoundTheEnd) {
  ring r(8);
  std::mt19937 random(1);
  std::uint64_t written = 0;
  std::uint64_t read = 0;
  while (read < 10'000) {
    for (auto some = random() % 9; some > 0 && r.push(numbered(written)); --some) ++written;
    ASSERT_EQ(r.size(), written - read);
    const auto piece = r.oldest();
    const auto taken = piece.empty() ? 0 : random() % piece.size() + 1;
    for (std::size_t k = 0; k < taken; ++k) expect_numbered(piece[k], read++);
    r.release(taken);
  }
}

TEST(Ring, PassesEverythingFromOneThreadToAnother) {
  constexpr std::uint64_t all = 300'000;
  ring r(64);
  std::thread writer([&r] {
    for (std::uint64_t n = 0; n < all; ++n)
      while (!r.push(numbered(n))) std::this_thread::yield();
  });
  std::uint64_t read = 0;
  while (read < all) {
    const auto piece = r.oldest();
    for (const auto& one : piece) {
      if (one.time != read) break;
      expect_numbered(one, read++);
    }
    r.release(piece.size());
    if (piece.empty()) std::this_thread::yield();
  }
  writer.join();
  EXPECT_EQ(read, all);
  EXPECT_TRUE(r.oldest().empty());
}

}  // namespace
}  // namespace imbrex::trace
