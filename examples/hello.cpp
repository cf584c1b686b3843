// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <imbrex/imbrex.hpp>

struct greeter : imbrex::chare<greeter> {
  int greet(int count) {
    std::printf("hello from chare %d of %d, on PE %d\n", where()[0], count, pe());
    return 1;
  }
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, []() -> imbrex::task<int> {
    const auto greeters = imbrex::make_array<greeter>(8);
    const int greeted = co_await greeters.reduce<&greeter::greet>(imbrex::sum, 8);
    co_return greeted == 8 ? 0 : 1;
  });
}
