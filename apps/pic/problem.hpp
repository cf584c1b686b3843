// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// The particle-in-cell kernel of the Parallel Research Kernels (E. Georganas, R. F. Van der Wijngaart, T. G.
/// Mattson, "Design and implementation of a parallel research kernel for assessing dynamic load-balancing
/// capabilities", IPDPS 2016). Fixed charges at the corners of square cells, alternating by columns, push
/// particles through a periodic grid. All distances are in cells, all times in steps. The charge of a
/// particle is such that it moves by 2 k + 1 columns and m rows in each step, so its final position is known.
namespace pic {

/// The initial numbers of particles, by the column of cells.
enum class distribution : std::uint8_t { geometric, sinusoidal, linear, patch };
inline constexpr std::array<std::string_view, 4> distribution_names{"geometric", "sinusoidal", "linear",
                                                                    "patch"};

/// A rectangle of cells, its last column and row included.
struct rectangle {
  std::int64_t left = 0, right = 0, bottom = 0, top = 0;
};

struct problem {
  std::int64_t grid = 512;           ///< cells along each side; even
  std::int64_t particles = 400'000;  ///< approximate number
  std::int64_t k = 1, m = 1;         ///< k >= 0
  distribution how = distribution::geometric;
  double attenuation = 0.99;     ///< geometric: each column has this part of the particles of the last one
  double slope = 1, offset = 3;  ///< linear: a column at x, from 0 to 1, has offset - slope x shares
  rectangle patch{};             ///< patch: the cells with particles

  /// Columns by which a particle moves in a step.
  std::int64_t columns_a_step() const { return 2 * k + 1; }
};

struct particle {
  double x = 0, y = 0;
  double velocity_x = 0, velocity_y = 0;
  double charge = 0;
  double first_x = 0, first_y = 0;  ///< initial position
  std::int64_t number = 0;          ///< from 1
};

/// The charge at a corner of cells in that column.
constexpr double corner_charge(std::int64_t column) { return column % 2 == 0 ? 1 : -1; }

}  // namespace pic
