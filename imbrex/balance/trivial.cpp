// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <utility>
#include <vector>

#include <imbrex/balance/internal/library.hpp>
#include <imbrex/balance/internal/placement.hpp>
#include <imbrex/base/random.hpp>

namespace imbrex::balance::detail {

std::vector<int> none(const problem& p) { return {p.pe.begin(), p.pe.end()}; }

std::vector<int> scatter(const problem& p) {
  placement places(p);
  random dice(p.seed);
  for (std::size_t i = 0; i < p.size(); ++i)
    if (const int to = static_cast<int>(dice.below(static_cast<std::uint64_t>(p.on.pes))); p.is_movable(i))
      places.move(i, to);
  return std::move(places).take();
}

std::vector<int> rotate(const problem& p) {
  placement places(p);
  for (std::size_t i = 0; i < p.size(); ++i)
    if (p.is_movable(i)) places.move(i, (p.pe[i] + 1) % p.on.pes);
  return std::move(places).take();
}

}  // namespace imbrex::balance::detail
