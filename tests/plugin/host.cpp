// SPDX-License-Identifier: Apache-2.0
// host LIBRARY: loads the library beside an existing thread, and calls its run_program twice.
#include <dlfcn.h>

#include <cstdio>
#include <latch>
#include <thread>

int main(int argc, char** argv) {
  std::latch ended(1);
  const std::jthread older([&] { ended.wait(); });
  bool good = argc == 2;
  void* const library = good ? ::dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  auto* const run_program =
      reinterpret_cast<int (*)(int)>(library != nullptr ? ::dlsym(library, "run_program") : nullptr);
  if (run_program == nullptr) {
    std::fprintf(stderr, "host: %s\n", good ? ::dlerror() : "usage: host LIBRARY");
    good = false;
  }
  for (const int pes : {1, 3}) good = good && run_program(pes) == 500;
  if (good) std::puts("two runs of 500 calls");
  ended.count_down();
  return good ? 0 : 1;
}
