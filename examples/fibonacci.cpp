// SPDX-License-Identifier: Apache-2.0
// A Fibonacci number by definition: each chare makes two more for the two previous numbers, adds their
// results and ends. Shows: single chares, made and destroyed at run time; calls that are awaited later.
#include <cinttypes>
#include <cstdint>
#include <cstdio>

#include <imbrex/imbrex.hpp>

#include "arguments.hpp"

namespace {

std::int64_t fibonacci_by_loop(int n) {
  std::int64_t number = 0;
  std::int64_t next = 1;
  for (int i = 0; i < n; ++i) {
    number += next;
    std::swap(number, next);
  }
  return number;
}

}  // namespace

class fibonacci : public imbrex::chare<fibonacci> {
 public:
  explicit fibonacci(int n) : n_(n) {}

  imbrex::task<std::int64_t> compute() {
    std::int64_t result = n_;
    if (n_ > 1) {
      // The runtime chooses the PEs of the new chares. Both calls leave now, so both work at the same time.
      auto one_before = imbrex::make_chare<fibonacci>(n_ - 1).call<&fibonacci::compute>();
      auto two_before = imbrex::make_chare<fibonacci>(n_ - 2).call<&fibonacci::compute>();
      result = co_await one_before;
      result += co_await two_before;
    }
    destroy();  // when this entry has ended; the result is sent first
    co_return result;
  }

 private:
  int n_;
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    arguments command_line(argc, argv, "fibonacci [N]");
    const int n = command_line.next("N", 16, 30);
    command_line.finish();

    const auto root = imbrex::make_chare<fibonacci>(n);
    const std::int64_t found = co_await root.call<&fibonacci::compute>();
    std::printf("the Fibonacci number %d is %" PRId64 "\n", n, found);
    co_return found == fibonacci_by_loop(n) ? 0 : 1;
  });
}
