// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/initial_state.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace minimd {
namespace {

// Park and Miller's generator, by Schrage's method.
class generator {
 public:
  explicit generator(std::int64_t seed) : state_(seed % modulus == 0 ? 1 : seed % modulus) {}

  double next() {
    state_ = state_ * 16807 % modulus;
    return static_cast<double>(state_) * (1.0 / modulus);
  }
  void skip(int numbers) {
    for (int i = 0; i < numbers; ++i) next();
  }

 private:
  static constexpr std::int64_t modulus = 2147483647;
  std::int64_t state_;
};

// What LAMMPS makes of a seed and a position, bit by bit: Jenkins's one-at-a-time hash of their bytes.
std::int64_t seed_of(std::int32_t seed, const imbrex::cells::point<3>& position) {
  std::uint32_t hash = 0;
  const auto add = [&hash](const void* what, std::size_t size) {
    const auto* const bytes = static_cast<const signed char*>(what);
    for (std::size_t i = 0; i < size; ++i) {
      hash += static_cast<std::uint32_t>(std::int32_t{bytes[i]});
      hash += hash << 10U;
      hash ^= hash >> 6U;
    }
  };
  add(&seed, sizeof seed);
  add(position.data(), sizeof position);
  hash += hash << 3U;
  hash ^= hash >> 11U;
  hash += hash << 15U;
  return hash & 0x7ffffffU;
}

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
        atom a;
        a.position = {half * i, half * j, half * k};
        const bool is_of_lammps = what.velocity_seed != 0;
        generator numbers(is_of_lammps ? seed_of(what.velocity_seed, a.position) : site + 1);
        if (is_of_lammps) numbers.skip(5);
        for (double& v : a.velocity) {
          if (!is_of_lammps) numbers.skip(5);
          v = numbers.next();
        }
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
