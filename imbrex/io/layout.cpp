// SPDX-License-Identifier: Apache-2.0
#include <imbrex/io/layout.hpp>

#include <numeric>

#include <imbrex/base/error.hpp>

namespace imbrex::io::detail {
namespace {

void check_count(const std::string& name, const lengths& shape, const std::vector<element_part>& parts) {
  if (parts.size() != volume_of(shape))
    throw error("the data set " + name + " needs all elements of the array: it has " +
                std::to_string(parts.size()) + " of " + std::to_string(volume_of(shape)));
}

std::uint64_t place_of(const lengths& where, const lengths& shape) {
  std::uint64_t place = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) place = place * shape[d] + where[d];
  return place;
}

std::vector<std::uint64_t> summed(const std::vector<std::uint64_t>& each) {
  std::vector<std::uint64_t> starts{0};
  std::partial_sum(each.begin(), each.end(), std::back_inserter(starts));
  return starts;
}

}  // namespace

layout layout::of_blocks(const std::string& name, const lengths& shape,
                         const std::vector<element_part>& parts) {
  check_count(name, shape, parts);
  layout all;
  all.shape_ = shape;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    constexpr std::uint64_t unknown = ~std::uint64_t{0};
    std::vector<std::uint64_t> each(shape[d], unknown);
    for (const element_part& part : parts) {
      std::uint64_t& length = each[part.where[d]];
      if (length == unknown) length = part.extents[d];
      if (length != part.extents[d])
        throw error("the data set " + name + " is cut by planes, but the block of element " +
                    text_of(part.where) + " has " + std::to_string(part.extents[d]) + " cells in dimension " +
                    std::to_string(d) + ", and another of its row " + std::to_string(length));
    }
    all.starts_.push_back(summed(each));
  }
  return all;
}

layout layout::in_a_row(const std::string& name, const lengths& shape,
                        const std::vector<element_part>& parts) {
  check_count(name, shape, parts);
  std::vector<std::uint64_t> each(parts.size());
  for (const element_part& part : parts) each[place_of(part.where, shape)] = part.extents[0];
  return at(shape, summed(each));
}

layout layout::equal_parts(const lengths& shape, std::uint64_t total) {
  const std::uint64_t parts = volume_of(shape);
  std::vector<std::uint64_t> each(parts);
  for (std::uint64_t k = 0; k < parts; ++k) each[k] = total / parts + (k < total % parts ? 1 : 0);
  return at(shape, summed(each));
}

layout layout::at(const lengths& shape, const std::vector<std::uint64_t>& starts) {
  layout all;
  all.shape_ = shape;
  all.starts_.push_back(starts);
  all.is_row_ = true;
  return all;
}

lengths layout::extents() const {
  lengths all;
  for (const auto& starts : starts_) all.push_back(starts.back());
  return all;
}

number_box layout::box_of(const lengths& where) const {
  number_box box;
  for (std::size_t d = 0; d < starts_.size(); ++d) {
    const std::uint64_t place = is_row_ ? place_of(where, shape_) : where[d];
    box.first.push_back(starts_[d][place]);
    box.count.push_back(starts_[d][place + 1] - starts_[d][place]);
  }
  return box;
}

}  // namespace imbrex::io::detail
