// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/exact.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include <imbrex/error.hpp>

namespace minimd {
namespace {

constexpr double most = 0x1p22;

std::int64_t whole(double number) {
  if (!(std::abs(number) < most))
    throw imbrex::error("a force, density or energy of " + std::to_string(number) +
                        " is too large for --reproducible: atoms are too close; take a shorter time step");
  return std::llrint(number * 0x1p40);
}

// Calls visit(i, j, by, squared, is_shared) for each pair of the lists within the cut-off. `by` is the vector
// from j's nearest image to i. A shared pair is visited for both of its atoms.
template <class Visit>
void for_each_pair(const problem& what, const atom_store& store, const neighbour_list& list, Visit visit) {
  const double cutoff_squared = what.cutoff * what.cutoff;
  const auto box = what.box();
  const double* const x = store.position.data();
  const bool is_full = what.lists == list_kind::full;
  for (std::size_t i = 0; i < store.own; ++i)
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
      if (squared < cutoff_squared) visit(i, j, by, squared, is_full || (j >= store.own && !what.newton));
    }
}

// Adds pairs to forces and sums. Each pair is counted twice in the sums: once for each atom, or both at once.
class pair_adder {
 public:
  pair_adder(const atom_store& store, whole_numbers& forces) : forces_(forces) {
    forces_.assign(3 * store.all(), 0);
  }

  void add(std::size_t i, std::size_t j, const double (&by)[3], double squared, bool is_shared, double force,
           double energy) {
    const int times = is_shared ? 1 : 2;
    sums_.whole_potential += times * whole(energy);
    sums_.whole_virial += times * whole(squared * force);
    for (std::size_t d = 0; d < 3; ++d) {
      const std::int64_t part = whole(by[d] * force);
      forces_[3 * i + d] += part;
      if (!is_shared) forces_[3 * j + d] -= part;
    }
  }
  pair_sums sums() const { return sums_; }

 private:
  whole_numbers& forces_;
  pair_sums sums_;
};

}  // namespace

pair_sums exact_lj_forces(const problem& what, const atom_store& store, const neighbour_list& list,
                          whole_numbers& forces) {
  const double sigma_squared = what.sigma * what.sigma;
  pair_adder adder(store, forces);
  for_each_pair(what, store, list,
                [&](std::size_t i, std::size_t j, const double(&by)[3], double squared, bool is_shared) {
                  const double inverse = 1 / squared, ratio = sigma_squared * inverse,
                               sixth = ratio * ratio * ratio;
                  adder.add(i, j, by, squared, is_shared, 48 * what.epsilon * sixth * (sixth - 0.5) * inverse,
                            4 * what.epsilon * sixth * (sixth - 1));
                });
  return adder.sums();
}

void exact_eam_densities(const problem& what, const eam_potential& by, const atom_store& store,
                         const neighbour_list& list, whole_numbers& densities) {
  densities.assign(store.all(), 0);
  for_each_pair(what, store, list,
                [&](std::size_t i, std::size_t j, const double(&)[3], double squared, bool is_shared) {
                  const std::int64_t density = whole(by.density(std::sqrt(squared)).value);
                  densities[i] += density;
                  if (!is_shared) densities[j] += density;
                });
}

__int128 exact_eam_embed(const eam_potential& by, const whole_numbers& densities, std::size_t own,
                         std::vector<double>& slopes) {
  slopes.resize(densities.size() + 1);
  __int128 energy = 0;
  for (std::size_t i = 0; i < own; ++i) {
    const auto [value, slope] = by.embedding(value_of(densities[i]));
    energy += whole(value);
    slopes[i] = slope;
  }
  return energy;
}

pair_sums exact_eam_forces(const problem& what, const eam_potential& by, const std::vector<double>& slopes,
                           const atom_store& store, const neighbour_list& list, whole_numbers& forces) {
  pair_adder adder(store, forces);
  for_each_pair(what, store, list,
                [&](std::size_t i, std::size_t j, const double(&between)[3], double squared, bool is_shared) {
                  const double distance = std::sqrt(squared);
                  const eam_pair p = by.pair_at(distance, slopes[i] + slopes[j]);
                  adder.add(i, j, between, squared, is_shared, p.force, p.energy);
                });
  return adder.sums();
}

}  // namespace minimd
