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
      faces_(layout_, shared_),
      neighbours_(int(std::ranges::count(shared_, true))) {
  if (use_.by_requests) request_.emplace();
  if (imbrex::gpu().info().keeps_data) fill(grid, initial_values::parse(init));
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
  compute.copy(next_.span(), all.span());  // for the layer around the grid
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
  faces_.copy_in(side, to.of(to_device, side));
  if (has_fusion(kernel_fusion::b)) return;
  to.order(to_device, unpack, side);
  to.of(unpack, side).launch(jacobi3d::unpack, faces_.incoming().at_side(side), now_.span(), layout_);
}

template <class Queues>
void device_block::submit_update(const Queues& to) {
  using enum device_part;
  const auto now = std::as_const(now_).span();
  if (has_fusion(kernel_fusion::c)) {
    to.order(to_device, update);
    to.of(update).launch(update_with_faces, now, next_.span(), layout_, faces_.incoming(), faces_.outgoing());
    return;
  }
  if (has_fusion(kernel_fusion::b) && neighbours_ > 0) {
    to.order(to_device, unpack_all);
    to.of(unpack_all).launch(jacobi3d::unpack, faces_.incoming(), now_.span(), layout_);
  }
  to.order(has_fusion(kernel_fusion::b) ? unpack_all : unpack, update);
  to.of(update).launch(jacobi3d::update, now, next_.span(), layout_);
}

template <class Queues>
void device_block::submit_outgoing(const Queues& to, const cells_on_device& of, bool in_faces) {
  using enum device_part;
  if (neighbours_ == 0) return;
  const device_part last = in_faces ? update : has_fusion(kernel_fusion::a) ? pack_all : pack;
  if (last != update) to.order(update, last);
  if (last == pack_all) to.of(pack_all).launch(jacobi3d::pack, of.span(), faces_.outgoing(), layout_);
  if (last != pack) to.order(last, from_device);
  for (int side = 0; side < sides; ++side) {
    if (!shared(side)) continue;
    if (last == pack) {
      to.of(pack, side).launch(jacobi3d::pack, of.span(), faces_.outgoing().at_side(side), layout_);
      to.order(pack, from_device, side);
    }
    faces_.copy_out(side, to.of(from_device, side));
  }
}

imbrex::graph device_block::capture() {
  using enum device_part;
  using imbrex::stream_priority;
  // A graph's kernels have the priorities of the streams that they were captured in.
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

imbrex::task<> device_block::done() {
  if (request_) {
    co_await offload(std::exchange(*request_, {}));
    co_return;
  }
  auto& s = streams_;
  // A block without neighbours waits for its update as well.
  stream_queues(s, turn_).order(device_part::update, device_part::from_device);
  co_await s.from_device().done();
}

imbrex::task<> device_block::start() {
  co_await streams_.compute().done();  // requests have streams of their own
  if (use_.by_graphs)
    for (int parity = 0; parity < 2; ++parity) {
      graphs_.push_back(capture());
      std::swap(now_, next_);
    }
  with_queues([this](const auto& to) { submit_outgoing(to, now_, false); });
  co_await done();
  send_faces();
}

void device_block::send_faces() {
  const auto blocks = peers();
  for (int side = 0; side < sides; ++side) {
    if (!shared(side)) continue;
    auto neighbour = where();
    neighbour[side / 2] += side % 2 == 0 ? -1 : 1;
    imbrex::send<&device_block::halo>(blocks[neighbour], iteration_, faces_.take(side));
  }
}

imbrex::task<progress> device_block::run(std::int64_t iterations, double tolerance) {
  progress p;
  while (p.iterations < iterations) {
    for (int n = neighbours_; n > 0; --n) {
      const face received = co_await halo.receive(iteration_);
      faces_.put(received);
      if (!use_.by_graphs) with_queues([&](const auto& to) { submit_incoming(to, received.side); });
    }
    if (use_.by_graphs)
      streams_.compute().launch(graphs_[std::size_t(iteration_) % graphs_.size()]);
    else
      with_queues([this](const auto& to) {
        submit_update(to);
        submit_outgoing(to, next_, has_fusion(kernel_fusion::c));
      });
    std::swap(now_, next_);
    ++p.iterations;
    ++iteration_;
    co_await done();
    send_faces();  // of the next iteration, even after the last: another call of run() may follow
    if (tolerance > 0) {
      p.residual = co_await all_reduce(co_await residual(), imbrex::max);
      if (p.residual < tolerance) break;
    }
  }
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

imbrex::task<std::vector<double>> device_block::cells() {
  imbrex::pinned_buffer<double> values(imbrex::gpu(), layout_.size());
  co_await fetch(now_, values);
  std::vector<double> inside;
  inside.reserve(layout_.cells());
  for_each_cell([&](auto, auto, auto, std::size_t at) { inside.push_back(values[at]); });
  co_return inside;
}

}  // namespace jacobi3d
