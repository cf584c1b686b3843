// SPDX-License-Identifier: Apache-2.0
// Entries with a known number of waits, each of which suspends.
#include <imbrex/imbrex.hpp>
#include <imbrex/sleep.hpp>

#include <chrono>

using namespace std::chrono_literals;

struct block : imbrex::chare<block> {
  imbrex::task<> run() {
    co_await imbrex::sleep_for(2ms);
    co_await imbrex::sleep_for(2ms);
  }
  void mark() {}
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, []() -> imbrex::task<int> {
    const auto blocks = imbrex::make_array<block>(4);
    co_await blocks.call<&block::run>();
    co_await blocks[3].call<&block::mark>();
    co_return 0;
  });
}
