// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include <imbrex/imbrex.hpp>

struct hello : imbrex::chare<hello> {
  int greet(int n) {
    std::printf("hello %d from element %d\n", n, static_cast<int>(where()[0]));
    return n + 1;
  }
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, []() -> imbrex::task<> {
    auto all = imbrex::make_array<hello>({5});
    int n = 17;
    for (int i = 0; i < 5; ++i) n = co_await all[i].call<&hello::greet>(n);
  });
}
