// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/velocities.hpp"

#include <array>
#include <variant>

#include <imbrex/error.hpp>

#include "apps/minimd/initial_state.hpp"

namespace minimd {
namespace {

using imbrex::cells::point;

imbrex::task<> stop_momentum(blocks all) {
  const momentum sum = co_await all.reduce<&block::velocities>(imbrex::sum);
  const auto atoms = static_cast<double>(sum.atoms);
  const point<3> mean{sum.x.value() / atoms, sum.y.value() / atoms, sum.z.value() / atoms};
  co_await all.call<&block::subtract>(mean);
}

// Solves inertia * w = angular momentum for the angular velocity w, by Cramer's rule.
point<3> angular_velocity(const spin& of) {
  const auto value = [&](std::size_t i) { return of.inertia[i].value(); };
  const double xx = value(0), yy = value(1), zz = value(2), xy = value(3), xz = value(4), yz = value(5);
  const point<3> l{of.momentum[0].value(), of.momentum[1].value(), of.momentum[2].value()};
  const double a = yy * zz - yz * yz, b = xz * yz - xy * zz, c = xy * yz - xz * yy;
  const double d = xx * zz - xz * xz, e = xy * xz - xx * yz, f = xx * yy - xy * xy;
  const double determinant = xx * a + xy * b + xz * c;
  return {(a * l[0] + b * l[1] + c * l[2]) / determinant, (b * l[0] + d * l[1] + e * l[2]) / determinant,
          (c * l[0] + e * l[1] + f * l[2]) / determinant};
}

imbrex::task<> stop_rotation(blocks all) {
  const spin sum = co_await all.reduce<&block::spins>(imbrex::sum);
  co_await all.call<&block::stop_rotation>(angular_velocity(sum));
}

imbrex::task<> heat(const problem& what, blocks all, double mass, double mass_to_energy, double temperature) {
  const exact_sum squares = co_await all.reduce<&block::squares>(imbrex::sum);
  co_await all.call<&block::scale>(velocity_scale(what, mass, mass_to_energy, squares.value(), temperature));
}

imbrex::task<> change(const problem& what, blocks all, const velocity_change& by) {
  const double mass_to_energy = units::of(what.in).mass_to_energy;
  if (const auto* const random = std::get_if<random_velocities>(&by.what)) {
    co_await all.call<&block::take_random>(*random);
    if (!random->has_momentum) co_await stop_momentum(all);
    if (!random->has_rotation) co_await stop_rotation(all);
    co_await heat(what, all, by.mass, mass_to_energy, random->temperature);
    if (random->adds) co_await all.call<&block::add_former>();
  } else if (const auto* const equal = std::get_if<equal_velocities>(&by.what)) {
    co_await all.call<&block::take_equal>(*equal);
  } else if (const auto* const ramped = std::get_if<ramped_velocities>(&by.what)) {
    co_await all.call<&block::take_ramped>(*ramped);
  } else if (const auto* const scaled = std::get_if<scaled_velocities>(&by.what)) {
    co_await heat(what, all, by.mass, mass_to_energy, scaled->temperature);
  } else if (std::get<stilled_velocities>(by.what).is_angular) {
    co_await stop_rotation(all);
  } else {
    co_await stop_momentum(all);
  }
}

}  // namespace

imbrex::task<> make_velocities(const problem& what, blocks all) {
  for (const velocity_change& by : what.velocities) co_await change(what, all, by);
  if (!what.velocities.empty()) co_return;
  co_await stop_momentum(all);
  co_await heat(what, all, what.mass, mass_to_energy_of_minimd(what.in), what.temperature);
}

}  // namespace minimd
