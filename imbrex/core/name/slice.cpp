// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/name/slice.hpp>

#include <imbrex/base/error.hpp>
#include <imbrex/base/type_name.hpp>

namespace imbrex::detail {

void check_slice(const slice_range& range, int dimension, int extent, std::string_view chare_name) {
  const auto slice_of = [&] {
    return "a section of the array of " + std::string(short_name(chare_name)) + ": the slice of dimension " +
           std::to_string(dimension);
  };
  if (range.stride < 1)
    throw error(slice_of() + " has a stride of " + std::to_string(range.stride) + "; the least is 1");
  if (range.first < 0 || range.last < range.first || range.last > extent)
    throw error(slice_of() + " is from " + std::to_string(range.first) + " to before " +
                std::to_string(range.last) + "; it must lie within 0 to before " + std::to_string(extent) +
                ", the extent of the dimension");
}

}  // namespace imbrex::detail
