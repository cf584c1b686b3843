// SPDX-License-Identifier: Apache-2.0
#include <imbrex/trace/ring.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

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

TEST(Ring, HasRoomInWholeBlocks) {
  EXPECT_EQ(ring(0).capacity(), 4U);
  EXPECT_EQ(ring(7).capacity(), 6U);
  EXPECT_EQ(ring(64).capacity(), 64U);
  EXPECT_EQ(ring(100'000).capacity(), 100'000U / 1'024 * 1'024);
}

TEST(Ring, RefusesWhatItHasNoRoomForAndKeepsTheRest) {
  ring r(4);  // two blocks of two
  for (std::uint64_t n = 0; n < 3; ++n) EXPECT_TRUE(r.push(numbered(n)));
  EXPECT_FALSE(r.push(numbered(3)));
  EXPECT_EQ(r.size(), 3U);
  std::uint64_t read = 0;
  while (r.size() > 0) {
    const auto piece = r.oldest();
    ASSERT_FALSE(piece.empty());
    for (const auto& entry : piece) expect_numbered(entry, read++);
    r.release(piece.size());
  }
  EXPECT_EQ(read, 3U);
  EXPECT_TRUE(r.push(numbered(3)));
  EXPECT_TRUE(r.push(numbered(4)));
  EXPECT_FALSE(r.push(numbered(5)));
}

TEST(Ring, HasRoomToSayThatItIsFull) {
  ring r(4);
  std::uint64_t n = 0;
  while (r.push(numbered(n))) ++n;
  r.push_last(numbered(n++));
  EXPECT_FALSE(r.push(numbered(n)));
  EXPECT_EQ(r.size(), 4U);
  expect_numbered(r.oldest()[0], 0);
  expect_numbered(r.oldest()[1], 1);
  r.release(1);
  EXPECT_FALSE(r.push(numbered(n)));
  r.release(1);
  expect_numbered(r.oldest()[0], 2);  // the first block is free
  EXPECT_TRUE(r.push(numbered(n)));
  expect_numbered(r.oldest()[1], 3);
  r.release(2);
  expect_numbered(r.oldest()[0], 4);
}

TEST(Ring, KeepsToTwoBlocksWhileItIsRead) {
  ring r(1'000'000);
  std::uint64_t written = 0;
  std::uint64_t read = 0;
  std::vector<const record*> seen;
  while (written < 50'000) {
    for (int some = 0; some < 100; ++some) ASSERT_TRUE(r.push(numbered(written++)));
    while (r.size() > 0) {
      const auto piece = r.oldest();
      for (const auto& entry : piece) expect_numbered(entry, read++);
      seen.push_back(piece.data());
      r.release(piece.size());
    }
  }
  std::sort(seen.begin(), seen.end());
  // All records seen lie in two ranges of 32 kB, provided that nothing else is allocated meanwhile.
  const auto second =
      std::find_if(seen.begin(), seen.end(), [&](const record* p) { return p >= seen[0] + 1'024; });
  ASSERT_NE(second, seen.end());
  EXPECT_LT(seen.back(), *second + 1'024);
}

TEST(Ring, GivesItsRecordsInPieces) {
  for (const std::size_t room : {4U, 8U, 5'000U}) {
    ring r(room);
    std::mt19937 random(1);
    std::uint64_t written = 0;
    std::uint64_t read = 0;
    while (read < 100'000) {
      for (auto some = random() % (room + 1); some > 0 && r.push(numbered(written)); --some) ++written;
      ASSERT_EQ(r.size(), written - read);
      const auto piece = r.oldest();
      const auto taken = piece.empty() ? 0 : random() % piece.size() + 1;
      for (std::size_t k = 0; k < taken; ++k) expect_numbered(piece[k], read++);
      r.release(taken);
    }
  }
}

TEST(Ring, PassesEverythingFromOneThreadToAnother) {
  for (const std::size_t room : {4U, 64U, 5'000U}) {
    const std::uint64_t all = std::min<std::uint64_t>(60'000, 1'000 * room);  // the threads wait 1,000 times
    ring r(room);
    std::thread writer([&r, all] {
      bool has_reported = false;
      for (std::uint64_t n = 0; n < all;) {
        if (r.push(numbered(n))) {
          has_reported = false;
          ++n;
        } else if (!has_reported && n % 3 == 0) {
          r.push_last(numbered(n++));
          has_reported = true;
        } else {
          std::this_thread::yield();
        }
      }
    });
    std::uint64_t read = 0;
    while (read < all) {
      const auto piece = r.oldest();
      for (auto& entry : piece) {
        if (entry.time != read) break;
        expect_numbered(entry, read++);
        entry.time = 0;  // the reader may change it
      }
      r.release(piece.size());
      if (piece.empty()) std::this_thread::yield();
    }
    writer.join();
    EXPECT_EQ(read, all);
    EXPECT_TRUE(r.oldest().empty());
  }
}

}  // namespace
}  // namespace imbrex::trace
