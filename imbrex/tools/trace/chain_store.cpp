// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/chain_store.hpp>

#include <algorithm>

namespace imbrex::tools {

namespace {

constexpr std::size_t most_kept = 40'000;  // some 24 MB
constexpr std::uint32_t block = 8;         // parts copied together without a function call
static_assert(chain_parts % block == 0);

/// Copies the parts before `used`, rounded up to whole blocks.
void copy_parts(const chain_times& from, std::uint32_t used, chain_times& to) {
  for (std::uint32_t k = 0; k < used; k += block) std::copy_n(from.begin() + k, block, to.begin() + k);
}

}  // namespace

std::uint32_t chain_store::keep(const chain_times& times, std::uint32_t used, std::uint64_t since,
                                std::uint32_t part) {
  if (first_free_ == 0) {
    if (kept_.size() == most_kept) return 0;
    kept_.emplace_back();
    first_free_ = static_cast<std::uint32_t>(kept_.size());
  }
  const std::uint32_t number = first_free_;
  copy& entry = kept_[number - 1];
  first_free_ = entry.next_free;
  entry.since = since;
  entry.part = part;
  entry.used = used;
  entry.uses = 1;
  copy_parts(times, used, entry.times);
  return number;
}

void chain_store::restore(std::uint32_t number, std::uint64_t time, std::uint32_t used,
                          chain_times& into) const {
  const copy& from = kept_[number - 1];
  copy_parts(from.times, from.used, into);
  for (std::uint32_t k = from.used; k < used; ++k) into[k] = 0;
  into[from.part] += time - from.since;
}

}  // namespace imbrex::tools
