// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/piece_size.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <set>

namespace imbrex::detail {

namespace {

TEST(piece_size, is_what_takes_least) {
  // Three steps at 1 GB/s with a startup of 10 us: k pieces of 1 MB take (k + 2)(1000 / k + 10) us.
  constexpr piece_step step{nanoseconds(10'000), 1'000'000'000};
  constexpr std::array steps{step, step, step};
  EXPECT_NEAR(static_cast<double>(time_in_pieces(1'000'000, 1, steps).count()), 3'030'000, 3);
  EXPECT_NEAR(static_cast<double>(time_in_pieces(1'000'000, 8, steps).count()), 10 * 135'000, 3'000);
  EXPECT_EQ(best_pieces(1'000'000, steps), 12U);  // sqrt(2 * 1000 / 10) = 14
  EXPECT_EQ(best_pieces(100, steps), 1U);
  EXPECT_EQ(best_pieces(0, steps), 1U);
}

TEST(piece_size, covers_all_bytes_with_so_many_pieces_at_most) {
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{255}, std::size_t{100'003}, std::size_t{1} << 26U})
    for (const std::size_t pieces : {std::size_t{1}, std::size_t{3}, std::size_t{64}}) {
      EXPECT_GE(piece_bytes(bytes, pieces) * pieces, bytes);
      EXPECT_EQ(piece_bytes(bytes, pieces) % 256, 0U);
    }
}

TEST(piece_trials, try_each_number_and_keep_to_the_best) {
  piece_trials trials;
  constexpr std::size_t bytes = 300'000;
  std::multiset<std::size_t> tried;
  for (std::size_t i = 0; i < 5 * piece_trials::enough; ++i) {
    const std::size_t pieces = trials.pieces(bytes);
    tried.insert(pieces);
    // Four pieces are best; the first trial of each number is slow, as at the first touch of memory.
    const bool is_first = tried.count(pieces) == 1;
    trials.took(bytes, pieces, nanoseconds((pieces == 4 ? 100 : 200) + (is_first ? 5000 : 0)));
  }
  for (const std::size_t pieces : {1U, 2U, 4U, 8U, 16U}) EXPECT_EQ(tried.count(pieces), piece_trials::enough);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(trials.pieces(bytes), 4U);
  EXPECT_EQ(trials.pieces(10'000), 1U);  // no measurement of this size, which is too short for two pieces
}

TEST(piece_trials, go_on_while_none_has_ended) {
  piece_trials trials;
  std::multiset<std::size_t> begun;
  for (std::size_t i = 0; i < 6 * piece_trials::enough; ++i) begun.insert(trials.pieces(1'000'000));
  for (const std::size_t pieces : {1U, 2U, 4U, 8U, 16U, 32U})
    EXPECT_EQ(begun.count(pieces), piece_trials::enough);
  // Then no time is known, and one piece is as good as others; the first result is used at once.
  for (int i = 0; i < 10; ++i) EXPECT_EQ(trials.pieces(1'000'000), 1U);
  trials.took(1'000'000, 8, nanoseconds(100));
  EXPECT_EQ(trials.pieces(1'000'000), 8U);
}

}  // namespace
}  // namespace imbrex::detail
