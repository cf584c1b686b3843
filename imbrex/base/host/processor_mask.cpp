// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/processor_mask.hpp>

#include <cstddef>

namespace imbrex::detail {
namespace {

std::size_t bytes(const processor_mask& mask) { return mask.size() * sizeof(cpu_set_t); }

}  // namespace

processor_mask affinity_of_this_thread() {
  constexpr std::size_t most_sets = 64;
  for (std::size_t sets = 1; sets <= most_sets; sets *= 2) {
    processor_mask mask(sets);
    if (::sched_getaffinity(0, bytes(mask), mask.data()) == 0) return mask;
  }
  return {};
}

bool set_affinity_of_this_thread(const processor_mask& mask) {
  return ::sched_setaffinity(0, bytes(mask), mask.data()) == 0;
}

std::vector<int> processors_in(const processor_mask& mask) {
  std::vector<int> found;
  const auto count = static_cast<std::size_t>(CPU_COUNT_S(bytes(mask), mask.data()));
  found.reserve(count);
  for (std::size_t p = 0; found.size() < count; ++p)
    if (CPU_ISSET_S(p, bytes(mask), mask.data())) found.push_back(static_cast<int>(p));
  return found;
}

processor_mask mask_of(int processor) {
  processor_mask mask(static_cast<std::size_t>(processor) / CPU_SETSIZE + 1);
  CPU_SET_S(static_cast<std::size_t>(processor), bytes(mask), mask.data());
  return mask;
}

}  // namespace imbrex::detail
