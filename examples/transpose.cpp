// SPDX-License-Identifier: Apache-2.0
// The transpose of the Parallel Research Kernels: B += transposed A, then A += 1, repeatedly. Each chare has
// some columns of both matrices, and sends a tile of A to each other chare. Shows: all_to_all.
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

#include <imbrex/imbrex.hpp>

#include "arguments.hpp"

using tile = std::vector<double>;  // width x width numbers, column by column

class columns : public imbrex::chare<columns> {
 public:
  explicit columns(int width) : width_(width) {
    const int order = width * peers().shape()[0];
    for (int column = 0; column < width; ++column)
      for (int row = 0; row < order; ++row) a_.push_back(first_value(row, column));
    b_.resize(a_.size());
  }

  /// The number of wrong numbers of B after these steps.
  imbrex::task<long> run(int steps) {
    for (int step = 0; step < steps; ++step) {
      std::vector<tile> tiles;
      for (int to = 0; to < peers().shape()[0]; ++to) tiles.push_back(tile_of_rows(to));
      const auto arrived = co_await imbrex::all_to_all(*this, std::move(tiles));
      for (int from = 0; from < peers().shape()[0]; ++from)
        add_transposed(from, arrived[static_cast<std::size_t>(from)]);
      for (auto& value : a_) value += 1;
    }
    long wrong = 0;
    const int order = width_ * peers().shape()[0];
    for (int column = 0; column < width_; ++column)
      for (int row = 0; row < order; ++row) {
        // B(row, column) is the sum over all steps of A(column, row), which grows by 1 a step.
        const double first = double(row) * order + where()[0] * width_ + column;
        wrong += b_[at(row, column)] == steps * first + steps * (steps - 1) / 2.0 ? 0 : 1;
      }
    co_return wrong;
  }

 private:
  double first_value(int row, int column) const {
    return double(where()[0] * width_ + column) * width_ * peers().shape()[0] + row;
  }
  std::size_t at(int row, int column) const {
    return static_cast<std::size_t>(column) * static_cast<std::size_t>(width_ * peers().shape()[0]) +
           static_cast<std::size_t>(row);
  }
  tile tile_of_rows(int block) const {
    tile part;
    for (int column = 0; column < width_; ++column)
      for (int row = 0; row < width_; ++row) part.push_back(a_[at(block * width_ + row, column)]);
    return part;
  }
  void add_transposed(int block, const tile& part) {
    std::size_t next = 0;
    for (int row = 0; row < width_; ++row)
      for (int column = 0; column < width_; ++column) b_[at(block * width_ + row, column)] += part[next++];
  }

  int width_;
  std::vector<double> a_, b_;
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    arguments command_line(argc, argv, "transpose [CHARES [COLUMNS_EACH [STEPS]]]");
    const int chares = command_line.next("CHARES", 6, 1'000);
    const int width = command_line.next("COLUMNS_EACH", 20, 1'000);
    const int steps = command_line.next("STEPS", 5, 1'000);
    command_line.finish();

    const auto all = imbrex::make_array<columns>(chares, width);
    const long wrong = co_await all.reduce<&columns::run>(imbrex::sum, steps);
    std::printf("%d transposes of order %d: %s\n", steps, chares * width, wrong == 0 ? "right" : "wrong");
    co_return wrong == 0 ? 0 : 1;
  });
}
