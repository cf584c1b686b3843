// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "apps/minimd/lj.hpp"
#include "apps/minimd/problem.hpp"
#include "apps/minimd/store.hpp"

namespace minimd {

/// A function by a table, and between its points by cubics whose slopes are of the fourth order, as LAMMPS
/// has it.
class spline {
 public:
  spline() = default;
  /// Values at 0 (or `first` steps), in steps. At least 5.
  spline(const std::vector<double>& values, double step);

  struct result {
    double value, slope;
  };
  /// At x >= 0; beyond the last point at that.
  result operator()(double x) const {
    const double at = x * inverse_step_;
    auto i = static_cast<std::size_t>(at);
    if (i > last_) i = last_;
    double p = at - static_cast<double>(i);
    if (p > 1) p = 1;
    const double* const c = &coefficients_[4 * i];
    return {((c[3] * p + c[2]) * p + c[1]) * p + c[0],
            ((3 * c[3] * p + 2 * c[2]) * p + c[1]) * inverse_step_};
  }
  // For loops that do the same for several.

  std::span<const double> cubics() const { return coefficients_; }
  double intervals_in_unit() const { return inverse_step_; }
  std::size_t last_interval() const { return last_; }

 private:
  vectors coefficients_;  ///< of each interval four, of powers of the part of it
  double inverse_step_ = 0;
  std::size_t last_ = 0;
};

/// What a pair of atoms has.
struct eam_pair {
  double energy;
  double force;  ///< over the distance
};

/// An embedded-atom potential of one element.
struct eam_potential {
  double mass = 0;
  double cutoff = 0;
  spline embedding;  ///< energy by density
  spline density;    ///< by distance
  spline pair;       ///< distance times energy of a pair, by distance
  /// The cubics of `density` and of `pair`, which have the same steps, side by side: of each interval eight.
  vectors by_distance;

  /// Of the text of a file in the format "funcfl" of DYNAMO. Throws imbrex::usage_error with the file
  /// and the line that cannot be.
  static eam_potential of(const std::string& text, const std::string& file = "the potential");

  /// Of atoms so far apart whose embedding energies have slopes of that sum.
  eam_pair pair_at(double distance, double slopes) const {
    const double inverse = 1 / distance;
    const auto [product, product_slope] = pair(distance);
    const double energy = product * inverse;
    const double energy_slope = product_slope * inverse - energy * inverse;
    return {energy, -(slopes * density(distance).slope + energy_slope) * inverse};
  }
};

/// Of lists the pairs within the cut-off: lists reach further by the skin.
struct near_pairs {
  neighbour_list list;
  std::vector<double> distances;  ///< of each entry of the list
};

/// The densities at all own atoms, and, where pairs are computed once, the part of them at copies. Loops of
/// vectors leave the pairs that they found near in `near`.
void eam_densities(const problem& what, const eam_potential& by, const atom_store& store,
                   const neighbour_list& list, near_pairs& near, std::vector<double>& densities);
/// Of own atoms the slopes of the embedding energy; there is room for those of copies, and of the one far
/// away. Returns the sum of these energies.
double eam_embed(const eam_potential& by, const std::vector<double>& densities, std::size_t own,
                 std::vector<double>& slopes);
/// The forces, with the slopes of all atoms, copies too, and with what eam_densities left in `near` for the
/// same positions. The potential is that of pairs.
pair_sums eam_forces(const problem& what, const eam_potential& by, const std::vector<double>& slopes,
                     const neighbour_list& list, const near_pairs& near, atom_store& store);

}  // namespace minimd
