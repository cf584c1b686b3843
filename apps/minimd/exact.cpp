// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/exact.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include <imbrex/base/error.hpp>

namespace minimd {
namespace {

constexpr double unit = 0x1p-40, most = 0x1p22;

std::int64_t whole(double number) {
  if (!(std::abs(number) < most))
    throw imbrex::error("a force or energy of " + std::to_string(number) +
                        " is too large for --reproducible: atoms are too close; take a shorter time step");
  return std::llrint(number * 0x1p40);
}

}  // namespace

pair_sums exact_lj_forces(const problem& what, atom_store& store, const neighbour_list& list) {
  const double cutoff_squared = what.cutoff * what.cutoff, sigma_squared = what.sigma * what.sigma;
  const auto box = what.box();
  const double* const x = store.position.data();
  __int128 potential = 0, virial = 0;
  for (std::size_t i = 0; i < store.own; ++i) {
    std::int64_t sums[3] = {0, 0, 0};
    for (std::size_t k = list.begin[i]; k < list.begin[i + 1]; ++k) {
      const auto j = static_cast<std::size_t>(list.atoms[k]);
      if (j == store.all()) continue;
      double by[3], squared = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        by[d] = x[4 * i + d] - x[4 * j + d];
        if (by[d] > box[d] / 2)
          by[d] -= box[d];
        else if (by[d] < -box[d] / 2)
          by[d] += box[d];
        squared += by[d] * by[d];
      }
      if (!(squared < cutoff_squared)) continue;
      const double inverse = 1 / squared, ratio = sigma_squared * inverse, sixth = ratio * ratio * ratio;
      const double force = 48 * what.epsilon * sixth * (sixth - 0.5) * inverse;
      for (std::size_t d = 0; d < 3; ++d) sums[d] += whole(by[d] * force);
      potential += whole(4 * what.epsilon * sixth * (sixth - 1));
      virial += whole(squared * force);
    }
    for (std::size_t d = 0; d < 3; ++d) store.force[4 * i + d] = static_cast<double>(sums[d]) * unit;
  }
  // Both atoms of a pair have counted it.
  return {.whole_potential = potential, .whole_virial = virial};
}

}  // namespace minimd
