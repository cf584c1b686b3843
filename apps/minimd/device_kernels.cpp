// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/device_kernels.hpp"

#include <cstddef>
#include <cstdint>

#include "apps/minimd/message_values.hpp"
#include "apps/minimd/native_kernels.hpp"

using imbrex::device_span;
using imbrex::kernel;
using imbrex::work_size;

namespace minimd {
namespace {

#if IMBREX_HAS_CUDA
constexpr auto native_advance = advance_on_device;
constexpr auto native_kick = kick_on_device;
constexpr auto native_pack = pack_on_device;
constexpr auto native_unpack = unpack_on_device;
constexpr auto native_copy_images = copy_images_on_device;
constexpr auto native_lj_forces = lj_forces_on_device;
constexpr auto native_lj_forces_and_sums = lj_forces_and_sums_on_device;
#else
constexpr auto native_advance = nullptr;
constexpr auto native_kick = nullptr;
constexpr auto native_pack = nullptr;
constexpr auto native_unpack = nullptr;
constexpr auto native_copy_images = nullptr;
constexpr auto native_lj_forces = nullptr;
constexpr auto native_lj_forces_and_sums = nullptr;
#endif

void advance_on_host(device_span<double> positions, device_span<double> velocities,
                     device_span<const double> forces, double by_force, double by_velocity) {
  double *const x = positions.data(), *const v = velocities.data();
  const double* const f = forces.data();
  for (std::size_t k = 0; k < velocities.size(); ++k) {
    v[k] += by_force * f[k];
    x[k] += by_velocity * v[k];
  }
}

void kick_on_host(device_span<double> velocities, device_span<const double> forces, double by_force) {
  double* const v = velocities.data();
  const double* const f = forces.data();
  for (std::size_t k = 0; k < velocities.size(); ++k) v[k] += by_force * f[k];
}

void pack_on_host(device_span<const double> positions, device_span<const halo_source> sources,
                  message_places to, box_lengths box) {
  for_each_value(to, 3, [&](std::size_t i, double* at) {
    const halo_source& s = sources.data()[i];
    for (int d = 0; d < 3; ++d)
      at[d] = positions.data()[4 * std::ptrdiff_t{s.atom} + d] + s.wrap[d] * box.of[d];
  });
}

void unpack_on_host(message_places from, device_span<double> copies) {
  for_each_value(from, 3, [&](std::size_t i, const double* at) {
    for (std::size_t d = 0; d < 3; ++d) copies.data()[4 * i + d] = at[d];
  });
}

void copy_images_on_host(device_span<const double> positions, device_span<const halo_source> sources,
                         device_span<double> copies, box_lengths box) {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const halo_source& s = sources.data()[i];
    for (int d = 0; d < 3; ++d)
      copies.data()[4 * i + static_cast<std::size_t>(d)] =
          positions.data()[4 * std::ptrdiff_t{s.atom} + d] + s.wrap[d] * box.of[d];
  }
}

template <bool wants_sums>
void add_forces(device_span<const double> positions, device_span<const std::uint64_t> begin,
                device_span<const std::int32_t> atoms, device_span<double> forces, device_span<double> sums,
                const lj_constants& by) {
  const double* const x = positions.data();
  for (std::size_t i = 0; i < forces.size() / 4; ++i) {
    double force[3] = {0, 0, 0}, potential = 0, virial = 0;
    const std::uint64_t end = begin.data()[i / slice + 1];
    for (std::uint64_t k = begin.data()[i / slice] + i % slice; k < end; k += slice) {
      const auto j = static_cast<std::size_t>(atoms.data()[k]);
      double between[3], squared = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        between[d] = x[4 * i + d] - x[4 * j + d];
        squared += between[d] * between[d];
      }
      if (!(squared < by.cutoff_squared)) continue;
      const double inverse = 1 / squared, ratio = by.sigma_squared * inverse, sixth = ratio * ratio * ratio;
      const double f = sixth * (sixth - 0.5) * inverse;
      for (std::size_t d = 0; d < 3; ++d) force[d] += between[d] * f;
      if constexpr (wants_sums) {
        potential += sixth * (sixth - 1);
        virial += squared * f;
      }
    }
    for (std::size_t d = 0; d < 3; ++d) forces.data()[4 * i + d] = by.force * force[d];
    forces.data()[4 * i + 3] = 0;
    if constexpr (wants_sums) {
      sums.data()[2 * i] = by.energy * potential;
      sums.data()[2 * i + 1] = by.force * virial;
    }
  }
}

void lj_forces_on_host(device_span<const double> positions, device_span<const std::uint64_t> begin,
                       device_span<const std::int32_t> atoms, device_span<double> forces, lj_constants by) {
  add_forces<false>(positions, begin, atoms, forces, {}, by);
}

void lj_forces_and_sums_on_host(device_span<const double> positions, device_span<const std::uint64_t> begin,
                                device_span<const std::int32_t> atoms, device_span<double> forces,
                                device_span<double> sums, lj_constants by) {
  add_forces<true>(positions, begin, atoms, forces, sums, by);
}

// Work for `atoms` atoms: bytes and flops are for each. Rows of 32 bytes that are read again are assumed to
// come from caches.
work_size work_of(std::size_t atoms, double bytes, double flops) {
  const auto n = static_cast<double>(atoms);
  return {.bytes = bytes * n, .flops = flops * n, .threads = atoms};
}

// Reads and writes velocities and positions, and reads forces.
work_size advance_work(device_span<double>, device_span<double> velocities, device_span<const double>, double,
                       double) {
  return work_of(velocities.size() / 4, 5 * 32, 12);
}

work_size kick_work(device_span<double> velocities, device_span<const double>, double) {
  return work_of(velocities.size() / 4, 3 * 32, 6);
}

work_size pack_work(device_span<const double>, device_span<const halo_source> sources, message_places,
                    box_lengths) {
  return work_of(sources.size(), 32 + sizeof(halo_source) + 24, 6);
}

work_size unpack_work(message_places, device_span<double> copies) {
  return work_of(copies.size() / 4, 24 + 32, 0);
}

work_size copy_images_work(device_span<const double>, device_span<const halo_source> sources,
                           device_span<double>, box_lengths) {
  return work_of(sources.size(), 32 + sizeof(halo_source) + 32, 6);
}

// A pair costs 8 flops for its distance, and 16 more within the cut-off, as for five of seven entries of a
// list with miniMD's skin.
work_size lj_forces_work(device_span<const double> positions, device_span<const std::uint64_t> begin,
                         device_span<const std::int32_t> atoms, device_span<double> forces, lj_constants) {
  return {.bytes = static_cast<double>(positions.size_bytes() + begin.size_bytes() + atoms.size_bytes() +
                                       forces.size_bytes()),
          .flops = (8 + 16 * 5.0 / 7) * static_cast<double>(atoms.size()),
          .threads = forces.size() / 4};
}

work_size lj_forces_and_sums_work(device_span<const double> positions, device_span<const std::uint64_t> begin,
                                  device_span<const std::int32_t> atoms, device_span<double> forces,
                                  device_span<double> sums, lj_constants by) {
  work_size work = lj_forces_work(positions, begin, atoms, forces, by);
  work.bytes += static_cast<double>(sums.size_bytes());
  return work;
}

}  // namespace

constexpr kernel<device_span<double>, device_span<double>, device_span<const double>, double, double>
    advance_atoms{.name = "advance", .native = native_advance, .host = advance_on_host, .work = advance_work};

constexpr kernel<device_span<double>, device_span<const double>, double> kick_velocities{
    .name = "kick", .native = native_kick, .host = kick_on_host, .work = kick_work};

constexpr kernel<device_span<const double>, device_span<const halo_source>, message_places, box_lengths> pack{
    .name = "pack", .native = native_pack, .host = pack_on_host, .work = pack_work};

constexpr kernel<message_places, device_span<double>> unpack{
    .name = "unpack", .native = native_unpack, .host = unpack_on_host, .work = unpack_work};

constexpr kernel<device_span<const double>, device_span<const halo_source>, device_span<double>, box_lengths>
    copy_images{.name = "copy images",
                .native = native_copy_images,
                .host = copy_images_on_host,
                .work = copy_images_work};

constexpr kernel<device_span<const double>, device_span<const std::uint64_t>, device_span<const std::int32_t>,
                 device_span<double>, lj_constants>
    lj_forces_of_list{.name = "Lennard-Jones forces",
                      .native = native_lj_forces,
                      .host = lj_forces_on_host,
                      .work = lj_forces_work};

constexpr kernel<device_span<const double>, device_span<const std::uint64_t>, device_span<const std::int32_t>,
                 device_span<double>, device_span<double>, lj_constants>
    lj_forces_and_sums_of_list{.name = "Lennard-Jones forces and sums",
                               .native = native_lj_forces_and_sums,
                               .host = lj_forces_and_sums_on_host,
                               .work = lj_forces_and_sums_work};

}  // namespace minimd
