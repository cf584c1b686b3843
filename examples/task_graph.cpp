// SPDX-License-Identifier: Apache-2.0
// A graph of tasks as in Task Bench (Slaughter et al. 2020): each task of a row needs the results of some
// tasks of the previous row, chosen at random. A chare runs one task of each row, and runs ahead as far as
// the graph allows. Shows: one mailbox for all inputs, with the row as reference number.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <imbrex/imbrex.hpp>
#include <imbrex/random.hpp>

#include "arguments.hpp"

using value = std::uint64_t;

namespace {

/// True if a task of a row needs the result of task `other` of the previous row. All chares know the graph.
bool needs(int row, int task, int other) {
  imbrex::random lot((std::uint64_t(row) * 1'000 + std::uint64_t(task)) * 1'000 + std::uint64_t(other));
  return task == other || lot.below(4) == 0;
}

/// The contribution of an input to a task's result; the order of the inputs has no effect.
value effect(value input) { return (input ^ (input >> 29)) * 0x9E3779B97F4A7C15U; }

/// The reference result, by a loop: the sum of the last row.
value expected(int width, int rows) {
  std::vector<value> before, now(static_cast<std::size_t>(width), 1);
  for (int row = 1; row < rows; ++row) {
    before = now;
    for (int task = 0; task < width; ++task) {
      auto& result = now[static_cast<std::size_t>(task)] = value(row);
      for (int other = 0; other < width; ++other)
        if (needs(row, task, other)) result += effect(before[static_cast<std::size_t>(other)]);
    }
  }
  value sum = 0;
  for (const auto result : now) sum += result;
  return sum;
}

}  // namespace

class column : public imbrex::chare<column> {
 public:
  imbrex::mailbox<value> inputs;  // the reference number is the row of the task that needs them

  /// The result of the last task.
  imbrex::task<value> run(int rows) {
    const int width = peers().shape()[0];
    const int here = where()[0];
    value result = 1;
    for (int row = 1; row < rows; ++row) {
      int expected = 0;
      for (int other = 0; other < width; ++other) {
        if (needs(row, other, here)) imbrex::send<&column::inputs>(peers()[other], row, result);
        if (needs(row, here, other)) ++expected;
      }
      result = value(row);
      for (; expected > 0; --expected) {
        const value input = co_await inputs.receive(row);
        result += effect(input);
      }
    }
    co_return result;
  }
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    arguments command_line(argc, argv, "task_graph [WIDTH [ROWS]]");
    const int width = command_line.next("WIDTH", 12, 999);
    const int rows = command_line.next("ROWS", 50, 100'000);
    command_line.finish();

    const auto columns = imbrex::make_array<column>(width);
    const value sum = co_await columns.reduce<&column::run>(imbrex::sum, rows);
    const bool right = sum == expected(width, rows);
    std::printf("%d tasks: %s\n", width * rows, right ? "as a loop has it" : "wrong");
    co_return right ? 0 : 1;
  });
}
