// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/device_block.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "apps/harness/cell_checksum.hpp"
#include "apps/jacobi3d/device_kernels.hpp"

namespace jacobi3d {
namespace {

std::string name_of(const extents& place) {
  return "block (" + std::to_string(place[0]) + ", " + std::to_string(place[1]) + ", " +
         std::to_string(place[2]) + ")";
}

}  // namespace

device_block::device_block(const extents& grid, const std::string& init, const device_use& use)
    : use_(use),
      cut_{grid, to_extents(peers().shape())},
      place_(to_extents(where())),
      shared_(cut_.shared_sides(place_)),
      layout_(cut_.cells(place_)),
      name_(name_of(place_)),
      streams_(name_),
      events_(imbrex::gpu()),
      turn_(events_.take()),
      now_(imbrex::gpu(), layout_.size()),
      next_(imbrex::gpu(), layout_.size()),
      neighbours_(int(std::ranges::count(shared_, true))) {
  if (use_.by_requests) request_.emplace();
  switch (use_.comm) {
    case communication::host: host_.emplace(layout_, shared_); break;
    case communication::message: passed_.emplace(layout_, shared_); break;
    case communication::channel:
    case communication::persistent:
      exported_faces_.emplace(layout_, shared_, name_);
      connect();
      break;
  }
  if (imbrex::gpu().info().keeps_data) fill(grid, initial_values::parse(init));
}

imbrex::index<3> device_block::neighbour(int side) const {
  auto there = where();
  there[side / 2] += side % 2 == 0 ? -1 : 1;
  return there;
}

void device_block::connect() {
  const auto to = [&](int side) { return peers()[neighbour(side)]; };
  if (shared(0)) channel_0.connect<&device_block::channel_1>(to(0));
  if (shared(1)) channel_1.connect<&device_block::channel_0>(to(1));
  if (shared(2)) channel_2.connect<&device_block::channel_3>(to(2));
  if (shared(3)) channel_3.connect<&device_block::channel_2>(to(3));
  if (shared(4)) channel_4.connect<&device_block::channel_5>(to(4));
  if (shared(5)) channel_5.connect<&device_block::channel_4>(to(5));
  if (shared(0)) bound_0.connect<&device_block::bound_1>(to(0));
  if (shared(1)) bound_1.connect<&device_block::bound_0>(to(1));
  if (shared(2)) bound_2.connect<&device_block::bound_3>(to(2));
  if (shared(3)) bound_3.connect<&device_block::bound_2>(to(3));
  if (shared(4)) bound_4.connect<&device_block::bound_5>(to(4));
  if (shared(5)) bound_5.connect<&device_block::bound_4>(to(5));
}

imbrex::persistent_channel<double>& device_block::bound_channel(int side) {
  const std::array<imbrex::persistent_channel<double>*, sides> all{&bound_0, &bound_1, &bound_2,
                                                                   &bound_3, &bound_4, &bound_5};
  return *all[std::size_t(side)];
}

imbrex::device_channel<double>& device_block::channel(int side) {
  const std::array<imbrex::device_channel<double>*, sides> all{&channel_0, &channel_1, &channel_2,
                                                               &channel_3, &channel_4, &channel_5};
  return *all[std::size_t(side)];
}

incoming_faces device_block::incoming() const {
  if (exported_faces_) return exported_faces_->incoming(iteration_);
  return host_ ? host_->incoming() : passed_->incoming();
}

outgoing_faces device_block::outgoing() {
  if (exported_faces_) return exported_faces_->outgoing(filled_);
  return host_ ? host_->outgoing() : passed_->outgoing();
}

void device_block::fill(const extents& grid, const initial_values& values) {
  const extents first = cut_.first(place_);
  imbrex::pinned_buffer<double> all(imbrex::gpu(), layout_.size());
  std::ranges::fill(all.span(), 0.0);
  for (std::int64_t i = -1; i <= layout_.nx; ++i)
    for (std::int64_t j = -1; j <= layout_.ny; ++j)
      for (std::int64_t k = -1; k <= layout_.nz; ++k) {
        const int outside = (i < 0 || i == layout_.nx ? 1 : 0) + (j < 0 || j == layout_.ny ? 1 : 0) +
                            (k < 0 || k == layout_.nz ? 1 : 0);
        if (outside <= 1)
          all[layout_.at(i, j, k)] = values.at(grid, first[0] + i, first[1] + j, first[2] + k);
      }
  auto& compute = streams_.compute();
  compute.copy(now_.span(), all.span());
  compute.copy(next_.span(), all.span());  // initialises the layer around the grid
}

template <class Submit>
void device_block::with_queues(Submit submit) {
  if (request_)
    submit(request_queues(*request_));
  else
    submit(stream_queues(streams_, turn_));
}

template <class Queues>
void device_block::submit_incoming(const Queues& to, int side) {
  using enum device_part;
  if (host_) host_->copy_in(side, to.of(to_device, side));
  if (has_fusion(kernel_fusion::b)) return;
  to.order(host_ ? to_device : update, unpack, side);
  to.of(unpack, side).launch(jacobi3d::unpack, incoming().at_side(side), now_.span(), layout_);
}

template <class Queues>
void device_block::submit_update(const Queues& to) {
  using enum device_part;
  const auto now = std::as_const(now_).span();
  const std::int64_t sweeps = use_.hot.sweeps_of(place_, cut_.blocks);
  if (has_fusion(kernel_fusion::c)) {
    if (host_) to.order(to_device, update);
    for (std::int64_t n = 0; n < sweeps; ++n)
      to.of(update).launch(update_with_faces, now, next_.span(), layout_, incoming(), outgoing());
    return;
  }
  if (has_fusion(kernel_fusion::b) && neighbours_ > 0) {
    to.order(host_ ? to_device : update, unpack_all);
    to.of(unpack_all).launch(jacobi3d::unpack, incoming(), now_.span(), layout_);
  }
  to.order(has_fusion(kernel_fusion::b) ? unpack_all : unpack, update);
  for (std::int64_t n = 0; n < sweeps; ++n)
    to.of(update).launch(jacobi3d::update, now, next_.span(), layout_);
}

device_part device_block::filling(bool in_faces) const {
  if (in_faces) return device_part::update;
  return has_fusion(kernel_fusion::a) ? device_part::pack_all : device_part::pack;
}

template <class Queues>
void device_block::submit_outgoing(const Queues& to, const cells_on_device& of, bool in_faces) {
  using enum device_part;
  if (neighbours_ == 0) return;
  const device_part last = filling(in_faces);
  if (last != update) to.order(update, last);
  if (last == pack_all) to.of(pack_all).launch(jacobi3d::pack, of.span(), outgoing(), layout_);
  if (host_ && last != pack) to.order(last, from_device);
  for (int side = 0; side < sides; ++side) {
    if (!shared(side)) continue;
    if (last == pack) to.of(pack, side).launch(jacobi3d::pack, of.span(), outgoing().at_side(side), layout_);
    if (!host_) continue;
    if (last == pack) to.order(pack, from_device, side);
    host_->copy_out(side, to.of(from_device, side));
  }
  // The update after next overwrites the cells; no other work waits for the pack.
  if (!host_ && last != update) to.order(last, update);
}

imbrex::graph device_block::capture() {
  using enum device_part;
  using imbrex::stream_priority;
  // A graph's kernels have the priorities of the streams in which they were captured.
  imbrex::stream compute(imbrex::gpu(), stream_priority::low, name_);
  imbrex::stream of_all(imbrex::gpu(), stream_priority::high, name_);
  std::array<std::optional<imbrex::stream>, sides> branches;
  std::array<imbrex::stream*, sides> of_sides{};
  for (std::size_t side = 0; side < sides; ++side)
    if (shared(int(side)))
      of_sides[side] = &branches[side].emplace(imbrex::gpu(), stream_priority::high, name_);
  const stream_queues to(compute, of_all, of_sides, turn_);

  of_all.begin_capture();
  to.order(unpack_all, to_device);
  to.order(unpack_all, update);
  for (int side = 0; side < sides; ++side)
    if (shared(side)) submit_incoming(to, side);
  submit_update(to);
  submit_outgoing(to, next_, has_fusion(kernel_fusion::c));
  to.order(update, pack_all);
  to.order(from_device, pack_all);
  return of_all.end_capture();
}

imbrex::graph& device_block::graph_of_iteration() {
  const incoming_faces in = incoming();
  const outgoing_faces out = outgoing();
  std::array<const void*, 2 + 2 * sides> addresses{now_.span().data(), next_.span().data()};
  for (std::size_t side = 0; side < sides; ++side) {
    addresses[2 + side] = in.of[side];
    addresses[2 + sides + side] = out.of[side];
  }
  const auto found = std::ranges::find(graphs_, addresses, &captured_iteration::addresses);
  if (found != graphs_.end()) return found->work;
  constexpr std::size_t most = 16;  // addresses of faces from other devices do not repeat
  if (graphs_.size() == most) graphs_.clear();
  return graphs_.emplace_back(captured_iteration{addresses, capture()}).work;
}

imbrex::task<> device_block::done() {
  if (request_) {
    co_await offload(std::exchange(*request_, {}));
    co_return;
  }
  auto& s = streams_;
  const stream_queues queues(s, turn_);
  // A block without neighbours waits for its update, too.
  queues.order(device_part::update, device_part::from_device);
  if (!host_) queues.order(device_part::pack, device_part::from_device);
  co_await s.from_device().done();
}

imbrex::task<> device_block::start() {
  co_await streams_.compute().done();  // requests use other streams
  with_queues([this](const auto& to) { submit_outgoing(to, now_, false); });
  if (host_) co_await done();
  if (by_bound_channels()) {
    std::vector<imbrex::task<>> binding;
    for (int side = 0; side < sides; ++side)
      if (shared(side))
        binding.push_back(
            bound_channel(side).bind({exported_faces_->out(side, 0), exported_faces_->out(side, 1)},
                                     {exported_faces_->in(side, 0), exported_faces_->in(side, 1)}));
    co_await imbrex::when_all(std::move(binding));
  }
  co_await send_faces(filling(false));
}

imbrex::task<> device_block::send_faces(device_part filled_by) {
  const auto blocks = peers();
  const stream_queues queues(streams_, turn_);
  for (int side = 0; side < sides; ++side) {
    if (!shared(side)) continue;
    if (host_) {
      imbrex::send<&device_block::halo>(blocks[neighbour(side)], iteration_, host_->take(side));
    } else if (by_bound_channels()) {
      // The stream that fills the face does not wait for its copy: it fills the face again only two
      // iterations later.
      imbrex::stream& departures = exported_faces_->transfers(side);
      queues.of(filled_by, side).record(turn_);
      departures.wait(turn_);
      co_await bound_channel(side).send(departures);
    } else if (exported_faces_) {
      auto loan = channel(side).send(exported_faces_->out(side, filled_), queues.of(filled_by, side));
      if (use_.waits == host_waits::faces) sent_.push_back(std::move(loan));
    } else {
      imbrex::send<&device_block::device_halo>(blocks[neighbour(side)], iteration_,
                                               passed_->take(side, queues.of(filled_by, side)));
    }
  }
  ++filled_;
}

imbrex::stream& device_block::reader(const stream_queues& queues, int side) const {
  using enum device_part;
  if (use_.by_graphs || has_fusion(kernel_fusion::c)) return queues.of(update);
  return has_fusion(kernel_fusion::b) ? queues.of(unpack_all) : queues.of(unpack, side);
}

void device_block::release_faces() {
  const stream_queues queues(streams_, turn_);
  for (int side = 0; side < sides; ++side)
    if (shared(side)) bound_channel(side).release(reader(queues, side));
}

imbrex::task<int> device_block::receive_face(int next_side) {
  if (host_) {
    const face received = co_await halo.receive(iteration_);
    host_->put(received);
    co_return received.side;
  }
  const stream_queues queues(streams_, turn_);
  if (by_bound_channels()) {
    co_await bound_channel(next_side).receive(reader(queues, next_side));
    co_return next_side;
  }
  if (exported_faces_) {
    imbrex::stream& arrivals = exported_faces_->transfers(next_side);
    co_await channel(next_side).receive(exported_faces_->in(next_side, iteration_), arrivals);
    if (use_.waits == host_waits::faces) {
      co_await arrivals.done();
      co_return next_side;
    }
    arrivals.record(turn_);
    reader(queues, next_side).wait(turn_);
    co_return next_side;
  }
  passed_face received = co_await device_halo.receive(iteration_);
  const int side = received.side;
  passed_->put(std::move(received), reader(queues, side));
  if (use_.waits == host_waits::faces) co_await reader(queues, side).done();
  co_return side;
}

imbrex::task<> device_block::receive_complete_face(int next_side) {
  const int side = co_await receive_face(next_side);
  if (!use_.by_graphs) with_queues([&](const auto& to) { submit_incoming(to, side); });
}

imbrex::task<> device_block::receive_complete_faces() {
  std::vector<imbrex::task<>> those;
  for (int next_side = 0; next_side < sides; ++next_side)
    if (shared(next_side)) those.push_back(receive_complete_face(next_side));
  for (const auto& loan : sent_) those.push_back(loan.done());
  co_await imbrex::when_all(std::move(those));
  sent_.clear();
}

imbrex::task<progress> device_block::run(std::int64_t iterations, double tolerance) {
  const bool in_faces = has_fusion(kernel_fusion::c);
  const bool sends_wait = use_.waits == host_waits::sends || use_.waits == host_waits::faces;
  progress p;
  while (p.iterations < iterations) {
    if (use_.waits == host_waits::faces)
      co_await receive_complete_faces();
    else
      for (int next_side = 0; next_side < sides; ++next_side)
        if (shared(next_side)) co_await receive_complete_face(next_side);
    if (use_.by_graphs) {
      streams_.compute().launch(graph_of_iteration());
    } else {
      with_queues([&](const auto& to) { submit_update(to); });
      if (use_.waits == host_waits::updates) co_await streams_.compute().done();
      with_queues([&](const auto& to) { submit_outgoing(to, next_, in_faces); });
    }
    std::swap(now_, next_);
    ++p.iterations;
    ++iteration_;
    if (host_ || sends_wait) co_await done();
    if (by_bound_channels()) release_faces();
    // Faces for the next iteration, even after the last: run() may be called again.
    co_await send_faces(use_.by_graphs ? device_part::update : filling(in_faces));
    if (p.iterations == use_.mark) marked_ = imbrex::now();
    if (tolerance > 0) {
      p.residual = co_await all_reduce(co_await residual(), imbrex::max);
      if (p.residual < tolerance) break;
    }
  }
  if (!host_) co_await done();
  co_return p;
}

imbrex::task<> device_block::fetch(const cells_on_device& from, imbrex::pinned_buffer<double>& to) {
  auto& compute = streams_.compute();
  compute.copy(to.span(), from.span());
  co_await compute.done();
}

template <class Visit>
void device_block::for_each_cell(Visit visit) const {
  for (std::int64_t i = 0; i < layout_.nx; ++i)
    for (std::int64_t j = 0; j < layout_.ny; ++j)
      for (std::int64_t k = 0; k < layout_.nz; ++k) visit(i, j, k, layout_.at(i, j, k));
}

imbrex::task<double> device_block::residual() {
  imbrex::pinned_buffer<double> now(imbrex::gpu(), layout_.size());
  imbrex::pinned_buffer<double> before(imbrex::gpu(), layout_.size());
  co_await fetch(now_, now);
  co_await fetch(next_, before);
  double greatest = 0;
  for_each_cell([&](auto, auto, auto, std::size_t at) {
    greatest = std::max(greatest, std::abs(now[at] - before[at]));
  });
  co_return greatest;
}

imbrex::task<std::uint64_t> device_block::checksum() {
  imbrex::pinned_buffer<double> values(imbrex::gpu(), layout_.size());
  co_await fetch(now_, values);
  const extents first = cut_.first(place_);
  std::uint64_t sum = 0;
  for_each_cell([&](std::int64_t i, std::int64_t j, std::int64_t k, std::size_t at) {
    const std::int64_t row = (first[0] + i) * cut_.grid[1] + first[1] + j;
    sum += cell_checksum(std::uint64_t(row * cut_.grid[2] + first[2] + k), values[at]);
  });
  co_return sum;
}

imbrex::task<imbrex::packed_cells<double, 3>> device_block::cells() {
  imbrex::pinned_buffer<double> values(imbrex::gpu(), layout_.size());
  co_await fetch(now_, values);
  std::vector<double> inside;
  inside.reserve(layout_.cells());
  for_each_cell([&](auto, auto, auto, std::size_t at) { inside.push_back(values[at]); });
  const extents count = cut_.cells(place_);
  co_return imbrex::packed_cells<double, 3>{imbrex::index<3>(count[0], count[1], count[2]),
                                            std::move(inside)};
}

}  // namespace jacobi3d
