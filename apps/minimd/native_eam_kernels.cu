// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/native_eam_kernels.hpp"
#include "apps/minimd/native_rows.hpp"

namespace minimd {
namespace {

struct spline_value {
  double value, slope;
};

// Evaluates a spline at x: the first cubic is used below the first point, and the last value above the last
// point.
__device__ inline spline_value spline_at(const double* __restrict__ cubics, const spline_scale& by,
                                         double x) {
  const double at = x * by.intervals_in_unit;
  const int interval = max(0, min(int(at), by.last_interval));
  const double part = fmin(at - interval, 1.0);
  const double2* const of = reinterpret_cast<const double2*>(cubics + 4 * interval);
  const double2 low = of[0], high = of[1];
  return {((high.y * part + high.x) * part + low.y) * part + low.x,
          ((3 * high.y * part + 2 * high.x) * part + low.y) * by.intervals_in_unit};
}

// Reads slopes of own atoms. For images, `to` points into the same array after them, so `slopes` is not
// __restrict__.
__global__ void __launch_bounds__(threads_of_block)
    pack_slopes_kernel(const double* slopes, const halo_source* __restrict__ sources, message_places to,
                       std::int64_t count) {
  const std::int64_t i = own_number();
  if (i < count) *place_of<1>(to, i) = slopes[sources[i].atom];
}

__global__ void __launch_bounds__(threads_of_block)
    unpack_slopes_kernel(message_places from, double* __restrict__ copies, std::int64_t count) {
  const std::int64_t i = own_number();
  if (i < count) copies[i] = *place_of<1>(from, i);
}

__global__ void __launch_bounds__(threads_of_block)
    eam_slopes_kernel(const double* __restrict__ positions, const std::uint64_t* __restrict__ begin,
                      const std::int32_t* __restrict__ atoms, const double* __restrict__ densities,
                      const double* __restrict__ embedding, double* __restrict__ slopes,
                      double* __restrict__ energies, std::int64_t own, eam_constants by) {
  const std::int64_t i = own_number();
  if (i >= own) return;
  const row here = load(positions, i);
  double density = 0;
  const std::int64_t in = i / std::int64_t(slice);
  const std::uint64_t end = begin[in + 1];
  for (std::uint64_t k = begin[in] + std::uint64_t(i) % slice; k < end; k += slice) {
    const row other = load(positions, atoms[k]);
    const double x = here.x - other.x, y = here.y - other.y, z = here.z - other.z;
    const double squared = x * x + y * y + z * z;
    if (squared < by.cutoff_squared) density += spline_at(densities, by.density, sqrt(squared)).value;
  }
  const spline_value embedded = spline_at(embedding, by.embedding, density);
  slopes[i] = embedded.slope;
  energies[i] = embedded.value;
}

template <bool wants_sums>
__device__ inline void add_forces(const double* __restrict__ positions,
                                  const std::uint64_t* __restrict__ begin,
                                  const std::int32_t* __restrict__ atoms, const double* __restrict__ slopes,
                                  const double* __restrict__ energies, const double* __restrict__ densities,
                                  const double* __restrict__ pairs, double* __restrict__ forces,
                                  double* __restrict__ sums, std::int64_t own, const eam_constants& by) {
  const std::int64_t i = own_number();
  if (i >= own) return;
  const row here = load(positions, i);
  const double own_slope = slopes[i];
  row force = {0, 0, 0};
  double potential = 0, virial = 0;
  const std::int64_t in = i / std::int64_t(slice);
  const std::uint64_t end = begin[in + 1];
  for (std::uint64_t k = begin[in] + std::uint64_t(i) % slice; k < end; k += slice) {
    const std::int32_t j = atoms[k];
    const row other = load(positions, j);
    const double x = here.x - other.x, y = here.y - other.y, z = here.z - other.z;
    const double squared = x * x + y * y + z * z;
    if (squared >= by.cutoff_squared) continue;
    const double distance = sqrt(squared), inverse = 1 / distance;
    const spline_value pair = spline_at(pairs, by.pair, distance);
    const double density_slope = spline_at(densities, by.density, distance).slope;
    const double energy = pair.value * inverse;
    const double f =
        -((own_slope + slopes[j]) * density_slope + pair.slope * inverse - energy * inverse) * inverse;
    force = {force.x + x * f, force.y + y * f, force.z + z * f};
    if (wants_sums) {
      potential += energy;
      virial += squared * f;
    }
  }
  store(forces, i, force);
  if (!wants_sums) return;
  sums[2 * i] = potential + 2 * energies[i];
  sums[2 * i + 1] = virial;
}

__global__ void __launch_bounds__(threads_of_block)
    eam_forces_kernel(const double* __restrict__ positions, const std::uint64_t* __restrict__ begin,
                      const std::int32_t* __restrict__ atoms, const double* __restrict__ slopes,
                      const double* __restrict__ densities, const double* __restrict__ pairs,
                      double* __restrict__ forces, std::int64_t own, eam_constants by) {
  add_forces<false>(positions, begin, atoms, slopes, nullptr, densities, pairs, forces, nullptr, own, by);
}

__global__ void __launch_bounds__(threads_of_block)
    eam_forces_and_sums_kernel(const double* __restrict__ positions, const std::uint64_t* __restrict__ begin,
                               const std::int32_t* __restrict__ atoms, const double* __restrict__ slopes,
                               const double* __restrict__ energies, const double* __restrict__ densities,
                               const double* __restrict__ pairs, double* __restrict__ forces,
                               double* __restrict__ sums, std::int64_t own, eam_constants by) {
  add_forces<true>(positions, begin, atoms, slopes, energies, densities, pairs, forces, sums, own, by);
}

}  // namespace

using imbrex::device_span;
using imbrex::native_stream;

void pack_slopes_on_device(native_stream on, device_span<const double> slopes,
                           device_span<const halo_source> sources, message_places to) {
  if (sources.empty()) return;
  pack_slopes_kernel<<<blocks_for(sources.size()), threads_of_block, 0, static_cast<gpu_stream>(on.handle)>>>(
      slopes.data(), sources.data(), to, std::int64_t(sources.size()));
}

void unpack_slopes_on_device(native_stream on, message_places from, device_span<double> copies) {
  if (copies.empty()) return;
  unpack_slopes_kernel<<<blocks_for(copies.size()), threads_of_block, 0,
                         static_cast<gpu_stream>(on.handle)>>>(from, copies.data(),
                                                               std::int64_t(copies.size()));
}

void eam_slopes_on_device(native_stream on, device_span<const double> positions,
                          device_span<const std::uint64_t> begin, device_span<const std::int32_t> atoms,
                          device_span<const double> densities, device_span<const double> embedding,
                          device_span<double> slopes, device_span<double> energies, eam_constants by) {
  const std::size_t own = energies.size();
  if (own == 0) return;
  eam_slopes_kernel<<<blocks_for(own), threads_of_block, 0, static_cast<gpu_stream>(on.handle)>>>(
      positions.data(), begin.data(), atoms.data(), densities.data(), embedding.data(), slopes.data(),
      energies.data(), std::int64_t(own), by);
}

void eam_forces_on_device(native_stream on, device_span<const double> positions,
                          device_span<const std::uint64_t> begin, device_span<const std::int32_t> atoms,
                          device_span<const double> slopes, device_span<const double> densities,
                          device_span<const double> pairs, device_span<double> forces, eam_constants by) {
  const std::size_t own = forces.size() / 4;
  if (own == 0) return;
  eam_forces_kernel<<<blocks_for(own), threads_of_block, 0, static_cast<gpu_stream>(on.handle)>>>(
      positions.data(), begin.data(), atoms.data(), slopes.data(), densities.data(), pairs.data(),
      forces.data(), std::int64_t(own), by);
}

void eam_forces_and_sums_on_device(native_stream on, device_span<const double> positions,
                                   device_span<const std::uint64_t> begin,
                                   device_span<const std::int32_t> atoms, device_span<const double> slopes,
                                   device_span<const double> energies, device_span<const double> densities,
                                   device_span<const double> pairs, device_span<double> forces,
                                   device_span<double> sums, eam_constants by) {
  const std::size_t own = forces.size() / 4;
  if (own == 0) return;
  eam_forces_and_sums_kernel<<<blocks_for(own), threads_of_block, 0, static_cast<gpu_stream>(on.handle)>>>(
      positions.data(), begin.data(), atoms.data(), slopes.data(), energies.data(), densities.data(),
      pairs.data(), forces.data(), sums.data(), std::int64_t(own), by);
}

}  // namespace minimd
