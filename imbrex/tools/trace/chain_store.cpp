// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/chain_store.hpp>

#include <algorithm>

namespace imbrex::tools {

namespace {

constexpr std::size_t most_kept = 40'000;  // some 24 MB

}  // namespace

std::uint32_t chain_store::keep(const chain_times& times, std::uint32_t used, std::uint64_t since,
                                std::uint32_t part) {
  if (free_.empty()) {
    if (kept_.size() == most_kept) return 0;
    kept_.emplace_back();
    free_.push_back(static_cast<std::uint32_t>(kept_.size()));
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  copy& made = kept_[number - 1];
  made.since = since;
  made.part = part;
  made.used = used;
  made.uses = 1;
  std::copy_n(times.begin(), used, made.times.begin());
  return number;
}

void chain_store::restore(std::uint32_t number, std::uint64_t time, chain_times& into) const {
  const copy& from = kept_[number - 1];
  std::copy_n(from.times.begin(), from.used, into.begin());
  std::fill(into.begin() + from.used, into.end(), 0);
  into[from.part] += time - from.since;
}

}  // namespace imbrex::tools
