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

device_block::device_block(const extents& grid, const std::string& init, bool by_requests)
    : keeps_data_(imbrex::gpu().info().keeps_data),
      cut_{grid, to_extents(peers().shape())},
      place_(to_extents(where())),
      shared_(cut_.shared_sides(place_)),
      layout_(cut_.cells(place_)),
      streams_(name_of(place_)),
      events_(imbrex::gpu()),
      turn_(events_.take()),
      now_(imbrex::gpu(), layout_.size()),
      next_(imbrex::gpu(), layout_.size()) {
  if (by_requests) request_.emplace();
  for (int side = 0; side < sides; ++side) {
    if (!shared(side)) continue;
    ++neighbours_;
    for (exchanged_face* f : {&in_[std::size_t(side)], &out_[std::size_t(side)]}) {
      f->on_device.emplace(imbrex::gpu(), layout_.face_cells(side));
      f->on_host.emplace(imbrex::gpu(), layout_.face_cells(side));
    }
  }

  if (keeps_data_) fill(grid, initial_values::parse(init));
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

void device_block::order(imbrex::stream& earlier, imbrex::stream& later) {
  if (&earlier == &later) return;
  earlier.record(turn_);
  later.wait(turn_);
}

imbrex::task<> device_block::start() {
  co_await streams_.compute().done();  // requests have streams of their own
  co_await send_faces();
}

void device_block::submit_faces() {
  auto& s = streams_;
  if (!request_) order(s.compute(), s.pack());
  for (int side = 0; side < sides; ++side) {
    if (!shared(side)) continue;
    auto& out = out_[std::size_t(side)];
    if (request_) {
      request_->launch(pack, std::as_const(now_).span(), out.on_device->span(), layout_, side);
      request_->copy(out.on_host->span(), std::as_const(*out.on_device).span());
      continue;
    }
    s.pack().launch(pack, std::as_const(now_).span(), out.on_device->span(), layout_, side);
    order(s.pack(), s.from_device());
    s.from_device().copy(out.on_host->span(), std::as_const(*out.on_device).span());
  }
}

imbrex::task<> device_block::done() {
  if (request_) {
    co_await offload(std::exchange(*request_, {}));
    co_return;
  }
  auto& s = streams_;
  order(s.compute(), s.from_device());  // a block without neighbours waits for its update as well
  co_await s.from_device().done();
}

imbrex::task<> device_block::send_faces() {
  submit_faces();
  co_await done();
  const auto blocks = peers();
  for (int side = 0; side < sides; ++side) {
    if (!shared(side)) continue;
    auto neighbour = where();
    neighbour[side / 2] += side % 2 == 0 ? -1 : 1;
    const auto cells = out_[std::size_t(side)].on_host->span();
    face outermost{side ^ 1, {}};
    if (keeps_data_)
      outermost.cells.assign(cells.begin(), cells.end());
    else
      outermost.left_out.count = cells.size_bytes();
    imbrex::spend_copy(cells.size_bytes());
    imbrex::send<&device_block::halo>(blocks[neighbour], iteration_, std::move(outermost));
  }
}

void device_block::submit_halo(const face& received) {
  auto& s = streams_;
  auto& in = in_[std::size_t(received.side)];
  if (keeps_data_) std::ranges::copy(received.cells, in.on_host->span().begin());
  imbrex::spend_copy(in.on_host->span().size_bytes());
  if (request_) {
    request_->copy(in.on_device->span(), std::as_const(*in.on_host).span());
    request_->launch(unpack, std::as_const(*in.on_device).span(), now_.span(), layout_, received.side);
    return;
  }
  s.to_device().copy(in.on_device->span(), std::as_const(*in.on_host).span());
  order(s.to_device(), s.unpack());
  s.unpack().launch(unpack, std::as_const(*in.on_device).span(), now_.span(), layout_, received.side);
}

void device_block::submit_update() {
  auto& s = streams_;
  if (request_) {
    request_->launch(update, std::as_const(now_).span(), next_.span(), layout_);
  } else {
    order(s.unpack(), s.compute());
    s.compute().launch(update, std::as_const(now_).span(), next_.span(), layout_);
  }
  std::swap(now_, next_);
}

imbrex::task<progress> device_block::run(std::int64_t iterations, double tolerance) {
  progress p;
  while (p.iterations < iterations) {
    for (int n = neighbours_; n > 0; --n) {
      const face received = co_await halo.receive(iteration_);
      submit_halo(received);
    }
    submit_update();
    ++p.iterations;
    ++iteration_;
    co_await send_faces();  // of the next iteration, even after the last: another call of run() may follow
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
