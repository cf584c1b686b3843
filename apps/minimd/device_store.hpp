// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <imbrex/gpu.hpp>

#include "apps/minimd/communication.hpp"
#include "apps/minimd/device_array.hpp"
#include "apps/minimd/device_eam.hpp"
#include "apps/minimd/halo_plan.hpp"
#include "apps/minimd/lj.hpp"
#include "apps/minimd/problem.hpp"
#include "apps/minimd/store.hpp"

namespace minimd {

/// What copies of atoms get from their atoms.
enum class halo_values : std::uint8_t {
  positions,
  slopes  ///< of the embedding energies
};

/// A block's atoms and lists in its PE's device, and what a step submits there: to the streams that Choi et
/// al. ("Achieving Computation-Communication Overlap with Overdecomposition on GPU Systems", ESPM2 2020,
/// section IV-B2) have, one each for what computes, packs, copies to the host and from it, and unpacks. These
/// are ordered by events. A step is: advance; of positions begin_exchange, what partners send and are sent,
/// end_exchange; with embedded atoms compute_slopes and the same of slopes; compute_forces, kick.
///
/// All messages of an exchange are packed by one kernel, cross to the host or from it by one copy, and are
/// unpacked by one kernel: most are small, and a small kernel or copy takes as long as one that is many times
/// larger.
class device_store {
 public:
  /// `owner` names it in errors.
  device_store(const problem& what, communication by, const std::string& owner);

  bool keeps_data() const { return keeps_data_; }

  /// Takes over what the host has, and its list.
  imbrex::task<> upload(const atom_store& atoms, const neighbour_list& list, halo_plan plan);
  /// Room for a plan, where the device keeps no data.
  void reserve(halo_plan plan);
  /// Gives back the positions and velocities of own atoms.
  imbrex::task<> download(atom_store& atoms);

  void advance();
  bool has_slopes() const { return eam_.has_value(); }
  void compute_slopes();
  void compute_forces(bool wants_sums);
  void kick();
  /// What the pairs of the last `compute_forces(true)` add up to; when it ends, all is done.
  imbrex::task<pair_sums> sums();

  /// Gives the values to images, and packs what goes to others.
  void begin_exchange(halo_values what);
  /// Those with whom this block exchanges; not itself.
  std::span<const halo_part> partners() const { return std::span(plan_.parts).subspan(1); }

  /// All that was given to others so far is packed, and where it goes by the host, it has come there.
  imbrex::task<> packed();

  // By the host.

  std::span<const double> outgoing(const halo_part& to) const;
  /// Where what comes is to be written.
  std::span<double> incoming(const halo_part& from);

  // In the memory of devices.

  /// What is packed for a partner.
  imbrex::device_buffer<double> take(const halo_part& to);
  /// What has come from one. Throws imbrex::error unless there is a value for each copy.
  void put(const halo_part& from, imbrex::device_buffer<double>&& values);

  /// Unpacks what has come from all partners.
  void end_exchange();

 private:
  void order(imbrex::stream& earlier, imbrex::stream& later);
  void take_plan(halo_plan&& plan);
  std::size_t numbers_of_value() const { return carried_ == halo_values::positions ? 3 : 1; }
  void give_to_images();
  void pack_for(std::span<const halo_part> some, const message_places& to);
  void unpack_from(std::span<const halo_part> some, const message_places& from);
  imbrex::device_span<const halo_source> sources_of(std::span<const halo_part> some) const;
  void fill_slices(const neighbour_list& list, std::size_t own, std::size_t far_away);

  const communication by_;
  const lj_constants constants_;
  const box_lengths box_;
  const double kick_, drift_;
  const bool keeps_data_;
  imbrex::stream_set streams_;
  imbrex::event_pool events_;
  imbrex::event turn_;
  halo_plan plan_;
  device_array<double> positions_, velocities_, forces_, sums_;
  std::optional<device_eam> eam_;
  device_array<double> out_, in_;  ///< of all sources, and of all copies; of an exchange the first so many
  device_array<halo_source> sources_;
  device_array<std::uint64_t> begin_;  ///< of slices
  device_array<std::int32_t> atoms_;
  halo_values carried_ = halo_values::positions;
  std::vector<imbrex::device_buffer<double>> leaving_, come_;  ///< by partner
};

}  // namespace minimd
