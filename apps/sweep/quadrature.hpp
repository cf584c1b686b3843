// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace sweep {

/// A direction of an octant by the magnitudes of its cosines with x, y and z, and its part of the sphere.
struct ordinate {
  double mu, eta, xi;
  double weight;
};

/// The directions of one octant; the other octants' differ in signs alone, and the weights of all eight sum
/// to 1. A product of a Gauss-Legendre quadrature in xi and equal angles around z, of as many levels as
/// angles on a level where the number allows. At least 1 angle.
std::vector<ordinate> quadrature(std::int64_t angles_per_octant);

inline constexpr int octants = 8;

/// Whether the particles of an octant fly to greater x (dimension 0), y or z. In Sweep3D's order, which is
/// that of the octants' numbers: two that enter at the same corner of x and y follow each other, so the
/// pipeline stays full.
constexpr bool ascends(int octant, int dimension) { return ((octant >> (2 - dimension)) & 1) == 1; }

}  // namespace sweep
