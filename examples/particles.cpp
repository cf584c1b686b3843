// SPDX-License-Identifier: Apache-2.0
// Particles in cells (PIC) as in the Parallel Research Kernels. Charges stand on the corners of cells, + and
// - column by column, and pull particles. The particles' charges make each fly 2 k + 1 cells a step in x and
// m in y, so all final positions are known. Each chare has some columns of cells, and a particle moves to the
// chare of its current column. Shows: exchange of many values among chares.
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include <imbrex/imbrex.hpp>

#include "arguments.hpp"

using index1 = imbrex::index<1>;

struct particle {
  int number = 0;
  double x = 0, y = 0;
  double x_speed = 0, y_speed = 0;
  double charge = 0;
};

namespace {

/// The force in x of a cell's four corners on a charge in its middle line, `x` from the left side.
double force(int column, double x, double y, double charge) {
  const double sign = column % 2 == 0 ? 1 : -1;  // sign of the charges on the left side; + pulls, - pushes
  const auto of_corner = [&](double dx, double dy, double q) {
    return charge * q * dx / std::pow(dx * dx + dy * dy, 1.5);
  };
  return of_corner(x, y, sign) + of_corner(x, 1 - y, sign) + of_corner(x - 1, y, -sign) +
         of_corner(x - 1, 1 - y, -sign);
}

}  // namespace

class columns : public imbrex::chare<columns> {
 public:
  columns(int side, int k, int m) : side_(side), k_(k), m_(m) {
    const int chares = peers().shape()[0];
    for (int column = where()[0]; column < side; column += chares)
      for (int row = 0; row < side; ++row) {
        particle p{column * side + row, column + 0.5, row + 0.5, 0, double(m), 0};
        // From rest it moves half as far as the force, and the next column's force stops it.
        p.charge = (column % 2 == 0 ? 1 : -1) * 2 * (2 * k + 1) / std::fabs(force(0, 0.5, 0.5, 1));
        if (force(column, 0.5, 0.5, p.charge) < 0) p.charge = -p.charge;
        particles_.push_back(p);
      }
  }

  /// The number of particles with correct positions after these steps.
  imbrex::task<int> run(int steps) {
    for (int step = 0; step < steps; ++step) {
      std::vector<std::pair<index1, particle>> leaving;
      for (auto& p : particles_) {
        const int column = static_cast<int>(p.x);
        const double pull = force(column, p.x - column, p.y - std::floor(p.y), p.charge);
        p.x = std::fmod(p.x + p.x_speed + pull / 2 + side_, side_);
        p.y = std::fmod(p.y + p.y_speed, side_);
        p.x_speed += pull;
        leaving.emplace_back(index1(static_cast<int>(p.x) % peers().shape()[0]), p);
      }
      const auto arrived = co_await imbrex::exchange(*this, std::move(leaving));
      particles_.clear();
      for (const auto& [from, p] : arrived) particles_.push_back(p);
    }
    int right = 0;
    for (const auto& p : particles_) right += is_right(p, steps) ? 1 : 0;
    co_return right;
  }

 private:
  bool is_right(const particle& p, int steps) const {
    const auto place = [&](int first, long moved) { return (first + moved) % side_ + 0.5; };
    return std::fabs(p.x - place(p.number / side_, long{steps} * (2 * k_ + 1))) < 1e-5 &&
           std::fabs(p.y - place(p.number % side_, long{steps} * m_)) < 1e-5;
  }

  int side_, k_, m_;
  std::vector<particle> particles_;
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    arguments command_line(argc, argv, "particles [CELLS_A_SIDE [CHARES [STEPS]]]");
    const int side = command_line.next("CELLS_A_SIDE", 30, 10'000);
    const int chares = command_line.next("CHARES", 8, 1'000);
    const int steps = command_line.next("STEPS", 20, 1'000);
    command_line.finish();
    if (side % 2 != 0) throw imbrex::usage_error("CELLS_A_SIDE must be even: columns alternate");

    const auto all = imbrex::make_array<columns>(chares, side, 1, 2);
    const int right = co_await all.reduce<&columns::run>(imbrex::sum, steps);
    std::printf("%d particles of %d are where they must be\n", right, side * side);
    co_return right == side* side ? 0 : 1;
  });
}
