// SPDX-License-Identifier: Apache-2.0
// The product of two matrices by SUMMA (van de Geijn and Watts 1997). In step k the blocks of column k of A
// are sent along their rows, and the blocks of row k of B along their columns; each block of C adds their
// product. Shows: sections as receivers, two mailboxes awaited together.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <imbrex/imbrex.hpp>

#include "arguments.hpp"

using numbers = std::vector<std::int64_t>;

namespace {

constexpr int n = 16;  // a block has n x n numbers, row by row

/// Entries of A and B, easy to recompute.
std::int64_t a(int i, int j) { return (7 * i + 3 * j) % 11 - 5; }
std::int64_t b(int i, int j) { return (2 * i + 5 * j) % 13 - 6; }

numbers block_of(std::int64_t (*entry)(int, int), int row, int column) {
  numbers all;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) all.push_back(entry(row * n + i, column * n + j));
  return all;
}

}  // namespace

class block : public imbrex::chare<block, imbrex::index<2>> {
 public:
  imbrex::mailbox<numbers> of_a, of_b;  // the reference number is the step

  /// The number of wrong entries of C.
  imbrex::task<int> multiply() {
    const int side = peers().shape()[0];
    const int row = where()[0], column = where()[1];
    const auto along_row = peers().section(row, imbrex::full_extent);
    const auto along_column = peers().section(imbrex::full_extent, column);
    numbers c(std::size_t{n} * n);
    for (int k = 0; k < side; ++k) {
      if (column == k) imbrex::send<&block::of_a>(along_row, k, block_of(a, row, k));
      if (row == k) imbrex::send<&block::of_b>(along_column, k, block_of(b, k, column));
      const auto [left, right] = co_await imbrex::when_all(of_a.receive(k), of_b.receive(k));
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t l = 0; l < n; ++l)
          for (std::size_t j = 0; j < n; ++j) c[i * n + j] += left[i * n + l] * right[l * n + j];
    }
    int wrong = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        std::int64_t entry = 0;
        for (int l = 0; l < side * n; ++l) entry += a(row * n + i, l) * b(l, column * n + j);
        wrong += c[static_cast<std::size_t>(i * n + j)] == entry ? 0 : 1;
      }
    co_return wrong;
  }
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    arguments command_line(argc, argv, "summa [BLOCKS_A_SIDE]");
    const int side = command_line.next("BLOCKS_A_SIDE", 5, 100);
    command_line.finish();

    const auto all = imbrex::make_array<block>({side, side});
    const int wrong = co_await all.reduce<&block::multiply>(imbrex::sum);
    std::printf("the product of %d x %d blocks is %s\n", side, side, wrong == 0 ? "right" : "wrong");
    co_return wrong == 0 ? 0 : 1;
  });
}
