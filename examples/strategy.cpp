// SPDX-License-Identifier: Apache-2.0
// A strategy of the program's own, on a problem that is written by hand.
#include <cstdio>
#include <vector>

#include <imbrex/balance/quality.hpp>
#include <imbrex/balance/snapshot.hpp>
#include <imbrex/balance/strategy.hpp>

namespace {

/// Deals the objects of each PE out to all PEs.
const imbrex::balance::strategy deal{"deal", [](const imbrex::balance::problem& p) {
                                       std::vector<int> pe(p.size());
                                       for (std::size_t i = 0; i < p.size(); ++i)
                                         pe[i] = static_cast<int>(i) % p.on.pes;
                                       return pe;
                                     }};

}  // namespace

int main() {
  imbrex::balance::snapshot all;
  all.pes = 4;
  for (int i = 0; i < 100; ++i) {
    all.pe.push_back(i / 25);
    all.load.push_back(i < 25 ? 0.004 : 0.001);
  }
  const imbrex::balance::problem p = all.view();
  check(p);
  for (const char* const name : {"none", "deal", "segments"}) {
    const std::vector<int> solution = imbrex::balance::find_strategy(name).solve(p);
    const imbrex::balance::quality found = quality_of(p, solution);
    std::printf("%s: max/avg %.2f, %.0f %% moved\n", name, found.after.pes, 100 * found.moved);
  }
}
