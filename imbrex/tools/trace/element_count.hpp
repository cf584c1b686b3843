// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace imbrex::tools {

/// Tells which elements it has not seen before, as long as they are not too many. Two may be taken for one,
/// with a probability of 1e-7 for the most it keeps.
class element_count {
 public:
  /// What it says of an element that an entry method of a collection runs for.
  enum class answer : std::uint8_t { known, fresh, full };
  answer add(std::uint32_t entry, std::uint32_t collection, std::uint64_t element);

 private:
  void grow();

  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(64);
  std::size_t size_ = 0;
};

}  // namespace imbrex::tools
