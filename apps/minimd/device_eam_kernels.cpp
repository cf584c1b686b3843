// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/device_eam_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "apps/minimd/message_values.hpp"
#include "apps/minimd/native_eam_kernels.hpp"

using imbrex::device_span;
using imbrex::kernel;
using imbrex::work_size;

namespace minimd {
namespace {

using values = device_span<double>;
using constants = device_span<const double>;
using places = device_span<const std::uint64_t>;
using numbers = device_span<const std::int32_t>;

#if IMBREX_HAS_CUDA
constexpr auto native_pack_slopes = pack_slopes_on_device;
constexpr auto native_unpack_slopes = unpack_slopes_on_device;
constexpr auto native_eam_slopes = eam_slopes_on_device;
constexpr auto native_eam_forces = eam_forces_on_device;
constexpr auto native_eam_forces_and_sums = eam_forces_and_sums_on_device;
#else
constexpr auto native_pack_slopes = nullptr;
constexpr auto native_unpack_slopes = nullptr;
constexpr auto native_eam_slopes = nullptr;
constexpr auto native_eam_forces = nullptr;
constexpr auto native_eam_forces_and_sums = nullptr;
#endif

struct spline_value {
  double value, slope;
};

// Evaluates a spline as the GPU does: the first cubic is used below the first point, and the last value above
// the last point.
spline_value spline_at(constants cubics, const spline_scale& by, double x) {
  const double at = x * by.intervals_in_unit;
  const auto interval = static_cast<std::int32_t>(std::clamp(at, 0.0, static_cast<double>(by.last_interval)));
  const double part = std::min(at - interval, 1.0);
  const double* const c = cubics.data() + 4 * static_cast<std::ptrdiff_t>(interval);
  return {((c[3] * part + c[2]) * part + c[1]) * part + c[0],
          ((3 * c[3] * part + 2 * c[2]) * part + c[1]) * by.intervals_in_unit};
}

// Calls visit(j, between, squared) for each neighbour of atom `i` within the cut-off.
template <class Visit>
void for_each_near(constants positions, places begin, numbers atoms, std::size_t i, double cutoff_squared,
                   Visit visit) {
  const double* const x = positions.data();
  const std::uint64_t end = begin.data()[i / slice + 1];
  for (std::uint64_t k = begin.data()[i / slice] + i % slice; k < end; k += slice) {
    const auto j = static_cast<std::size_t>(atoms.data()[k]);
    double between[3], squared = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      between[d] = x[4 * i + d] - x[4 * j + d];
      squared += between[d] * between[d];
    }
    if (squared < cutoff_squared) visit(j, between, squared);
  }
}

void pack_slopes_on_host(constants slopes, device_span<const halo_source> sources, message_places to) {
  for_each_value(to, 1, [&](std::size_t i, double* at) {
    *at = slopes.data()[static_cast<std::ptrdiff_t>(sources.data()[i].atom)];
  });
}

void unpack_slopes_on_host(message_places from, values copies) {
  for_each_value(from, 1, [&](std::size_t i, const double* at) { copies.data()[i] = *at; });
}

void eam_slopes_on_host(constants positions, places begin, numbers atoms, constants densities,
                        constants embedding, values slopes, values energies, eam_constants by) {
  for (std::size_t i = 0; i < energies.size(); ++i) {
    double density = 0;
    for_each_near(positions, begin, atoms, i, by.cutoff_squared,
                  [&](std::size_t, const double*, double squared) {
                    density += spline_at(densities, by.density, std::sqrt(squared)).value;
                  });
    const spline_value embedded = spline_at(embedding, by.embedding, density);
    slopes.data()[i] = embedded.slope;
    energies.data()[i] = embedded.value;
  }
}

template <bool wants_sums>
void add_forces(constants positions, places begin, numbers atoms, constants slopes, constants energies,
                constants densities, constants pairs, values forces, values sums, const eam_constants& by) {
  for (std::size_t i = 0; i < forces.size() / 4; ++i) {
    double force[3] = {0, 0, 0}, potential = 0, virial = 0;
    for_each_near(positions, begin, atoms, i, by.cutoff_squared,
                  [&](std::size_t j, const double* between, double squared) {
                    const double distance = std::sqrt(squared), inverse = 1 / distance;
                    const spline_value pair = spline_at(pairs, by.pair, distance);
                    const double density_slope = spline_at(densities, by.density, distance).slope;
                    const double energy = pair.value * inverse;
                    const double f = -((slopes.data()[i] + slopes.data()[j]) * density_slope +
                                       pair.slope * inverse - energy * inverse) *
                                     inverse;
                    for (std::size_t d = 0; d < 3; ++d) force[d] += between[d] * f;
                    potential += energy;
                    virial += squared * f;
                  });
    for (std::size_t d = 0; d < 3; ++d) forces.data()[4 * i + d] = force[d];
    forces.data()[4 * i + 3] = 0;
    if constexpr (wants_sums) {
      sums.data()[2 * i] = potential + 2 * energies.data()[i];
      sums.data()[2 * i + 1] = virial;
    }
  }
}

void eam_forces_on_host(constants positions, places begin, numbers atoms, constants slopes,
                        constants densities, constants pairs, values forces, eam_constants by) {
  add_forces<false>(positions, begin, atoms, slopes, {}, densities, pairs, forces, {}, by);
}

void eam_forces_and_sums_on_host(constants positions, places begin, numbers atoms, constants slopes,
                                 constants energies, constants densities, constants pairs, values forces,
                                 values sums, eam_constants by) {
  add_forces<true>(positions, begin, atoms, slopes, energies, densities, pairs, forces, sums, by);
}

work_size pack_slopes_work(constants, device_span<const halo_source> sources, message_places) {
  const auto n = static_cast<double>(sources.size());
  return {.bytes = (sizeof(double) + sizeof(halo_source) + sizeof(double)) * n, .threads = sources.size()};
}

work_size unpack_slopes_work(message_places, values copies) {
  return {.bytes = 2 * static_cast<double>(copies.size_bytes()), .threads = copies.size()};
}

// Cost of a list: each entry costs 8 flops, and `flops_of_near` more within the cut-off, as for four of seven
// entries with miniMD's skin for copper. Splines are assumed to come from caches.
work_size work_of_list(constants positions, places begin, numbers atoms, double flops_of_near) {
  return {.bytes = static_cast<double>(positions.size_bytes() + begin.size_bytes() + atoms.size_bytes()),
          .flops = (8 + flops_of_near * 4.0 / 7) * static_cast<double>(atoms.size())};
}

work_size eam_slopes_work(constants positions, places begin, numbers atoms, constants, constants, values,
                          values energies, eam_constants) {
  work_size work = work_of_list(positions, begin, atoms, 12);
  work.bytes += 2 * static_cast<double>(energies.size_bytes());
  work.threads = energies.size();
  return work;
}

work_size eam_forces_work(constants positions, places begin, numbers atoms, constants slopes, constants,
                          constants, values forces, eam_constants) {
  work_size work = work_of_list(positions, begin, atoms, 40);
  work.bytes += static_cast<double>(slopes.size_bytes() + forces.size_bytes());
  work.threads = forces.size() / 4;
  return work;
}

work_size eam_forces_and_sums_work(constants positions, places begin, numbers atoms, constants slopes,
                                   constants energies, constants densities, constants pairs, values forces,
                                   values sums, eam_constants by) {
  work_size work = eam_forces_work(positions, begin, atoms, slopes, densities, pairs, forces, by);
  work.bytes += static_cast<double>(energies.size_bytes() + sums.size_bytes());
  return work;
}

}  // namespace

constexpr kernel<constants, device_span<const halo_source>, message_places> pack_slopes{
    .name = "pack slopes",
    .native = native_pack_slopes,
    .host = pack_slopes_on_host,
    .work = pack_slopes_work};

constexpr kernel<message_places, values> unpack_slopes{.name = "unpack slopes",
                                                       .native = native_unpack_slopes,
                                                       .host = unpack_slopes_on_host,
                                                       .work = unpack_slopes_work};

constexpr kernel<constants, places, numbers, constants, constants, values, values, eam_constants>
    eam_slopes_of_list{.name = "slopes of embedded atoms",
                       .native = native_eam_slopes,
                       .host = eam_slopes_on_host,
                       .work = eam_slopes_work};

constexpr kernel<constants, places, numbers, constants, constants, constants, values, eam_constants>
    eam_forces_of_list{.name = "forces of embedded atoms",
                       .native = native_eam_forces,
                       .host = eam_forces_on_host,
                       .work = eam_forces_work};

constexpr kernel<constants, places, numbers, constants, constants, constants, constants, values, values,
                 eam_constants>
    eam_forces_and_sums_of_list{.name = "forces of embedded atoms and sums",
                                .native = native_eam_forces_and_sums,
                                .host = eam_forces_and_sums_on_host,
                                .work = eam_forces_and_sums_work};

}  // namespace minimd
