// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace imbrex::tools {

/// Detects the first occurrence of elements, up to a maximum number. Two elements may be taken for one, with
/// a probability of 1e-7 at that maximum.
class element_count {
 public:
  /// Whether an element has run this entry before; `full` if too many are stored.
  enum class answer : std::uint8_t { known, fresh, full };
  answer add(std::uint32_t entry, std::uint32_t collection, std::uint64_t element);

 private:
  void grow();

  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(64);
  std::size_t size_ = 0;
};

}  // namespace imbrex::tools
