// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/element_count.hpp>

#include <utility>

namespace imbrex::tools {

namespace {

constexpr std::size_t most_elements = 1U << 20U;

/// The bit mixing of splitmix64, a bijection.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30U) * 0xbf58'476d'1ce4'e5b9U;
  x = (x ^ x >> 27U) * 0x94d0'49bb'1331'11ebU;
  return x ^ x >> 31U;
}

}  // namespace

element_count::answer element_count::add(std::uint32_t entry, std::uint32_t collection,
                                         std::uint64_t element) {
  std::uint64_t key = mixed(mixed(element + 1) + (std::uint64_t{entry} << 32U | collection));
  if (key == 0) key = 1;
  std::size_t at = key & (slots_.size() - 1);
  while (slots_[at] != 0) {
    if (slots_[at] == key) return answer::known;
    at = (at + 1) & (slots_.size() - 1);
  }
  if (size_ == most_elements) return answer::full;
  slots_[at] = key;
  if (2 * ++size_ > slots_.size()) grow();
  return answer::fresh;
}

void element_count::grow() {
  std::vector<std::uint64_t> old(2 * slots_.size());
  old.swap(slots_);
  for (const std::uint64_t key : old) {
    if (key == 0) continue;
    std::size_t at = key & (slots_.size() - 1);
    while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = key;
  }
}

}  // namespace imbrex::tools
