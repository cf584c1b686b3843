// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/native_kernels.hpp"

#include "apps/minimd/native_rows.hpp"

namespace minimd {
namespace {

__device__ inline row seen(const double* positions, const halo_source& source, const box_lengths& box) {
  const row r = load(positions, source.atom);
  return {r.x + source.wrap[0] * box.of[0], r.y + source.wrap[1] * box.of[1],
          r.z + source.wrap[2] * box.of[2]};
}

__global__ void __launch_bounds__(threads_of_block)
    advance_kernel(double* __restrict__ positions, double* __restrict__ velocities,
                   const double* __restrict__ forces, std::int64_t atoms, double kick, double drift) {
  const std::int64_t i = own_number();
  if (i >= atoms) return;
  const row f = load(forces, i);
  row v = load(velocities, i), x = load(positions, i);
  v = {v.x + kick * f.x, v.y + kick * f.y, v.z + kick * f.z};
  x = {x.x + drift * v.x, x.y + drift * v.y, x.z + drift * v.z};
  store(velocities, i, v);
  store(positions, i, x);
}

__global__ void __launch_bounds__(threads_of_block)
    kick_kernel(double* __restrict__ velocities, const double* __restrict__ forces, std::int64_t atoms,
                double kick) {
  const std::int64_t i = own_number();
  if (i >= atoms) return;
  const row f = load(forces, i), v = load(velocities, i);
  store(velocities, i, {v.x + kick * f.x, v.y + kick * f.y, v.z + kick * f.z});
}

__global__ void __launch_bounds__(threads_of_block)
    pack_kernel(const double* __restrict__ positions, const halo_source* __restrict__ sources,
                message_places to, std::int64_t count, box_lengths box) {
  const std::int64_t i = own_number();
  if (i >= count) return;
  const row r = seen(positions, sources[i], box);
  double* const at = place_of<3>(to, i);
  at[0] = r.x;
  at[1] = r.y;
  at[2] = r.z;
}

__global__ void __launch_bounds__(threads_of_block)
    unpack_kernel(message_places from, double* __restrict__ copies, std::int64_t count) {
  const std::int64_t i = own_number();
  if (i >= count) return;
  const double* const at = place_of<3>(from, i);
  store(copies, i, {at[0], at[1], at[2]});
}

// Reads positions of own atoms and writes those of copies in the same array, so neither pointer is
// __restrict__.
__global__ void __launch_bounds__(threads_of_block)
    copy_images_kernel(const double* positions, const halo_source* __restrict__ sources, double* copies,
                       std::int64_t count, box_lengths box) {
  const std::int64_t i = own_number();
  if (i < count) store(copies, i, seen(positions, sources[i], box));
}

template <bool wants_sums>
__device__ inline void add_forces(const double* __restrict__ positions,
                                  const std::uint64_t* __restrict__ begin,
                                  const std::int32_t* __restrict__ atoms, double* __restrict__ forces,
                                  double* __restrict__ sums, std::int64_t own, const lj_constants& by) {
  const std::int64_t i = own_number();
  if (i >= own) return;
  const row here = load(positions, i);
  row force = {0, 0, 0};
  double potential = 0, virial = 0;
  const std::int64_t in = i / std::int64_t(slice);
  const std::uint64_t end = begin[in + 1];
  for (std::uint64_t k = begin[in] + std::uint64_t(i) % slice; k < end; k += slice) {
    const row other = load(positions, atoms[k]);
    const double x = here.x - other.x, y = here.y - other.y, z = here.z - other.z;
    const double squared = x * x + y * y + z * z;
    if (squared >= by.cutoff_squared) continue;
    const double inverse = 1 / squared, ratio = by.sigma_squared * inverse, sixth = ratio * ratio * ratio;
    const double f = sixth * (sixth - 0.5) * inverse;
    force = {force.x + x * f, force.y + y * f, force.z + z * f};
    if (wants_sums) {
      potential += sixth * (sixth - 1);
      virial += squared * f;
    }
  }
  store(forces, i, {by.force * force.x, by.force * force.y, by.force * force.z});
  if (!wants_sums) return;
  sums[2 * i] = by.energy * potential;
  sums[2 * i + 1] = by.force * virial;
}

__global__ void __launch_bounds__(threads_of_block)
    lj_forces_kernel(const double* __restrict__ positions, const std::uint64_t* __restrict__ begin,
                     const std::int32_t* __restrict__ atoms, double* __restrict__ forces, std::int64_t own,
                     lj_constants by) {
  add_forces<false>(positions, begin, atoms, forces, nullptr, own, by);
}

__global__ void __launch_bounds__(threads_of_block)
    lj_forces_and_sums_kernel(const double* __restrict__ positions, const std::uint64_t* __restrict__ begin,
                              const std::int32_t* __restrict__ atoms, double* __restrict__ forces,
                              double* __restrict__ sums, std::int64_t own, lj_constants by) {
  add_forces<true>(positions, begin, atoms, forces, sums, own, by);
}

}  // namespace

using imbrex::device_span;
using imbrex::native_stream;

void advance_on_device(native_stream on, device_span<double> positions, device_span<double> velocities,
                       device_span<const double> forces, double kick, double drift) {
  const std::size_t atoms = velocities.size() / 4;
  if (atoms == 0) return;
  advance_kernel<<<blocks_for(atoms), threads_of_block, 0, static_cast<gpu_stream>(on.handle)>>>(
      positions.data(), velocities.data(), forces.data(), std::int64_t(atoms), kick, drift);
}

void kick_on_device(native_stream on, device_span<double> velocities, device_span<const double> forces,
                    double kick) {
  const std::size_t atoms = velocities.size() / 4;
  if (atoms == 0) return;
  kick_kernel<<<blocks_for(atoms), threads_of_block, 0, static_cast<gpu_stream>(on.handle)>>>(
      velocities.data(), forces.data(), std::int64_t(atoms), kick);
}

void pack_on_device(native_stream on, device_span<const double> positions,
                    device_span<const halo_source> sources, message_places to, box_lengths box) {
  if (sources.empty()) return;
  pack_kernel<<<blocks_for(sources.size()), threads_of_block, 0, static_cast<gpu_stream>(on.handle)>>>(
      positions.data(), sources.data(), to, std::int64_t(sources.size()), box);
}

void unpack_on_device(native_stream on, message_places from, device_span<double> copies) {
  const std::size_t count = copies.size() / 4;
  if (count == 0) return;
  unpack_kernel<<<blocks_for(count), threads_of_block, 0, static_cast<gpu_stream>(on.handle)>>>(
      from, copies.data(), std::int64_t(count));
}

void copy_images_on_device(native_stream on, device_span<const double> positions,
                           device_span<const halo_source> sources, device_span<double> copies,
                           box_lengths box) {
  if (sources.empty()) return;
  copy_images_kernel<<<blocks_for(sources.size()), threads_of_block, 0, static_cast<gpu_stream>(on.handle)>>>(
      positions.data(), sources.data(), copies.data(), std::int64_t(sources.size()), box);
}

void lj_forces_on_device(native_stream on, device_span<const double> positions,
                         device_span<const std::uint64_t> begin, device_span<const std::int32_t> atoms,
                         device_span<double> forces, lj_constants by) {
  const std::size_t own = forces.size() / 4;
  if (own == 0) return;
  lj_forces_kernel<<<blocks_for(own), threads_of_block, 0, static_cast<gpu_stream>(on.handle)>>>(
      positions.data(), begin.data(), atoms.data(), forces.data(), std::int64_t(own), by);
}

void lj_forces_and_sums_on_device(native_stream on, device_span<const double> positions,
                                  device_span<const std::uint64_t> begin,
                                  device_span<const std::int32_t> atoms, device_span<double> forces,
                                  device_span<double> sums, lj_constants by) {
  const std::size_t own = forces.size() / 4;
  if (own == 0) return;
  lj_forces_and_sums_kernel<<<blocks_for(own), threads_of_block, 0, static_cast<gpu_stream>(on.handle)>>>(
      positions.data(), begin.data(), atoms.data(), forces.data(), sums.data(), std::int64_t(own), by);
}

}  // namespace minimd
