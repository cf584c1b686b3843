// SPDX-License-Identifier: Apache-2.0
// Strategies of imbrex/balance over a spot of load that goes round:
//   build/release/bin/balance_orbit 60 510 200 auto segments
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <imbrex/balance/orbit.test.hpp>

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fputs("usage: balance_orbit EDGE PES STEPS STRATEGY...\n", stderr);
    return 2;
  }
  const int steps = std::atoi(argv[3]);
  imbrex::balance::orbit spot(std::atoi(argv[1]), std::atoi(argv[2]), 6, 0.01);
  std::puts("strategy     max/avg    moved      cut   node cut   its mean");
  for (int i = 4; i < argc; ++i) {
    const auto found = spot.run(imbrex::balance::find_strategy(argv[i]), steps);
    std::printf("%-10s %9.4f %8.4f %8.3f %10.3f %10.3f\n", argv[i], found.imbalance, found.moved, found.cut,
                found.node_cut, found.mean_node_cut);
    std::fflush(stdout);
  }
}
