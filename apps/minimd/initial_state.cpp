// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/initial_state.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace minimd {
namespace {

// Park and Miller's generator.
constexpr std::int64_t modulus = 2147483647;
constexpr std::int64_t multiplier = 16807;

std::int64_t first_state(std::int64_t seed) { return seed % modulus == 0 ? 1 : seed % modulus; }

/// The state after `numbers` more numbers.
std::int64_t state_after(std::int64_t state, std::int64_t numbers) {
  std::int64_t power = multiplier;
  for (; numbers > 0; numbers /= 2) {
    if (numbers % 2 != 0) state = state * power % modulus;
    power = power * power % modulus;
  }
  return state;
}

double number_of(std::int64_t state) { return static_cast<double>(state) * (1.0 / modulus); }

// LAMMPS's seed for a position, bit by bit: Jenkins's one-at-a-time hash of the bytes of both.
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
  const double half = 0.5 * what.cell.constant();
  const std::int64_t columns = std::int64_t{2} * what.lattice[0], rows = std::int64_t{2} * what.lattice[1];
  for (int k = from[2]; k < to[2]; ++k)
    for (int j = from[1]; j < to[1]; ++j)
      for (int i = from[0]; i < to[0]; ++i) {
        if ((i + j + k) % 2 != 0 || !what.has_atom_at({i, j, k})) continue;
        const std::int64_t site = (k * rows + j) * columns + i;
        atom a;
        a.position = {half * i, half * j, half * k};
        if (what.velocities.empty()) {
          std::int64_t state = first_state(site + 1);
          for (double& v : a.velocity) {
            state = state_after(state, 6);
            v = number_of(state);
          }
        }
        a.id = site / 2;
        visit(a);
      }
}

std::int64_t number_in_cells(const problem& what, std::int64_t id) {
  const std::int64_t columns = std::int64_t{2} * what.lattice[0], rows = std::int64_t{2} * what.lattice[1];
  // One of two adjacent sites has an even sum.
  const std::int64_t y = 2 * id / columns % rows, z = 2 * id / columns / rows;
  const std::int64_t x = 2 * id % columns + (y + z) % 2;
  const std::int64_t cell = (z / 2 * what.lattice[1] + y / 2) * what.lattice[0] + x / 2;
  // Atoms of a cell: the corner, then the centres of the faces across z, across y and across x.
  const std::int64_t atom_of_cell = z % 2 != 0 ? (x % 2 != 0 ? 2 : 3) : (x % 2 != 0 ? 1 : 0);
  return 4 * cell + atom_of_cell;
}

velocity_numbers::velocity_numbers(const random_velocities& what)
    : what_(what),
      state_(state_after(first_state(what.seed), what.source == number_source::warmed_row ? 100 : 0)) {}

imbrex::cells::point<3> velocity_numbers::of(std::int64_t number, const imbrex::cells::point<3>& position) {
  if (what_.source == number_source::position) {
    state_ = state_after(first_state(seed_of(what_.seed, position)), 5);
    kept_.reset();
  } else if (!what_.is_gaussian) {
    state_ = state_after(state_, 3 * (number - next_));
  } else {
    for (; next_ < number; ++next_)
      for (int d = 0; d < 3; ++d) normal();
  }
  next_ = number + 1;
  imbrex::cells::point<3> velocity;
  for (double& v : velocity) v = what_.is_gaussian ? normal() : uniform() - 0.5;
  return velocity;
}

double velocity_numbers::uniform() {
  state_ = state_after(state_, 1);
  return minimd::number_of(state_);
}

// Marsaglia's polar method, which yields two numbers at a time.
double velocity_numbers::normal() {
  if (kept_) {
    const double kept = *kept_;
    kept_.reset();
    return kept;
  }
  for (;;) {
    const double first = 2 * uniform() - 1, second = 2 * uniform() - 1;
    const double square = first * first + second * second;
    if (square >= 1 || square == 0) continue;
    const double by = std::sqrt(-2 * std::log(square) / square);
    kept_ = first * by;
    return second * by;
  }
}

double velocity_scale(const problem& what, double mass, double mass_to_energy, double sum_of_squares,
                      double temperature) {
  const double now = sum_of_squares * mass * mass_to_energy / (3 * static_cast<double>(what.atoms()) - 3) /
                     units::of(what.in).boltzmann;
  return now > 0 ? std::sqrt(temperature / now) : 0;
}

double mass_to_energy_of_minimd(unit_system in) {
  return in == unit_system::metal ? 1.036427e-4 : units::of(in).mass_to_energy;
}

}  // namespace minimd
