// SPDX-License-Identifier: Apache-2.0
#include "apps/pic/distribution.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace pic {
namespace {

constexpr std::uint64_t multiplier = 6364136223846793005, increment = 1442695040888963407;
constexpr std::uint64_t first_state = 27182818285;

// The charge of a particle in the middle of a cell that moves it by one column in its first step.
double unit_charge() {
  constexpr double squared = 0.5 * 0.5 + 0.5 * 0.5;
  const double cosine = 0.5 / std::sqrt(squared);
  return 1 / (2 * cosine / squared);
}

double distance_around(double from, double to, double length) {
  const double apart = std::abs(from - to);
  return std::min(apart, length - apart);
}

// The place after a whole number of cells in each of `steps` steps, from 0 to before `length`.
double place_after(double from, std::int64_t cells_a_step, std::int64_t steps, std::int64_t length) {
  const std::int64_t shift = (cells_a_step % length) * (steps % length) % length;
  return std::fmod(from + static_cast<double>(shift + length), static_cast<double>(length));
}

}  // namespace

// The affine map of one number, repeated by squaring.
random_numbers::random_numbers(std::uint64_t numbers) : state_(first_state) {
  std::uint64_t factor = multiplier, term = increment;
  for (; numbers > 0; numbers /= 2) {
    if (numbers % 2 != 0) state_ = factor * state_ + term;
    term += factor * term;
    factor *= factor;
  }
}

std::uint64_t random_numbers::next(std::uint64_t bound) {
  state_ = multiplier * state_ + increment;
  return state_ % bound;
}

std::int64_t random_numbers::particles(double mean) {
  if (mean < 1) {
    // One particle, with the probability `mean`. The first number is not used.
    constexpr std::uint64_t whole = std::numeric_limits<std::uint32_t>::max();
    next(whole);
    return next(whole) <= static_cast<std::uint32_t>(mean * static_cast<double>(whole)) ? 1 : 0;
  }
  constexpr std::uint64_t whole = std::numeric_limits<std::uint64_t>::max();
  const double unit = 1 / static_cast<double>(whole);
  const double first = static_cast<double>(next(whole)) * unit;
  const double second = static_cast<double>(next(whole)) * unit;
  const double normal = std::sqrt(-2 * std::log(first)) * std::cos(2 * std::numbers::pi * second);
  return static_cast<std::int64_t>(normal * 0.15 * mean + mean + 0.5);
}

double mean_particles(const problem& posed, std::int64_t column) {
  const auto length = static_cast<double>(posed.grid), x = static_cast<double>(column);
  const auto all = static_cast<double>(posed.particles);
  switch (posed.how) {
    case distribution::geometric: {
      const double rest = posed.attenuation;
      return all * ((1 - rest) / (1 - std::pow(rest, length))) / length * std::pow(rest, x);
    }
    case distribution::sinusoidal: {
      const double wave = std::cos(x * (std::numbers::pi / length));
      return 2 * wave * wave * all / (length * length);
    }
    case distribution::linear: {
      const double step = 1 / length;
      const double shares = posed.offset * length - posed.slope * 0.5 * step * length * (length - 1);
      return all * ((posed.offset - posed.slope * step * x) / shares) / length;
    }
    default: {
      const auto columns = posed.patch.right - posed.patch.left + 1;
      const auto rows = posed.patch.top - posed.patch.bottom + 1;
      return all / static_cast<double>(columns * rows);
    }
  }
}

std::vector<particle> initial_particles(const problem& posed, const rectangle& cells) {
  const auto& in = posed.patch;
  const double charge = static_cast<double>(posed.columns_a_step()) * unit_charge();
  std::vector<particle> all;
  for (std::int64_t x = cells.left; x <= cells.right; ++x) {
    random_numbers dice(2 * static_cast<std::uint64_t>(x * posed.grid + cells.bottom));
    const double mean = mean_particles(posed, x);
    for (std::int64_t y = cells.bottom; y <= cells.top; ++y) {
      std::int64_t count = dice.particles(mean);
      if (posed.how == distribution::patch && (x < in.left || x > in.right || y < in.bottom || y > in.top))
        count = 0;
      particle p{.x = static_cast<double>(x) + 0.5,
                 .y = static_cast<double>(y) + 0.5,
                 .velocity_y = static_cast<double>(posed.m),
                 .charge = corner_charge(x) * charge};
      p.first_x = p.x;
      p.first_y = p.y;
      all.insert(all.end(), static_cast<std::size_t>(count), p);
    }
  }
  return all;
}

bool is_in_place(const problem& posed, const particle& p, std::int64_t steps) {
  constexpr double tolerance = 1e-6;  // the kernel's
  const auto length = static_cast<double>(posed.grid);
  const double x = place_after(p.first_x, posed.columns_a_step(), steps, posed.grid);
  const double y = place_after(p.first_y, posed.m, steps, posed.grid);
  return distance_around(p.x, x, length) <= tolerance && distance_around(p.y, y, length) <= tolerance;
}

}  // namespace pic
