// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/gpu.hpp>

#include "apps/minimd/communication.hpp"
#include "apps/minimd/halo_plan.hpp"
#include "apps/minimd/lj.hpp"
#include "apps/minimd/problem.hpp"
#include "apps/minimd/store.hpp"

namespace minimd {

/// A block's atoms and lists in its PE's device, and what a step submits there: to the streams that Choi et
/// al. ("Achieving Computation-Communication Overlap with Overdecomposition on GPU Systems", ESPM2 2020,
/// section IV-B2) have, one each for what computes, packs, copies to the host and from it, and unpacks. These
/// are ordered by events. A step is: advance, begin_exchange, what partners send and are sent, end_exchange,
/// compute_forces, kick.
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
  void compute_forces(bool wants_sums);
  void kick();
  /// What the pairs of the last `compute_forces(true)` add up to; when it ends, all is done.
  imbrex::task<pair_sums> sums();

  /// Copies images, and packs what goes to others.
  void begin_exchange();
  /// Those with whom this block exchanges; not itself.
  std::span<const halo_part> partners() const { return std::span(plan_.parts).subspan(1); }

  // By the host.

  /// What is packed has come there.
  imbrex::task<> packed();
  std::span<const double> outgoing(const halo_part& to) const;
  /// Where what comes is to be written; then `put`.
  std::span<double> incoming(const halo_part& from);
  void put(const halo_part& from);

  // In the memory of devices.

  /// What is packed for a partner.
  imbrex::device_buffer<double> take(const halo_part& to);
  void put(const halo_part& from, const imbrex::device_buffer<double>& values);

  void end_exchange();

 private:
  // Of what grows, the first so many are used.
  template <class T>
  struct both {
    imbrex::device_buffer<T> on_device;
    std::optional<imbrex::pinned_buffer<T>> on_host;
    std::size_t size = 0;

    void resize(std::size_t n);
    void resize_on_device(std::size_t n);
    imbrex::device_span<T> device() { return on_device.span().subspan(0, size); }
    imbrex::device_span<const T> device() const { return on_device.span().subspan(0, size); }
    imbrex::pinned_span<T> host() { return on_host->span().subspan(0, size); }
    imbrex::pinned_span<const T> host() const { return std::as_const(*on_host).span().subspan(0, size); }
  };

  void order(imbrex::stream& earlier, imbrex::stream& later);
  void take_plan(halo_plan&& plan);
  imbrex::device_span<double> copies_of(const halo_part& part);
  imbrex::device_span<const halo_source> sources_of(const halo_part& part) const;
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
  both<double> positions_, velocities_, forces_, sums_;
  both<double> out_, in_;  ///< of all sources, and of all copies
  both<halo_source> sources_;
  both<std::uint64_t> begin_;  ///< of slices
  both<std::int32_t> atoms_;
  std::vector<imbrex::device_buffer<double>> leaving_;  ///< by part
};

}  // namespace minimd
