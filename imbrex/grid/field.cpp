// SPDX-License-Identifier: Apache-2.0
#include <imbrex/grid/field.hpp>

#include <string>

#include <imbrex/base/error.hpp>

namespace imbrex::grid::detail {
namespace {

std::string text(int dimensions, const int* numbers) {
  std::string all = "(";
  for (int d = 0; d < dimensions; ++d) all += (d == 0 ? "" : ", ") + std::to_string(numbers[d]);
  return all + ")";
}

std::size_t multiple_of(std::size_t line, std::size_t cells) { return (cells + line - 1) / line * line; }

}  // namespace

padded_layout::padded_layout(int dimensions, const int* extents, const int* ghosts, std::size_t line,
                             std::size_t bytes_each) {
  for (int d = 0; d < dimensions; ++d) {
    if (extents[d] < 1)
      throw error("a field cannot have the extents " + text(dimensions, extents) +
                  ": each must be 1 or more");
    if (ghosts[d] < 0)
      throw error("a field cannot have ghost layers of the widths " + text(dimensions, ghosts) +
                  ": each must be 0 or more");
  }
  const auto with_ghosts = [&](int d) {
    return static_cast<std::size_t>(extents[d]) + 2 * static_cast<std::size_t>(ghosts[d]);
  };
  const int last = dimensions - 1;
  const std::size_t before = multiple_of(line, static_cast<std::size_t>(ghosts[last]));
  strides[static_cast<std::size_t>(last)] = 1;
  std::size_t distance = multiple_of(line, with_ghosts(last));
  origin = before;
  bool is_too_large = false;
  for (int d = last - 1; d >= 0; --d) {
    strides[static_cast<std::size_t>(d)] = static_cast<std::ptrdiff_t>(distance);
    origin += static_cast<std::size_t>(ghosts[d]) * distance;
    is_too_large |= __builtin_mul_overflow(distance, with_ghosts(d), &distance);
  }
  std::size_t bytes = 0;
  is_too_large |= __builtin_mul_overflow(distance, bytes_each, &bytes) || bytes > (~std::size_t{0} >> 2U);
  if (is_too_large)
    throw error("a field of the extents " + text(dimensions, extents) + " with ghost layers of the widths " +
                text(dimensions, ghosts) +
                " has more bytes than memory can have: cut the grid into more blocks");
  cells = before + distance;
}

void throw_other_memory(std::size_t cells, std::size_t in_memory) {
  throw serial_error("malformed message: a field of " + std::to_string(cells) + " cells has memory for " +
                     std::to_string(in_memory));
}

void throw_too_shallow(const std::string& extents, const std::string& width, int dimension) {
  throw error("a block of the extents " + extents + " has fewer cells in dimension " +
              std::to_string(dimension) + " than ghost layers, whose widths are " + width +
              ": take fewer blocks or fewer layers");
}

}  // namespace imbrex::grid::detail
