// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/block.hpp"

#include <array>
#include <utility>

#include "apps/jacobi3d/checksum.hpp"
#include "apps/jacobi3d/initial_values.hpp"

namespace jacobi3d {
namespace {

extents extents_of(const imbrex::index<3>& i) { return {i[0], i[1], i[2]}; }

std::array<bool, sides> shared_sides(const extents& place, const extents& blocks) {
  std::array<bool, sides> shared;
  for (std::size_t d = 0; d < 3; ++d) {
    shared[2 * d] = place[d] > 0;
    shared[2 * d + 1] = place[d] + 1 < blocks[d];
  }
  return shared;
}

}  // namespace

block::block(const extents& grid, const std::string& init)
    : cut_{grid, extents_of(peers().shape())},
      place_(extents_of(where())),
      field_(cut_.cells(place_), shared_sides(place_, cut_.blocks)),
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

imbrex::task<progress> block::run(std::int64_t iterations, double tolerance, bool residual_wanted) {
  progress made;
  while (made.iterations < iterations) {
    for (int n = neighbours_; n > 0; --n) {
      face received = co_await halo.receive(iteration_);
      field_.put_halo(received.side, std::move(received.cells));
    }
    ++made.iterations;
    const bool last = made.iterations == iterations;
    made.residual = sweep(field_, {.stores = stores_, .change = tolerance > 0 || (last && residual_wanted)});
    ++iteration_;
    send_faces();  // of the next iteration, even after the last: another call of run() may follow
    if (tolerance > 0) {
      made.residual = co_await all_reduce(made.residual, imbrex::max);
      if (made.residual < tolerance) break;
    }
  }
  co_return made;
}

std::uint64_t block::checksum() { return jacobi3d::checksum(field_, cut_.grid, cut_.first(place_)); }

std::vector<double> block::cells() {
  const extents& count = field_.cells();
  std::vector<double> values;
  values.reserve(std::size_t(count[0] * count[1] * count[2]));
  for (std::int64_t i = 0; i < count[0]; ++i)
    for (std::int64_t j = 0; j < count[1]; ++j)
      for (std::int64_t k = 0; k < count[2]; ++k) values.push_back(field_.cell(i, j, k));
  return values;
}

}  // namespace jacobi3d
