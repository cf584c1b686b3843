// SPDX-License-Identifier: Apache-2.0
#include "apps/pic/tile.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include <imbrex/error.hpp>
#include <imbrex/spend.hpp>

#include "apps/pic/distribution.hpp"

namespace pic {
namespace {

/// The first part of a length, cut into parts that differ by at most one, that has this cell.
std::int64_t part_with(std::int64_t cell, std::int64_t length, std::int64_t parts) {
  const std::int64_t shorter = length / parts, longer_ones = length % parts;
  const std::int64_t in_longer_ones = longer_ones * (shorter + 1);
  if (cell < in_longer_ones) return cell / (shorter + 1);
  return longer_ones + (cell - in_longer_ones) / shorter;
}

/// The parts of a periodic length that have a cell within `reach` of the cells from `first` to `last`.
std::vector<int> parts_within(std::int64_t reach, std::int64_t first, std::int64_t last, std::int64_t length,
                              std::int64_t parts) {
  std::vector<int> found;
  const std::int64_t end = std::min(last + reach, first - reach + length - 1);
  for (std::int64_t cell = first - reach; cell <= end; ++cell) {
    const auto part = static_cast<int>(part_with((cell % length + length) % length, length, parts));
    if (found.empty() || found.back() != part) found.push_back(part);
  }
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

/// The push of a corner on a particle at that distance, times the distance.
struct push {
  double x, y;
};
push push_of(double charge, double x, double y) {
  const double squared = x * x + y * y;
  const double by = charge / (squared * std::sqrt(squared));
  return {by * x, by * y};
}

/// The place in a periodic length after a move of less than that length.
double around(double place, double length) {
  if (place < 0) return place + length;
  return place < length ? place : place - length;
}

}  // namespace

tile::tile(const problem& posed)
    : posed_(posed), cut_{{posed.grid, posed.grid, 1}, {peers().shape()[0], peers().shape()[1], 1}} {
  const harness::extents at{where()[0], where()[1], 0};
  const auto first = cut_.first(at), count = cut_.cells(at);
  own_ = {first[0], first[0] + count[0] - 1, first[1], first[1] + count[1] - 1};
  for (std::int64_t x = own_.left; x <= own_.right + 1; ++x)
    corners_.insert(corners_.end(), static_cast<std::size_t>(count[1] + 1), corner_charge(x));
  find_neighbours();
  particles_ = initial_particles(posed, own_);
}

void tile::find_neighbours() {
  const std::int64_t rows_a_step = std::abs(posed_.m);
  for (const int x :
       parts_within(posed_.columns_a_step(), own_.left, own_.right, posed_.grid, cut_.blocks[0]))
    for (const int y : parts_within(rows_a_step, own_.bottom, own_.top, posed_.grid, cut_.blocks[1]))
      if (const imbrex::index<2> there(x, y); there != where()) neighbours_.push_back(there);
}

std::int64_t tile::size() { return static_cast<std::int64_t>(particles_.size()); }

void tile::number(const std::vector<std::int64_t>& first) {
  std::int64_t next = first[static_cast<std::size_t>(where()[0] * cut_.blocks[1] + where()[1])];
  for (particle& p : particles_) p.number = next++;
}

std::size_t tile::neighbour_at(double x, double y) const {
  const auto column = static_cast<std::int64_t>(x), row = static_cast<std::int64_t>(y);
  const imbrex::index<2> there(static_cast<int>(part_with(column, posed_.grid, cut_.blocks[0])),
                               static_cast<int>(part_with(row, posed_.grid, cut_.blocks[1])));
  const auto found = std::ranges::find(neighbours_, there);
  if (found == neighbours_.end())
    throw imbrex::error("a particle has left tile " + imbrex::to_string(where()) + " for tile " +
                        imbrex::to_string(there) + ", which is farther than a particle moves in a step");
  return static_cast<std::size_t>(found - neighbours_.begin());
}

std::vector<std::vector<particle>> tile::advance() {
  std::vector<std::vector<particle>> leaving(neighbours_.size());
  const auto length = static_cast<double>(posed_.grid);
  const auto left = static_cast<double>(own_.left), right = static_cast<double>(own_.right + 1);
  const auto bottom = static_cast<double>(own_.bottom), top = static_cast<double>(own_.top + 1);
  const std::int64_t pitch = own_.top - own_.bottom + 2;
  std::size_t kept = 0;
  for (particle& p : particles_) {
    const auto column = static_cast<std::int64_t>(p.x), row = static_cast<std::int64_t>(p.y);
    const double x = p.x - static_cast<double>(column), y = p.y - static_cast<double>(row);
    const double* const corner =
        &corners_[static_cast<std::size_t>((column - own_.left) * pitch + row - own_.bottom)];
    const push low_left = push_of(corner[0], x, y), high_left = push_of(corner[1], x, y - 1);
    const push low_right = push_of(corner[pitch], x - 1, y);
    const push high_right = push_of(corner[pitch + 1], x - 1, y - 1);
    const double acceleration_x = p.charge * (low_left.x + high_left.x + low_right.x + high_right.x);
    const double acceleration_y = p.charge * (low_left.y + high_left.y + low_right.y + high_right.y);
    p.x = around(p.x + p.velocity_x + 0.5 * acceleration_x, length);
    p.y = around(p.y + p.velocity_y + 0.5 * acceleration_y, length);
    p.velocity_x += acceleration_x;
    p.velocity_y += acceleration_y;
    if (p.x >= left && p.x < right && p.y >= bottom && p.y < top)
      particles_[kept++] = p;
    else
      leaving[neighbour_at(p.x, p.y)].push_back(p);
  }
  particles_.resize(kept);
  return leaving;
}

imbrex::task<> tile::run(std::int64_t until, imbrex::nanoseconds time) {
  while (step_ < until) {
    imbrex::spend(time * size());
    auto leaving = advance();
    for (std::size_t n = 0; n < neighbours_.size(); ++n)
      imbrex::send<&tile::arrivals>(peers()[neighbours_[n]], step_, std::move(leaving[n]));
    for (std::size_t n = 0; n < neighbours_.size(); ++n) {
      const std::vector<particle> arrived = co_await arrivals.receive(step_);
      particles_.insert(particles_.end(), arrived.begin(), arrived.end());
    }
    ++step_;
    if (step_ < until) co_await balance_point<&tile::run>(until, time);
  }
}

summary tile::check() {
  summary all{.particles = size()};
  for (const particle& p : particles_) {
    if (!is_in_place(posed_, p, step_)) ++all.misplaced;
    all.sum_of_numbers += p.number;
  }
  return all;
}

}  // namespace pic
