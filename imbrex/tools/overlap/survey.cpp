// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/survey.hpp>

#include <algorithm>

namespace imbrex::overlap {

std::vector<std::uint64_t> some_elements(const datum& of, std::size_t most) {
  const std::uint64_t count = std::min<std::uint64_t>(of.sent, most);
  std::vector<std::uint64_t> found;
  for (std::uint64_t k = 0; k < count; ++k)
    found.push_back(count == of.sent
                        ? k
                        : (of.sent - 1) / (count - 1) * k + (of.sent - 1) % (count - 1) * k / (count - 1));
  return found;
}

}  // namespace imbrex::overlap
