// SPDX-License-Identifier: Apache-2.0
#include <imbrex/cells/copy_numbers.hpp>

namespace imbrex::cells::detail {

void copy_numbers::assign(const std::vector<std::size_t>& own, const std::vector<std::size_t>& copies) {
  first_own_.clear();
  std::size_t n = 0;
  for (const std::size_t count : own) {
    first_own_.push_back(n);
    n += count;
  }
  first_copy_.clear();
  n = images_.elements.size();
  for (const std::size_t count : copies) {
    first_copy_.push_back(n);
    n += count;
  }
  first_copy_.push_back(n);
  copies_ = n;
}

}  // namespace imbrex::cells::detail
