// SPDX-License-Identifier: Apache-2.0
// The sparse matrix-vector product of the Parallel Research Kernels: rows of a matrix whose entries form a
// star on a torus of cells. A chare first sends requests to the owners of the columns that it needs; no chare
// knows these in advance. Then values are sent in each step. Shows: exchange.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <map>
#include <utility>
#include <vector>

#include <imbrex/imbrex.hpp>

#include "arguments.hpp"

using numbers = std::vector<double>;
using places = std::vector<int>;
using index1 = imbrex::index<1>;

class rows : public imbrex::chare<rows> {
 public:
  rows(int side, int radius) : side_(side), radius_(radius), first_(start_of(where()[0])) {
    vector_.resize(static_cast<std::size_t>(start_of(where()[0] + 1) - first_));
  }

  /// The sum of the matrix times the vector, over all steps and these rows.
  imbrex::task<double> run(int steps) {
    std::map<index1, places> needed;
    for (int row = first_; row < start_of(where()[0] + 1); ++row)
      for (const int column : columns_of(row)) needed[owner_of(column)].push_back(column);
    const auto requests = co_await imbrex::exchange(*this, needed);

    double sum = 0;
    for (int step = 0; step <= steps; ++step) {
      for (std::size_t i = 0; i < vector_.size(); ++i) vector_[i] += first_ + int(i) + 1.0;
      std::map<index1, numbers> outgoing;
      for (const auto& [to, columns] : requests)
        for (const int column : columns)
          outgoing[to].push_back(vector_[static_cast<std::size_t>(column - first_)]);
      const auto values = co_await imbrex::exchange(*this, std::move(outgoing));
      // Values arrive in the order in which their columns were requested.
      for (const auto& [from, columns] : needed)
        for (std::size_t i = 0; i < columns.size(); ++i) sum += values.at(from)[i] / (columns[i] + 1.0);
    }
    co_return sum;
  }

 private:
  int start_of(int chare) const { return static_cast<int>(long{chare} * side_ * side_ / peers().shape()[0]); }
  index1 owner_of(int row) const {
    int chare = static_cast<int>(long{row} * peers().shape()[0] / (side_ * side_));
    while (start_of(chare + 1) <= row) ++chare;
    return chare;
  }
  places columns_of(int row) const {
    const int x = row / side_, y = row % side_;
    places all{row};
    for (int r = 1; r <= radius_; ++r)
      for (const int d : {r, side_ - r}) {
        all.push_back((x + d) % side_ * side_ + y);
        all.push_back(x * side_ + (y + d) % side_);
      }
    return all;
  }

  int side_, radius_, first_;
  numbers vector_;
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    arguments command_line(argc, argv, "sparse [CELLS_A_SIDE [RADIUS [CHARES [STEPS]]]]");
    const int side = command_line.next("CELLS_A_SIDE", 32, 1'000);
    const int radius = command_line.next("RADIUS", 3, 100);
    const int chares = command_line.next("CHARES", 10, 1'000);
    const int steps = command_line.next("STEPS", 6, 1'000);
    command_line.finish();
    if (2 * radius >= side || chares > side * side)
      throw imbrex::usage_error("a star must fit on the torus, and a chare have a row");

    const auto all = imbrex::make_array<rows>(chares, side, radius);
    const double sum = co_await all.reduce<&rows::run>(imbrex::sum, steps);
    // An entry is 1 / (column + 1), and its element of the vector grows by column + 1 in each step.
    const double entries = double(side) * side * (4 * radius + 1);
    const bool right = std::fabs(sum / (entries * (steps + 1) * (steps + 2) / 2) - 1) < 1e-8;
    std::printf("%.0f entries, %d steps: %s\n", entries, steps, right ? "the sum is right" : "wrong");
    co_return right ? 0 : 1;
  });
}
