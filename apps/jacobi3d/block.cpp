// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/block.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "apps/jacobi3d/checksum.hpp"
#include "apps/jacobi3d/initial_values.hpp"

namespace jacobi3d {

namespace {

double cells_of(const extents& count) { return double(count[0]) * double(count[1]) * double(count[2]); }

}  // namespace

block::block(const extents& grid, const std::string& init, overlap_mode overlap, const pace& sweeps,
             const hot_blocks& hot)
    : cut_{grid, to_extents(peers().shape())},
      place_(to_extents(where())),
      field_(cut_.cells(place_), cut_.shared_sides(place_)),
      overlap_(overlap),
      pace_(sweeps),
      sweeps_(hot.sweeps_of(place_, cut_.blocks)),
      stores_(stores_for(peers().size() * block_field::bytes(field_.cells()))) {
  for (int side = 0; side < sides; ++side) neighbours_ += field_.shared(side) ? 1 : 0;
  fill(field_, initial_values::parse(init), grid, cut_.first(place_));
}

void block::start() { send_faces(); }

void block::send_faces() {
  const auto blocks = peers();
  for (int side = 0; side < sides; ++side) {
    if (!field_.shared(side)) continue;
    auto neighbour = where();
    neighbour[side / 2] += side % 2 == 0 ? -1 : 1;
    imbrex::send<&block::halo>(blocks[neighbour], iteration_, face{side ^ 1, field_.take_face(side)});
  }
}

// The fraction of the cells that can be swept before the halos arrive.
double block::inner_part() const {
  extents inner = field_.cells();
  for (int side = 0; side < sides; ++side)
    if (field_.shared(side))
      inner[std::size_t(side / 2)] = std::max<std::int64_t>(0, inner[std::size_t(side / 2)] - 1);
  return cells_of(inner) / cells_of(field_.cells());
}

// Sweeps a fraction of this block's cells, marked for traces, in its minimal time.
template <class Sweep>
double block::keep_pace(double part, Sweep sweep) {
  const auto words = std::uint64_t(std::llround(part * cells_of(field_.cells())));
  const imbrex::trace::consume read("cells", words);
  const imbrex::trace::produce written("cells", words);
  const auto began = pace::clock::now();
  const double change = sweep();
  pace_.keep(began, part * cells_of(field_.cells()) / cells_of(cut_.grid));
  return change;
}

// All repetitions have the same operands and results.
template <class Sweep>
double block::repeat(double part, bool ends, Sweep sweep) {
  for (std::int64_t n = 1; n < sweeps_; ++n) {
    keep_pace(part, sweep);
    if (ends) field_.flip();
  }
  return keep_pace(part, sweep);
}

imbrex::task<progress> block::run(std::int64_t first, std::int64_t end, double tolerance,
                                  bool needs_residual) {
  const bool manual = overlap_ == overlap_mode::manual;
  const auto has_converged = [&] { return iteration_ > first && tolerance > 0 && residual_ < tolerance; };
  while (iteration_ < end && !has_converged()) {
    const bool last = iteration_ + 1 == end;
    const sweep_options options{.stores = stores_, .change = tolerance > 0 || (last && needs_residual)};
    double interior = 0;
    if (manual) {
      co_await imbrex::sleep_for(std::chrono::nanoseconds(0));  // yields to the scheduler, to send the faces
      interior = repeat(inner_part(), false, [&] { return sweep_interior(field_, options); });
    }
    for (int n = neighbours_; n > 0; --n) {
      face received = co_await halo.receive(iteration_);
      field_.put_halo(received.side, std::move(received.cells));
    }
    residual_ = manual ? std::max(interior, repeat(1 - inner_part(), true,
                                                   [&] { return sweep_exterior(field_, options); }))
                       : repeat(1, true, [&] { return sweep(field_, options); });
    ++iteration_;
    send_faces();  // for the next iteration, even after the last: run() may be called again
    if (tolerance > 0) {
      residual_ = co_await all_reduce(residual_, imbrex::max);
      if (residual_ < tolerance) break;
    }
    if (!last) co_await balance_point<&block::run>(first, end, tolerance, needs_residual);
  }
  co_return progress{iteration_ - first, residual_};
}

std::uint64_t block::checksum() { return jacobi3d::checksum(field_, cut_.grid, cut_.first(place_)); }

imbrex::packed_cells<double, 3> block::cells() const {
  const extents& count = field_.cells();
  std::vector<double> values;
  values.reserve(std::size_t(count[0] * count[1] * count[2]));
  for (std::int64_t i = 0; i < count[0]; ++i)
    for (std::int64_t j = 0; j < count[1]; ++j)
      for (std::int64_t k = 0; k < count[2]; ++k) values.push_back(field_.cell(i, j, k));
  return {imbrex::index<3>(count[0], count[1], count[2]), std::move(values)};
}

}  // namespace jacobi3d
