// SPDX-License-Identifier: Apache-2.0
// A run for ucx_test.py, whose first process writes whether it has loaded UCX. With "hangup" the last process
// sends itself SIGHUP; with "handled" each process first installs a handler that ends it with status 7.
#include <dlfcn.h>
#include <signal.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <imbrex/imbrex.hpp>

namespace {

struct member : imbrex::chare<member> {
  int visit(bool hangup) {
    if (hangup) ::raise(SIGHUP);
    return 1;
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "handled") std::signal(SIGHUP, [](int) { std::_Exit(7); });
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    const bool hangup = argc > 1;
    const int last = imbrex::num_pes() - 1;
    const auto members = imbrex::make_array<member>(last + 1);
    const int visited = co_await members[last].call<&member::visit>(hangup);
    const bool loaded = ::dlopen("libucp.so.0", RTLD_NOW | RTLD_NOLOAD) != nullptr;
    std::printf("%d of %d, %s UCX\n", visited, imbrex::num_processes(), loaded ? "with" : "without");
    co_return 0;
  });
}
