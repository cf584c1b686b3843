// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/device_store.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <imbrex/error.hpp>

#include "apps/minimd/device_eam_kernels.hpp"
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

device_store::device_store(const problem& what, communication by, const std::string& owner)
    : by_(by),
      constants_(constants_of(what)),
      box_(lengths_of(what)),
      kick_(0.5 * what.time_step / (what.mass * units::of(what.in).mass_to_energy)),
      drift_(what.time_step),
      keeps_data_(imbrex::gpu().info().keeps_data),
      streams_(owner),
      events_(imbrex::gpu()),
      turn_(events_.take()) {
  if (what.field == force_field::eam) eam_.emplace(what, streams_.to_device());
}

void device_store::order(imbrex::stream& earlier, imbrex::stream& later) {
  if (&earlier == &later) return;
  earlier.record(turn_);
  later.wait(turn_);
}

void device_store::take_plan(halo_plan&& plan) {
  plan_ = std::move(plan);
  forces_.resize_on_device(4 * plan_.own);
  sums_.resize(2 * plan_.own);
  if (eam_) eam_->resize(plan_.own, plan_.copies);
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
  co_await to_device.done();  // the pinned buffers may be overwritten once this is done
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

void device_store::compute_slopes() {
  device_eam& e = *eam_;
  streams_.compute().launch(eam_slopes_of_list, std::as_const(positions_).device(),
                            std::as_const(begin_).device(), std::as_const(atoms_).device(),
                            std::as_const(e.density).device(), std::as_const(e.embedding).device(),
                            e.slopes.device(), e.energies.device(), e.constants);
}

void device_store::compute_forces(bool wants_sums) {
  imbrex::stream& compute = streams_.compute();
  const auto positions = std::as_const(positions_).device();
  const auto begin = std::as_const(begin_).device();
  const auto atoms = std::as_const(atoms_).device();
  const auto forces = forces_.device(), sums = sums_.device();
  if (eam_) {
    const device_eam& e = *eam_;
    const auto slopes = e.slopes.device(), density = e.density.device(), pair = e.pair.device();
    if (wants_sums)
      compute.launch(eam_forces_and_sums_of_list, positions, begin, atoms, slopes, e.energies.device(),
                     density, pair, forces, sums, e.constants);
    else
      compute.launch(eam_forces_of_list, positions, begin, atoms, slopes, density, pair, forces, e.constants);
  } else if (wants_sums) {
    compute.launch(lj_forces_and_sums_of_list, positions, begin, atoms, forces, sums, constants_);
  } else {
    compute.launch(lj_forces_of_list, positions, begin, atoms, forces, constants_);
  }
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

namespace {

std::size_t first_copy(std::span<const halo_part> some) { return some.front().first_copy; }
std::size_t copies(std::span<const halo_part> some) {
  return some.back().first_copy + some.back().copies - first_copy(some);
}

// Calls visit(partners, index of the first) for groups that fit one kernel launch.
template <class Visit>
void for_each_launch(std::span<const halo_part> partners, Visit visit) {
  constexpr auto most = static_cast<std::size_t>(message_places::most);
  for (std::size_t first = 0; first < partners.size(); first += most)
    visit(partners.subspan(first, std::min(most, partners.size() - first)), first);
}

void add(message_places& places, std::size_t values, double* at) {
  const std::int32_t before = places.count == 0 ? 0 : places.end[places.count - 1];
  places.end[places.count] = before + static_cast<std::int32_t>(values);
  places.at[places.count++] = at;
}

}  // namespace

imbrex::device_span<const halo_source> device_store::sources_of(std::span<const halo_part> some) const {
  const std::size_t first = some.front().first_source;
  return sources_.device().subspan(first, some.back().first_source + some.back().sources - first);
}

void device_store::pack_for(std::span<const halo_part> some, const message_places& to) {
  const auto sources = sources_of(some);
  if (sources.empty()) return;
  if (carried_ == halo_values::positions)
    streams_.pack().launch(pack, std::as_const(positions_).device(), sources, to, box_);
  else
    streams_.pack().launch(pack_slopes, std::as_const(eam_->slopes).device(), sources, to);
}

void device_store::unpack_from(std::span<const halo_part> some, const message_places& from) {
  const std::size_t first = plan_.own + first_copy(some), size = copies(some);
  if (size == 0) return;
  if (carried_ == halo_values::positions)
    streams_.unpack().launch(unpack, from, positions_.device().subspan(4 * first, 4 * size));
  else
    streams_.unpack().launch(unpack_slopes, from, eam_->slopes.device().subspan(first, size));
}

void device_store::give_to_images() {
  const halo_part& images = plan_.parts.front();
  if (images.copies == 0) return;
  const auto sources = sources_of({&images, 1});
  const std::size_t first = plan_.own + images.first_copy;
  if (carried_ == halo_values::positions) {
    streams_.compute().launch(copy_images, std::as_const(positions_).device(), sources,
                              positions_.device().subspan(4 * first, 4 * images.copies), box_);
  } else {
    message_places to{};
    add(to, images.copies, eam_->slopes.device().subspan(first, images.copies).data());
    streams_.compute().launch(pack_slopes, std::as_const(eam_->slopes).device(), sources, to);
  }
}

void device_store::begin_exchange(halo_values what) {
  carried_ = what;
  imbrex::stream &compute = streams_.compute(), &pack_stream = streams_.pack();
  // The kernels that read the previous step's copies must run before copies change.
  order(compute, pack_stream);
  order(compute, streams_.unpack());
  give_to_images();
  if (partners().empty()) return;
  if (by_ == communication::message) {
    leaving_.clear();
    received_values_.resize(partners().size());
    for_each_launch(partners(), [&](std::span<const halo_part> some, std::size_t) {
      message_places to{};
      for (const halo_part& p : some) {
        auto& values =
            leaving_.emplace_back(imbrex::gpu(), std::max<std::size_t>(numbers_of_value() * p.sources, 1));
        add(to, p.sources, values.span().data());
      }
      pack_for(some, to);
    });
  } else {
    const auto all = out_.device().subspan(0, numbers_of_value() * sources_of(partners()).size());
    message_places to{};
    add(to, sources_of(partners()).size(), all.data());
    pack_for(partners(), to);
    order(pack_stream, streams_.from_device());
    if (!all.empty()) streams_.from_device().copy(out_.host().subspan(0, all.size()), all);
  }
  order(pack_stream, compute);  // the next kernels there change the packed values
}

imbrex::task<> device_store::packed() {
  co_await (by_ == communication::host ? streams_.from_device() : streams_.pack()).done();
}

std::span<const double> device_store::outgoing(const halo_part& to) const {
  const std::size_t first = to.first_source - partners().front().first_source;
  return out_.host().subspan(numbers_of_value() * first, numbers_of_value() * to.sources);
}

std::span<double> device_store::incoming(const halo_part& from) {
  const std::size_t first = from.first_copy - first_copy(partners());
  return in_.host().subspan(numbers_of_value() * first, numbers_of_value() * from.copies);
}

imbrex::device_buffer<double> device_store::take(const halo_part& to) {
  auto& values = leaving_[static_cast<std::size_t>(&to - partners().data())];
  return std::move(values).ready_after(streams_.pack());
}

void device_store::put(const halo_part& from, imbrex::device_buffer<double>&& values) {
  const std::size_t expected = std::max<std::size_t>(numbers_of_value() * from.copies, 1);
  if (values.size() != expected)
    throw imbrex::error("a block expects a buffer of " + std::to_string(expected) +
                        " numbers of copies from block " + imbrex::to_string(from.with) + ", which sent " +
                        std::to_string(values.size()));
  streams_.unpack().wait(values);
  received_values_[static_cast<std::size_t>(&from - partners().data())] = std::move(values);
}

void device_store::end_exchange() {
  imbrex::stream& unpack_stream = streams_.unpack();
  if (by_ == communication::message) {
    for_each_launch(partners(), [&](std::span<const halo_part> some, std::size_t first) {
      message_places from{};
      for (std::size_t p = 0; p < some.size(); ++p)
        add(from, some[p].copies, received_values_[first + p].span().data());
      unpack_from(some, from);
    });
    received_values_.clear();
  } else if (!partners().empty()) {
    const auto all = in_.device().subspan(0, numbers_of_value() * copies(partners()));
    if (!all.empty()) {
      streams_.to_device().copy(all, std::as_const(in_).host().subspan(0, all.size()));
      order(streams_.to_device(), unpack_stream);
    }
    message_places from{};
    add(from, copies(partners()), all.data());
    unpack_from(partners(), from);
  }
  order(unpack_stream, streams_.compute());
}

}  // namespace minimd
