// SPDX-License-Identifier: Apache-2.0
// A token is passed around a ring of chares that live inside a GPU.
//   build/release/bin/resident_ring --device emulated --pes 2
#include <cstdio>

#include <imbrex/resident.hpp>

#include "ring.hpp"

namespace {

imbrex::task<int> pass_round() {
  imbrex::resident::program<ring> chares(imbrex::gpu(), {}, {1056});
  chares.start<&ring::token>(0, 100'000);
  co_await chares.stream().done();
  const imbrex::resident::outcome how = chares.end();  // `exit` sets how.value
  std::printf("the last of %u chares got a token %d times\n", chares.count<ring>(),
              static_cast<int>(*how.value));
  co_return 0;
}

}  // namespace

int main(int argc, char** argv) { return imbrex::run(argc, argv, pass_round); }
