// SPDX-License-Identifier: Apache-2.0
// The pipeline (p2p) of the Parallel Research Kernels: each cell of a grid needs the cells above, left, and
// above left of it. Each chare has some columns, and sends the last cell of a row before it begins the next
// row. The very last cell starts the next sweep. Shows: mailboxes with reference numbers.
#include <cstddef>
#include <cstdio>
#include <vector>

#include <imbrex/imbrex.hpp>

#include "arguments.hpp"

class strip : public imbrex::chare<strip> {
 public:
  imbrex::mailbox<double> left;    // the reference number counts rows, over all sweeps
  imbrex::mailbox<double> corner;  // the reference number is the sweep

  strip(int width, int rows) : width_(width), rows_(rows) {
    const int first = where()[0] * width - 1;  // the last column of the left neighbour
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column <= width; ++column)
        cells_.push_back(row == 0 ? first + column : first + column == 0 ? row : 0);
    if (where()[0] > 0)  // the left neighbour has this column's other cells
      cells_[0] = first;
  }

  /// The last cell of the strip after these sweeps.
  imbrex::task<double> run(int sweeps) {
    const int strips = peers().shape()[0];
    const bool is_first = where()[0] == 0, is_last = where()[0] == strips - 1;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      if (is_first && sweep > 0) {
        const double end = co_await corner.receive(sweep);
        at(0, 1) = -end;
      }
      for (int row = 1; row < rows_; ++row) {
        const int number = sweep * rows_ + row;
        if (!is_first) at(row, 0) = co_await left.receive(number);
        for (int column = is_first ? 2 : 1; column <= width_; ++column)
          at(row, column) = at(row - 1, column) + at(row, column - 1) - at(row - 1, column - 1);
        if (!is_last) imbrex::send<&strip::left>(peers()[where()[0] + 1], number, at(row, width_));
      }
      if (is_last) imbrex::send<&strip::corner>(peers()[0], sweep + 1, at(rows_ - 1, width_));
    }
    co_return at(rows_ - 1, width_);
  }

 private:
  double& at(int row, int column) {
    return cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(width_ + 1) +
                  static_cast<std::size_t>(column)];
  }

  int width_, rows_;
  std::vector<double> cells_;  ///< preceded by the last column of the left neighbour
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    arguments command_line(argc, argv, "pipeline [STRIPS [COLUMNS_EACH [ROWS [SWEEPS]]]]");
    const int strips = command_line.next("STRIPS", 8, 1'000);
    const int width = command_line.next("COLUMNS_EACH", 10, 1'000);
    const int rows = command_line.next("ROWS", 60, 10'000);
    const int sweeps = command_line.next("SWEEPS", 7, 1'000);
    command_line.finish();
    if (strips * width < 2 || rows < 2) throw imbrex::usage_error("a grid has 2 columns and 2 rows or more");

    const auto all = imbrex::make_array<strip>(strips, width, rows);
    const auto ends = co_await all.reduce<&strip::run>(imbrex::gather, sweeps);
    const bool right = ends.back() == double(sweeps) * (rows + strips * width - 2);
    std::printf("%d sweeps through %d strips: %s\n", sweeps, strips, right ? "the corner is right" : "wrong");
    co_return right ? 0 : 1;
  });
}
