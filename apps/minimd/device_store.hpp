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

/// The values that copies receive from their atoms.
enum class halo_values : std::uint8_t {
  positions,
  slopes  ///< slopes of the embedding energies
};

/// A block's atoms and lists on its PE's device, and the device's work in a step. Work is submitted to the
/// streams of Choi et al. ("Achieving Computation-Communication Overlap with Overdecomposition on GPU
/// Systems", ESPM2 2020, section IV-B2): one each to compute, pack, copy to the host, copy from it, and
/// unpack. Events order them. A step is: advance; an exchange of positions (begin_exchange, messages of the
/// partners, end_exchange); with embedded atoms compute_slopes and an exchange of slopes; compute_forces;
/// kick.
///
/// One kernel packs all messages of an exchange, one copy moves them to the host or from it, and one kernel
/// unpacks them. Most messages are small, and a small kernel or copy takes as long as one many times larger.
class device_store {
 public:
  /// `owner` names the block in errors.
  device_store(const problem& what, communication by, const std::string& owner);

  bool keeps_data() const { return keeps_data_; }

  /// Copies the host's atoms and list to the device.
  imbrex::task<> upload(const atom_store& atoms, const neighbour_list& list, halo_plan plan);
  /// Reserves memory for a plan on a device that keeps no data.
  void reserve(halo_plan plan);
  /// Copies positions and velocities of own atoms to the host.
  imbrex::task<> download(atom_store& atoms);

  void advance();
  bool has_slopes() const { return eam_.has_value(); }
  void compute_slopes();
  void compute_forces(bool wants_sums);
  void kick();
  /// Sums over the pairs of the last `compute_forces(true)`. Completes when all work submitted to the device
  /// is done.
  imbrex::task<pair_sums> sums();

  /// Copies values to images, and packs values for partners.
  void begin_exchange(halo_values what);
  /// The blocks with which this block exchanges, without itself.
  std::span<const halo_part> partners() const { return std::span(plan_.parts).subspan(1); }

  /// Completes when all values for partners are packed, and with communication by host also copied there.
  imbrex::task<> packed();

  // Communication by host.

  std::span<const double> outgoing(const halo_part& to) const;
  /// Destination in host memory for the values that `from` sends.
  std::span<double> incoming(const halo_part& from);

  // Communication by messages with device memory.

  /// Takes the packed values for a partner.
  imbrex::device_buffer<double> take(const halo_part& to);
  /// Stores the values received from a partner. Throws imbrex::error unless there is one value for each copy.
  void put(const halo_part& from, imbrex::device_buffer<double>&& values);

  /// Unpacks the values of all partners.
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
  device_array<double> out_, in_;  ///< values of all sources and copies; an exchange uses the first of them
  device_array<halo_source> sources_;
  device_array<std::uint64_t> begin_;  ///< beginning of each slice
  device_array<std::int32_t> atoms_;
  halo_values carried_ = halo_values::positions;
  std::vector<imbrex::device_buffer<double>> leaving_, received_values_;  ///< one buffer for each partner
};

}  // namespace minimd
