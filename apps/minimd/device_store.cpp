// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/device_store.hpp"

#include <algorithm>
#include <utility>

#include "apps/minimd/device_kernels.hpp"

namespace minimd {
namespace {

lj_constants constants_of(const problem& what) {
  return {what.cutoff * what.cutoff, what.sigma * what.sigma, 48 * what.epsilon, 4 * what.epsilon};
}

box_lengths lengths_of(const problem& what) {
  const auto box = what.box();
  return {{box[0], box[1], box[2]}};
}

}  // namespace

template <class T>
void device_store::both<T>::resize_on_device(std::size_t n) {
  size = n;
  if (on_device.size() < n || on_device.size() == 0)
    on_device = imbrex::device_buffer<T>(imbrex::gpu(), n + n / 16 + 1);
}

template <class T>
void device_store::both<T>::resize(std::size_t n) {
  resize_on_device(n);
  if (!on_host || on_host->size() < n) on_host.emplace(imbrex::gpu(), on_device.size());
}

device_store::device_store(const problem& what, communication by, const std::string& owner)
    : by_(by),
      constants_(constants_of(what)),
      box_(lengths_of(what)),
      kick_(0.5 * what.time_step / (what.mass * units::of(what.in).mass_to_energy)),
      drift_(what.time_step),
      keeps_data_(imbrex::gpu().info().keeps_data),
      streams_(owner),
      events_(imbrex::gpu()),
      turn_(events_.take()) {}

void device_store::order(imbrex::stream& earlier, imbrex::stream& later) {
  if (&earlier == &later) return;
  earlier.record(turn_);
  later.wait(turn_);
}

void device_store::take_plan(halo_plan&& plan) {
  plan_ = std::move(plan);
  forces_.resize_on_device(4 * plan_.own);
  sums_.resize(2 * plan_.own);
  if (by_ == communication::host) {
    out_.resize(3 * plan_.number_of_sources);
    in_.resize(3 * plan_.copies);
  }
}

void device_store::reserve(halo_plan plan) {
  take_plan(std::move(plan));
  positions_.resize_on_device(4 * (plan_.own + plan_.copies + 1));
  velocities_.resize(4 * plan_.own);
  sources_.resize_on_device(plan_.number_of_sources);
  begin_.resize_on_device(plan_.own / slice + 2);
  atoms_.resize_on_device(plan_.entries_of_list);
}

void device_store::fill_slices(const neighbour_list& list, std::size_t own, std::size_t far_away) {
  const std::size_t slices = (own + slice - 1) / slice;
  begin_.resize(slices + 1);
  const auto length = [&](std::size_t i) { return i < own ? list.begin[i + 1] - list.begin[i] : 0; };
  begin_.host()[0] = 0;
  for (std::size_t s = 0; s < slices; ++s) {
    std::size_t longest = 0;
    for (std::size_t i = s * slice; i < (s + 1) * slice; ++i) longest = std::max(longest, length(i));
    begin_.host()[s + 1] = begin_.host()[s] + longest * slice;
  }
  atoms_.resize(begin_.host()[slices]);
  const auto to = atoms_.host();
  std::ranges::fill(to, static_cast<std::int32_t>(far_away));
  for (std::size_t i = 0; i < own; ++i) {
    std::size_t at = begin_.host()[i / slice] + i % slice;
    for (std::size_t k = list.begin[i]; k < list.begin[i + 1]; ++k, at += slice) to[at] = list.atoms[k];
  }
}

imbrex::task<> device_store::upload(const atom_store& atoms, const neighbour_list& list, halo_plan plan) {
  take_plan(std::move(plan));
  positions_.resize(atoms.position.size());
  velocities_.resize(atoms.velocity.size());
  sources_.resize(plan_.sources.size());
  std::ranges::copy(atoms.position, positions_.host().begin());
  std::ranges::copy(atoms.velocity, velocities_.host().begin());
  std::ranges::copy(plan_.sources, sources_.host().begin());
  fill_slices(list, atoms.own, atoms.all());
  imbrex::stream& to_device = streams_.to_device();
  to_device.copy(positions_.device(), std::as_const(positions_).host());
  to_device.copy(velocities_.device(), std::as_const(velocities_).host());
  to_device.copy(sources_.device(), std::as_const(sources_).host());
  to_device.copy(begin_.device(), std::as_const(begin_).host());
  to_device.copy(atoms_.device(), std::as_const(atoms_).host());
  order(to_device, streams_.compute());
  co_await to_device.done();  // the host fills its memory anew then
}

imbrex::task<> device_store::download(atom_store& atoms) {
  imbrex::stream& from_device = streams_.from_device();
  order(streams_.compute(), from_device);
  const std::size_t own = 4 * plan_.own;
  from_device.copy(positions_.host().subspan(0, own), std::as_const(positions_).device().subspan(0, own));
  from_device.copy(velocities_.host(), std::as_const(velocities_).device());
  co_await from_device.done();
  std::ranges::copy(positions_.host().subspan(0, own), atoms.position.begin());
  std::ranges::copy(velocities_.host(), atoms.velocity.begin());
}

void device_store::advance() {
  streams_.compute().launch(advance_atoms, positions_.device(), velocities_.device(),
                            std::as_const(forces_).device(), kick_, drift_);
}

void device_store::compute_forces(bool wants_sums) {
  const auto positions = std::as_const(positions_).device();
  const auto begin = std::as_const(begin_).device();
  const auto atoms = std::as_const(atoms_).device();
  if (wants_sums)
    streams_.compute().launch(lj_forces_and_sums_of_list, positions, begin, atoms, forces_.device(),
                              sums_.device(), constants_);
  else
    streams_.compute().launch(lj_forces_of_list, positions, begin, atoms, forces_.device(), constants_);
}

void device_store::kick() {
  streams_.compute().launch(kick_velocities, velocities_.device(), std::as_const(forces_).device(), kick_);
}

imbrex::task<pair_sums> device_store::sums() {
  imbrex::stream& from_device = streams_.from_device();
  order(streams_.compute(), from_device);
  from_device.copy(sums_.host(), std::as_const(sums_).device());
  co_await from_device.done();
  pair_sums all;
  if (keeps_data_)
    for (std::size_t i = 0; i < plan_.own; ++i) {
      all.potential += sums_.host()[2 * i] / 2;
      all.virial += sums_.host()[2 * i + 1] / 2;
    }
  co_return all;
}

imbrex::device_span<double> device_store::copies_of(const halo_part& part) {
  return positions_.device().subspan(4 * (plan_.own + part.first_copy), 4 * part.copies);
}

imbrex::device_span<const halo_source> device_store::sources_of(const halo_part& part) const {
  return sources_.device().subspan(part.first_source, part.sources);
}

void device_store::begin_exchange() {
  imbrex::stream &compute = streams_.compute(), &pack_stream = streams_.pack();
  const auto positions = std::as_const(positions_).device();
  // The copies of the step before have been read, once those before this have run.
  order(compute, pack_stream);
  order(compute, streams_.unpack());
  const halo_part& images = plan_.parts.front();
  if (images.copies != 0) compute.launch(copy_images, positions, sources_of(images), copies_of(images), box_);
  leaving_.clear();
  for (const halo_part& to : partners()) {
    const std::size_t first = 3 * to.first_source, size = 3 * to.sources;
    if (by_ == communication::message) {
      auto& values = leaving_.emplace_back(imbrex::gpu(), std::max<std::size_t>(size, 1));
      if (size != 0)
        pack_stream.launch(pack, positions, sources_of(to), values.span().subspan(0, size), box_);
    } else if (size != 0) {
      pack_stream.launch(pack, positions, sources_of(to), out_.device().subspan(first, size), box_);
      order(pack_stream, streams_.from_device());
      streams_.from_device().copy(out_.host().subspan(first, size),
                                  std::as_const(out_).device().subspan(first, size));
    }
  }
  order(pack_stream, compute);  // which moves the atoms next
}

imbrex::task<> device_store::packed() { co_await streams_.from_device().done(); }

std::span<const double> device_store::outgoing(const halo_part& to) const {
  return out_.host().subspan(3 * to.first_source, 3 * to.sources);
}

std::span<double> device_store::incoming(const halo_part& from) {
  return in_.host().subspan(3 * from.first_copy, 3 * from.copies);
}

void device_store::put(const halo_part& from) {
  const std::size_t first = 3 * from.first_copy, size = 3 * from.copies;
  if (size == 0) return;
  streams_.to_device().copy(in_.device().subspan(first, size),
                            std::as_const(in_).host().subspan(first, size));
  order(streams_.to_device(), streams_.unpack());
  streams_.unpack().launch(unpack, std::as_const(in_).device().subspan(first, size), copies_of(from));
}

imbrex::device_buffer<double> device_store::take(const halo_part& to) {
  auto& values = leaving_[static_cast<std::size_t>(&to - partners().data())];
  return std::move(values).ready_after(streams_.pack());
}

void device_store::put(const halo_part& from, const imbrex::device_buffer<double>& values) {
  if (from.copies == 0) return;
  streams_.unpack().wait(values);
  streams_.unpack().launch(unpack, values.span().subspan(0, 3 * from.copies), copies_of(from));
}

void device_store::end_exchange() { order(streams_.unpack(), streams_.compute()); }

}  // namespace minimd
