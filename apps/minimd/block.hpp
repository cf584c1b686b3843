// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
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

/// The momentum of atoms divided by the mass of one atom.
struct momentum {
  exact_sum x, y, z;
  std::int64_t atoms = 0;

  momentum operator+(const momentum& other) const {
    return {x + other.x, y + other.y, z + other.z, atoms + other.atoms};
  }
};

/// The angular momentum of atoms about the middle of the lattice, and their tensor of inertia; both divided
/// by the mass of one atom.
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

/// Values for copies that a block on a device sends to another block: three numbers a position, one a slope.
struct host_halo {
  imbrex::index<3> from{};
  std::vector<double> values{};
  imbrex::absent_bytes left_out{};  ///< stands for the values with --no-data
};
struct device_halo {
  imbrex::index<3> from{};
  imbrex::device_buffer<double> values{};
};

/// Where blocks compute.
struct device_use {
  bool is_used = false;  ///< on the PE's device
  communication by = communication::host;
};

/// A block of the box's cells. Atoms lie in the cell set when neighbour lists are renewed. Between renewals
/// they lie in the arrays of a store, on the host or on the PE's device. Copies are updated from their atoms
/// at each step. When lists have been renewed, a block on a host may migrate;
/// one on a device stays.
class block : public imbrex::chare<block, imbrex::index<3>> {
 public:
  atom_cells cells;
  imbrex::mailbox<host_halo> halos_by_host;
  imbrex::mailbox<device_halo> halos_on_device;

  /// Fills the block with the lattice's atoms, unless it computes on a device that keeps no data.
  block(const problem& what, const imbrex::cells::domain<3>& box, const imbrex::grid::decomposition<3>& cut,
        const device_use& use);
  block() = default;

  // Functions for initial velocities; atoms still lie on the lattice, in the cell set.

  momentum velocities();
  /// Subtracts a velocity from all atoms.
  void subtract(const imbrex::cells::point<3>& velocity);
  spin spins();
  /// Subtracts a rotation about the middle of the lattice from all atoms.
  void stop_rotation(const imbrex::cells::point<3>& angular_velocity);
  exact_sum squares();
  void scale(double by);
  void take_random(const random_velocities& what);
  /// Adds the velocities from before `take_random`.
  void add_former();
  void take_equal(const equal_velocities& what);
  void take_ramped(const ramped_velocities& what);
  /// Replaces all atoms by those of `atoms` that lie in this block, and continues from `step`.
  void restart(std::span<const atom> atoms, std::int64_t step);

  std::int64_t step() const { return step_; }
  /// Runs until step `last`. Returns the sums over this block's atoms there.
  imbrex::task<thermo_sums> run(std::int64_t last);

  /// The block's atoms at the current step.
  std::vector<atom> atoms();

  /// Leaves out the arrays that live within a step.
  void serialize(auto& ar) {
    ar(cells, what_, rows_, store_, list_, former_velocities_, renewed_position_, step_, renewed_at_,
       is_stored_, pairs_);
    if constexpr (std::remove_reference_t<decltype(ar)>::reading) make_potential();
  }

 private:
  void make_potential();
  /// The position of an atom relative to the middle of the lattice.
  imbrex::cells::point<3> from_middle(const atom& of) const;
  void change_velocities(const std::function<void(atom&)>& change);
  imbrex::task<> renew();
  imbrex::task<bool> needs_renewal();
  imbrex::task<> refresh();
  imbrex::task<> compute_forces(bool wants_sums);
  imbrex::task<> compute_exact_forces();
  imbrex::task<> refresh_slopes();
  imbrex::task<> give_back_forces();
  imbrex::task<thermo_sums> run_on_device(std::int64_t last);
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
  std::optional<halo_plan> expected_;  ///< for a device that keeps no data
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
  std::vector<imbrex::cells::point<3>>
      former_velocities_;     ///< velocities from before `take_random`, if it adds
  vectors renewed_position_;  ///< positions of own atoms at the last renewal; for renews_if_needed
  std::int64_t step_ = 0, renewed_at_ = 0;
  std::int64_t exchange_ = 0;  ///< number of device exchanges so far
  bool is_stored_ = false;     ///< the store holds the current atoms, not the cells
};

/// The box of a problem with cells for its lists. Cells are half as wide as the range, but no narrower than
/// half the lattice constant. A small box has fewer.
imbrex::cells::domain<3> box_of(const problem& what);

}  // namespace minimd
