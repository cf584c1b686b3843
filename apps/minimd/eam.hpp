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

/// A tabulated function, interpolated by cubics whose slopes are of fourth order, as in LAMMPS.
class spline {
 public:
  spline() = default;
  /// `values` at 0, step, 2 step, ...; at least 5.
  spline(const std::vector<double>& values, double step);

  struct result {
    double value, slope;
  };
  /// Value and slope at x >= 0; above the last point, those of the last point.
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
  // Access for vectorised loops and devices.

  std::span<const double> cubics() const { return coefficients_; }
  double intervals_in_unit() const { return inverse_step_; }
  std::size_t last_interval() const { return last_; }

 private:
  vectors coefficients_;  ///< four for each interval: powers 0 to 3 of the fraction in it
  double inverse_step_ = 0;
  std::size_t last_ = 0;
};

/// The energy and the force of a pair of atoms.
struct eam_pair {
  double energy;
  double force;  ///< divided by the distance
};

/// An embedded-atom potential of one element.
struct eam_potential {
  double mass = 0;
  double cutoff = 0;
  spline embedding;  ///< energy by density
  spline density;    ///< density by distance
  spline pair;       ///< distance times pair energy, by distance
  /// The cubics of `density` and of `pair` interleaved: eight numbers for each interval. The two have the
  /// same steps.
  vectors by_distance;

  /// Reads the text of a file in DYNAMO's format "funcfl". Throws imbrex::usage_error with the file and the
  /// faulty line.
  static eam_potential of(const std::string& text, const std::string& file = "the potential");

  /// Energy and force of a pair at `distance`; `slopes` is the sum of the two slopes of embedding energy.
  eam_pair pair_at(double distance, double slopes) const {
    const double inverse = 1 / distance;
    const auto [product, product_slope] = pair(distance);
    const double energy = product * inverse;
    const double energy_slope = product_slope * inverse - energy * inverse;
    return {energy, -(slopes * density(distance).slope + energy_slope) * inverse};
  }
};

/// The pairs of the lists within the cut-off; lists contain more by the skin.
struct near_pairs {
  neighbour_list list;
  std::vector<double> distances;  ///< for each entry of the list
};

/// Computes the densities at own atoms; if pairs are computed once, also their part at copies. Vectorised
/// loops store the pairs within the cut-off in `near`.
void eam_densities(const problem& what, const eam_potential& by, const atom_store& store,
                   const neighbour_list& list, near_pairs& near, std::vector<double>& densities);
/// Computes the slopes of the embedding energy of own atoms; `slopes` has room for copies and for the
/// far-away atom. Returns the sum of these energies.
double eam_embed(const eam_potential& by, const std::vector<double>& densities, std::size_t own,
                 std::vector<double>& slopes);
/// Computes the forces from the slopes of all atoms, copies included. `near` must come from eam_densities at
/// the same positions. The returned potential is that of pairs only.
pair_sums eam_forces(const problem& what, const eam_potential& by, const std::vector<double>& slopes,
                     const neighbour_list& list, const near_pairs& near, atom_store& store);

}  // namespace minimd
