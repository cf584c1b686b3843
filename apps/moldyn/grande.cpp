// SPDX-License-Identifier: Apache-2.0
#include "apps/moldyn/grande.hpp"

#include <cmath>
#include <cstddef>

namespace moldyn {
namespace {

// The benchmark's generator: multiplies by 16807 in two halves, which is not exactly modulo 2^31 - 1.
class generator {
 public:
  double uniform() {
    if (seed_ <= 0) seed_ = 1;
    std::int32_t low = seed_ % 32768;
    std::int32_t high = (seed_ - low) / 32768;
    const std::int32_t product = low * 16807;
    low = product % 32768;
    high = (high * 16807 + (product - low) / 32768) % 65536;
    seed_ = (high * 32768 + low) % 2147483647;
    return 4.656612875e-10 * seed_;
  }

  // Two normally distributed numbers by the polar method.
  void pair(double& first, double& second) {
    double square = 1;
    double x = 0, y = 0;
    while (square >= 1) {
      x = 2 * uniform() - 1;
      y = 2 * uniform() - 1;
      square = x * x + y * y;
    }
    const double length = std::sqrt(-2 * std::log(square) / square);
    first = length * x;
    second = length * y;
  }

 private:
  std::int32_t seed_ = 0;
};

std::vector<atom> lattice(const grande& model) {
  const double a = model.side / model.mm;
  std::vector<atom> all;
  all.reserve(static_cast<std::size_t>(model.atoms));
  const auto add = [&](double x, double y, double z) {
    for (int i = 0; i < model.mm; ++i)
      for (int j = 0; j < model.mm; ++j)
        for (int k = 0; k < model.mm; ++k) {
          atom one;
          one.position = {i * a + x * a * 0.5, j * a + y * a * 0.5, k * a + z * a * 0.5};
          all.push_back(one);
        }
  };
  add(0, 0, 0);
  add(1, 1, 0);
  add(1, 0, 1);
  add(0, 1, 1);
  return all;
}

}  // namespace

grande::grande(int cubes)
    : mm(cubes),
      atoms(std::int64_t{4} * cubes * cubes * cubes),
      side(std::pow(static_cast<double>(atoms) / density, 0.3333333)),
      cutoff(cubes / 4.0),
      temperature_scale(16.0 / (static_cast<double>(atoms) - 1)) {}

std::vector<atom> initial_atoms(const grande& model) {
  auto all = lattice(model);
  generator numbers;
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t i = 0; i + 1 < all.size(); i += 2)
      numbers.pair(all[i].velocity[d], all[i + 1].velocity[d]);
  double sum_of_squares = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    double mean = 0;
    for (const atom& one : all) mean += one.velocity[d];
    mean /= static_cast<double>(all.size());
    for (atom& one : all) {
      one.velocity[d] -= mean;
      sum_of_squares += one.velocity[d] * one.velocity[d];
    }
  }
  const double scale =
      grande::step * std::sqrt(grande::temperature / (model.temperature_scale * sum_of_squares));
  for (atom& one : all)
    for (double& v : one.velocity) v *= scale;
  return all;
}

}  // namespace moldyn
