// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace sweep {

/// A direction in an octant, by the magnitudes of its cosines with x, y and z, and its fraction of the
/// sphere.
struct ordinate {
  double mu, eta, xi;
  double weight;
};

/// The directions of one octant. Those of the other octants differ in signs alone, and the weights of all
/// eight sum to 1. They are a product of a Gauss-Legendre quadrature in xi and equal angles around z. There
/// are as many levels as angles on a level if the number allows. Needs at least 1 angle.
std::vector<ordinate> quadrature(std::int64_t angles_per_octant);

inline constexpr int octants = 8;

/// Whether the particles of an octant move to greater x (dimension 0), y or z. Octants are numbered in
/// Sweep3D's order: two that enter at the same corner of x and y follow each other, so the pipeline stays
/// full.
constexpr bool ascends(int octant, int dimension) { return ((octant >> (2 - dimension)) & 1) == 1; }

}  // namespace sweep
