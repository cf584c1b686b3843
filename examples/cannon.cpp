// SPDX-License-Identifier: Apache-2.0
// The product C of two matrices A and B by Cannon's algorithm (1969). Each chare has a block of each matrix
// and multiplies. It then shifts its block of A to the left and its block of B upwards, around the grid.
// Shows: channels, when_all, a time limit by when_any, sections.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <imbrex/imbrex.hpp>
#include <imbrex/random.hpp>

#include "arguments.hpp"

namespace {

using numbers = std::vector<std::int64_t>;

numbers random_numbers(int seed, std::size_t count) {
  imbrex::random random(static_cast<std::uint64_t>(seed));
  numbers some(count);
  for (auto& number : some) number = static_cast<std::int64_t>(random.below(100));
  return some;
}

/// A block has n x n numbers, row by row. The numbers of A and B are arbitrary and easy to recompute.
constexpr std::size_t n = 24;
numbers block_of_a(int row, int column) { return random_numbers(1'000 * row + column, n * n); }
numbers block_of_b(int row, int column) { return random_numbers(1'000'000 + 1'000 * row + column, n * n); }

/// c += a b
void multiply_blocks(numbers& c, const numbers& a, const numbers& b) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

/// y += block x, for the block's parts of the vectors.
void multiply_vector(std::span<std::int64_t> y, const numbers& block, std::span<const std::int64_t> x) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) y[i] += block[i * n + j] * x[j];
}
std::size_t first_of(int row_or_column) { return static_cast<std::size_t>(row_or_column) * n; }

/// A or B times x.
numbers times(numbers (*block_at)(int, int), const numbers& x) {
  const int side = static_cast<int>(x.size() / n);
  numbers y(x.size());
  for (int row = 0; row < side; ++row)
    for (int column = 0; column < side; ++column)
      multiply_vector(std::span(y).subspan(first_of(row)), block_at(row, column),
                      std::span(x).subspan(first_of(column)));
  return y;
}

}  // namespace

class block : public imbrex::chare<block, imbrex::index<2>> {
 public:
  imbrex::channel<numbers> left, right, up, down;

  explicit block(int side)
      : side_(side),
        a_(block_of_a(where()[0], (where()[0] + where()[1]) % side)),
        b_(block_of_b((where()[0] + where()[1]) % side, where()[1])) {
    left.connect<&block::right>(neighbour(0, -1));
    right.connect<&block::left>(neighbour(0, 1));
    up.connect<&block::down>(neighbour(-1, 0));
    down.connect<&block::up>(neighbour(1, 0));
  }

  imbrex::task<> multiply() {
    multiply_blocks(c_, a_, b_);
    for (int step = 1; step < side_; ++step) {
      left.send(std::move(a_));
      up.send(std::move(b_));
      auto arrived = co_await imbrex::when_all(right.receive(), down.receive());
      std::tie(a_, b_) = std::move(arrived);
      multiply_blocks(c_, a_, b_);
    }
  }

  // The block's part of C times x.
  numbers times(std::span<const std::int64_t> x) const {
    numbers y(n);
    multiply_vector(y, c_, x.subspan(first_of(where()[1])));
    return y;
  }

 private:
  imbrex::element<block> neighbour(int rows, int columns) const {
    return peers()[{(where()[0] + rows + side_) % side_, (where()[1] + columns + side_) % side_}];
  }

  int side_;
  numbers a_, b_;
  numbers c_ = numbers(n * n);
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    arguments command_line(argc, argv, "cannon [BLOCKS_A_SIDE [SECONDS_AT_MOST]]");
    const int side = command_line.next("BLOCKS_A_SIDE", 5, 100);
    const std::chrono::seconds limit(command_line.next("SECONDS_AT_MOST", 60, 3'600));
    command_line.finish();

    const auto blocks = imbrex::make_array<block>({side, side}, side);
    const auto first = co_await imbrex::when_any(blocks.call<&block::multiply>(), imbrex::sleep_for(limit));
    if (first.index == 1) {
      std::printf("too many blocks for %d s\n", static_cast<int>(limit.count()));
      co_return 1;
    }

    // Freivalds' check: A (B x) must equal C x; each row of blocks has a part of it.
    const numbers x = random_numbers(-1, first_of(side));
    numbers found;
    for (int row = 0; row < side; ++row) {
      const auto blocks_of_row = blocks.section(row, imbrex::full_extent);
      const numbers part = co_await blocks_of_row.reduce<&block::times>(imbrex::sum, x);
      found.insert(found.end(), part.begin(), part.end());
    }
    const bool right = found == times(block_of_a, times(block_of_b, x));
    std::printf("the product of %d x %d blocks is %s\n", side, side, right ? "right" : "wrong");
    co_return right ? 0 : 1;
  });
}
