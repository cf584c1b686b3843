// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <imbrex/cells.hpp>
#include <imbrex/gpu.hpp>
#include <imbrex/serial/absent_bytes.hpp>

#include "apps/minimd/communication.hpp"
#include "apps/minimd/device_store.hpp"
#include "apps/minimd/eam.hpp"
#include "apps/minimd/exact.hpp"
#include "apps/minimd/lists.hpp"
#include "apps/minimd/problem.hpp"
#include "apps/minimd/store.hpp"
#include "apps/minimd/sums.hpp"

namespace minimd {

/// The momentum of atoms, over their mass.
struct momentum {
  exact_sum x, y, z;
  std::int64_t atoms = 0;

  momentum operator+(const momentum& other) const {
    return {x + other.x, y + other.y, z + other.z, atoms + other.atoms};
  }
};

/// The angular momentum of atoms about the middle of all, and their tensor of inertia, over their mass.
struct spin {
  std::array<exact_sum, 3> momentum{};
  std::array<exact_sum, 6> inertia{};  ///< xx, yy, zz, xy, xz, yz

  spin operator+(const spin& other) const {
    spin both;
    for (std::size_t i = 0; i < 3; ++i) both.momentum[i] = momentum[i] + other.momentum[i];
    for (std::size_t i = 0; i < 6; ++i) both.inertia[i] = inertia[i] + other.inertia[i];
    return both;
  }
};

/// Values of copies that a block on a device sends to another: three numbers for each position, one for each
/// slope.
struct host_halo {
  imbrex::index<3> from{};
  std::vector<double> values{};
  imbrex::absent_bytes left_out{};  ///< of them, with --no-data
};
struct device_halo {
  imbrex::index<3> from{};
  imbrex::device_buffer<double> values{};
};

/// Where blocks compute.
struct device_use {
  bool is_used = false;  ///< the PE's device
  communication by = communication::host;
};

/// Some of the cells of the box. Atoms lie in the cell set when their lists of neighbours are renewed, and in
/// between in the arrays of a store, on the host or in the PE's device; copies follow their atoms at each
/// step.
class block : public imbrex::chare<block, imbrex::index<3>> {
 public:
  atom_cells cells;
  imbrex::mailbox<host_halo> halos_by_host;
  imbrex::mailbox<device_halo> halos_on_device;

  /// With the atoms of the lattice, unless it computes on a device that keeps no data.
  block(const problem& what, const imbrex::cells::domain<3>& box, const imbrex::grid::decomposition<3>& cut,
        const device_use& use);

  // The initial velocities, of atoms that still lie in the lattice.

  momentum velocities();
  /// Takes away a velocity from all.
  void subtract(const imbrex::cells::point<3>& velocity);
  spin spins();
  /// Takes away a rotation of all about the middle.
  void stop_rotation(const imbrex::cells::point<3>& angular_velocity);
  exact_sum squares();
  void scale(double by);
  void take_random(const random_velocities& what);
  /// Adds what all had before random velocities.
  void add_former();
  void take_equal(const equal_velocities& what);
  void take_ramped(const ramped_velocities& what);
  /// Replaces all atoms: of these it takes its own. The step goes on from there.
  void restart(std::span<const atom> atoms, std::int64_t step);

  /// So many steps. Returns what this block's atoms add up to at the last one.
  imbrex::task<thermo_sums> run(std::int64_t steps);

  /// As they are now.
  std::vector<atom> atoms();

 private:
  /// The position of an atom from the middle of the lattice.
  imbrex::cells::point<3> from_middle(const atom& of) const;
  void change_velocities(const std::function<void(atom&)>& change);
  imbrex::task<> renew();
  imbrex::task<bool> needs_renewal();
  imbrex::task<> refresh();
  imbrex::task<> compute_forces(bool wants_sums);
  imbrex::task<> compute_exact_forces();
  imbrex::task<> refresh_slopes();
  imbrex::task<> give_back_forces();
  imbrex::task<thermo_sums> run_on_device(std::int64_t steps);
  imbrex::task<> renew_on_device();
  imbrex::task<> compute_forces_on_device(bool wants_sums);
  imbrex::task<> exchange_on_device(halo_values what);
  imbrex::task<> exchange_by_host();
  imbrex::task<> exchange_by_messages();
  const halo_part& partner(const imbrex::index<3>& with) const;
  thermo_sums sums() const;
  void fill_store();
  void fill_order();
  void drift();
  void kick();

  problem what_;
  device_use use_;
  std::optional<halo_plan> expected_;  ///< of a device that keeps no data
  std::optional<device_store> device_;
  std::optional<eam_potential> eam_;
  std::vector<cell_row> rows_;
  atom_store store_;
  cell_order order_;
  neighbour_list list_;
  near_pairs near_;
  std::vector<double> densities_, slopes_;
  whole_numbers whole_densities_, whole_forces_;
  pair_sums pairs_;
  std::vector<imbrex::cells::point<3>> former_velocities_;  ///< before random ones that are to be added
  vectors renewed_position_;  ///< of own atoms, where a renewal depends on how far they have moved
  std::int64_t step_ = 0, renewed_at_ = 0;
  std::int64_t exchange_ = 0;  ///< of devices, so far
  bool is_stored_ = false;     ///< the store is ahead of the cells
};

/// The box of a problem with cells for its lists: half as wide as the range, but no narrower than half the
/// lattice constant, and fewer where the box is small.
imbrex::cells::domain<3> box_of(const problem& what);

}  // namespace minimd
