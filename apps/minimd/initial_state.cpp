// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/initial_state.hpp"

#include <cmath>

namespace minimd {
namespace {

// Park and Miller's generator, by Schrage's method.
class generator {
 public:
  explicit generator(std::int64_t seed) : state_(seed % modulus == 0 ? 1 : seed % modulus) {}

  double sixth() {
    for (int i = 0; i < 6; ++i) state_ = state_ * 16807 % modulus;
    return static_cast<double>(state_) * (1.0 / modulus);
  }

 private:
  static constexpr std::int64_t modulus = 2147483647;
  std::int64_t state_;
};

}  // namespace

void for_each_site(const problem& what, const imbrex::index<3>& from, const imbrex::index<3>& to,
                   const std::function<void(const atom&)>& visit) {
  const double half = 0.5 * what.constant();
  const std::int64_t columns = std::int64_t{2} * what.lattice[0], rows = std::int64_t{2} * what.lattice[1];
  for (int k = from[2]; k < to[2]; ++k)
    for (int j = from[1]; j < to[1]; ++j)
      for (int i = from[0]; i < to[0]; ++i) {
        if ((i + j + k) % 2 != 0) continue;
        const std::int64_t site = (k * rows + j) * columns + i;
        generator numbers(site + 1);
        atom a;
        a.position = {half * i, half * j, half * k};
        for (double& v : a.velocity) v = numbers.sixth();
        a.id = site / 2;
        visit(a);
      }
}

double velocity_scale(const problem& what, double sum_of_squares) {
  const units in = units::of(what.in);
  const double mass_to_energy = what.in == unit_system::metal ? 1.036427e-4 : in.mass_to_energy;
  const double now = sum_of_squares * what.mass * mass_to_energy /
                     (3 * static_cast<double>(what.atoms()) - 3) / in.boltzmann;
  return now > 0 ? std::sqrt(what.temperature / now) : 0;
}

}  // namespace minimd
