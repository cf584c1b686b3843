// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/device_eam.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

namespace minimd {
namespace {

spline_scale put(const spline& from, device_array<double>& to, imbrex::stream& by) {
  const std::span<const double> cubics = from.cubics();
  to.resize(cubics.size());
  if (imbrex::gpu().info().keeps_data) std::ranges::copy(cubics, to.host().begin());
  by.copy(to.device(), std::as_const(to).host());
  return {from.intervals_in_unit(), static_cast<std::int32_t>(from.last_interval())};
}

}  // namespace

device_eam::device_eam(const problem& what, imbrex::stream& to_device) {
  const auto potential = eam_potential::of(what.potential);
  constants.cutoff_squared = what.cutoff * what.cutoff;
  constants.embedding = put(potential.embedding, embedding, to_device);
  constants.density = put(potential.density, density, to_device);
  constants.pair = put(potential.pair, pair, to_device);
}

void device_eam::resize(std::size_t own, std::size_t copies) {
  slopes.resize_on_device(own + copies);
  energies.resize_on_device(own);
}

}  // namespace minimd
