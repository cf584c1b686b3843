// SPDX-License-Identifier: Apache-2.0
#include <imbrex/trace/tick_line.hpp>

#include <imbrex/base/clock.hpp>
#include <imbrex/base/host/ticks.hpp>

namespace imbrex::trace {

tick_line::reading tick_line::read_both() {
  constexpr int tries = 5;  // the attempt with the shortest interruption counts
  const detail::real_clock clock;
  reading best{};
  std::uint64_t shortest = ~std::uint64_t{0};
  for (int n = 0; n < tries; ++n) {
    const auto before = read_ticks();
    const auto ns = static_cast<std::uint64_t>(clock.now().count());
    const auto took = read_ticks() - before;
    if (took >= shortest) continue;
    shortest = took;
    best = {before + took / 2, ns};
  }
  return best;
}

tick_line::piece tick_line::between(const reading& from, const reading& to) {
  return {from, static_cast<double>(to.ns - from.ns) / static_cast<double>(to.ticks - from.ticks)};
}

void tick_line::add(const reading& now) {
  if (now.ticks <= latest_.ticks || now.ns < latest_.ns) return;
  pieces_.push_back(between(latest_, now));
  latest_ = now;
  if (pieces_.size() <= most_pieces) return;
  pieces_[0] = between(pieces_[0].from, pieces_[2].from);
  pieces_.erase(pieces_.begin() + 1);
}

std::uint64_t tick_line::ns(std::uint64_t ticks) const {
  if (pieces_.empty()) return latest_.ns;
  auto at = pieces_.end() - 1;
  while (at != pieces_.begin() && ticks < at->from.ticks) --at;
  const auto since = static_cast<double>(static_cast<std::int64_t>(ticks - at->from.ticks));
  return at->from.ns + static_cast<std::uint64_t>(static_cast<std::int64_t>(since * at->ns_per_tick));
}

}  // namespace imbrex::trace
