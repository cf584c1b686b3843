// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/block_field.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include <imbrex/base/out_of_memory.hpp>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace jacobi3d {
namespace {

constexpr std::size_t line = 8;  // doubles in 64 bytes
constexpr std::size_t huge_page = std::size_t(2) << 20;

// Rows are not padded further if their pitch is a multiple of 512 bytes. Then the rows needed by one cell
// share sets of the first-level cache, but unused cache lines would cost more.
std::size_t row_pitch(std::int64_t cells) { return (std::size_t(cells) + line - 1) / line * line; }

double* allocate(std::size_t doubles) {
  const std::size_t bytes = doubles * sizeof(double);
  const std::size_t alignment = bytes >= huge_page ? huge_page : line * sizeof(double);
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  auto* storage = static_cast<double*>(std::aligned_alloc(alignment, rounded));
  if (storage == nullptr) imbrex::throw_out_of_memory();
#ifdef __linux__
  if (alignment == huge_page) madvise(storage, rounded, MADV_HUGEPAGE);  // only a hint: a failure is harmless
#endif
  std::fill_n(storage, rounded / sizeof(double), 0.0);
  return storage;
}

}  // namespace

block_field::block_field(const extents& cells, const std::array<bool, sides>& shared)
    : cells_(cells), shared_(shared) {
  make_storage();
  for (int side = 0; side < sides; ++side) halo_[std::size_t(side)].resize(face_size(side));
  gather_faces();
}

void block_field::make_storage() {
  row_pitch_ = jacobi3d::row_pitch(cells_[2]);
  plane_pitch_ = row_pitch_ * std::size_t(cells_[1]);
  const std::size_t cells = plane_pitch_ * std::size_t(cells_[0]);
  storage_.reset(allocate(2 * cells));
  now_ = storage_.get();
  next_ = storage_.get() + cells;
}

std::uint64_t block_field::bytes(const extents& cells) {
  const auto nx = std::uint64_t(cells[0]), ny = std::uint64_t(cells[1]);
  const std::uint64_t faces = 4 * (nx * ny + (nx + ny) * jacobi3d::row_pitch(cells[2]));
  return (2 * nx * ny * jacobi3d::row_pitch(cells[2]) + faces) * sizeof(double);
}

std::size_t block_field::face_size(int side) const {
  switch (side / 2) {
    case 0: return std::size_t(cells_[1]) * row_pitch_;
    case 1: return std::size_t(cells_[0]) * row_pitch_;
    default: return std::size_t(cells_[0]) * std::size_t(cells_[1]);
  }
}

std::vector<double> block_field::take_face(int side) { return std::exchange(face_[std::size_t(side)], {}); }

void block_field::put_halo(int side, std::vector<double> face) {
  if (face.size() != face_size(side))
    throw std::invalid_argument("a face of " + std::to_string(face.size()) +
                                " elements was received for side " + std::to_string(side) + ", which has " +
                                std::to_string(face_size(side)));
  auto& halo = halo_[std::size_t(side)];
  halo.swap(face);
  if (face_[std::size_t(side)].empty()) face_[std::size_t(side)] = std::move(face);
}

void block_field::gather_faces() {
  for (int side = 0; side < sides; ++side) {
    if (!shared(side)) continue;
    auto& face = face_[std::size_t(side)];
    face.resize(face_size(side));
    for_each_of_side(side, [&](std::size_t at, std::int64_t i, std::int64_t j, std::int64_t k) {
      face[at] = now_[offset(i, j, k)];
    });
  }
}

block_field::sweep_view block_field::view() {
  sweep_view view{now_, next_, {}, {}, row_pitch_, plane_pitch_};
  for (std::size_t side = 0; side < std::size_t(sides); ++side) {
    view.halo[side] = halo_[side].data();
    if (!shared_[side]) continue;
    face_[side].resize(face_size(int(side)));
    view.face[side] = face_[side].data();
  }
  return view;
}

block_field::sweep_view block_field::interior_view() {
  for (const int side : {4, 5})
    if (shared(side)) std::ranges::fill(halo_[std::size_t(side)], std::numeric_limits<double>::quiet_NaN());
  sweep_view view{now_, next_, {}, {}, row_pitch_, plane_pitch_};
  for (std::size_t side = 0; side < std::size_t(sides); ++side) view.halo[side] = halo_[side].data();
  return view;
}

}  // namespace jacobi3d
