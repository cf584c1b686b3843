// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/endpoint/back_pressure.hpp>

#include <algorithm>

namespace imbrex::endpoints {

bool back_pressure::begins_to_look(time_point now) {
  if (now - looked_last_ < patience_) return false;
  looked_last_ = now;
  return true;
}

/// PEs may wait for each other in a cycle, each with too much to send and too much to run. Then all must
/// receive what the others send. If there is no cycle, only a slow peer, receiving without limit would
/// exhaust memory. A PE cannot distinguish the two cases. So it polls now and then, and less often while more
/// arrives than leaves. If nothing leaves for long, it accepts one long message; also less often, the more
/// bytes are unread.
bool back_pressure::has_looked(time_point now, std::size_t unread, std::uint64_t came, std::uint64_t left) {
  const bool too_often = came > left;
  patience_ = std::clamp(too_often ? patience_ * 2 : patience_ / 2, shortest_patience, longest_patience);
  const std::size_t doublings = std::min(unread / detail::endpoint::most_unread - 1, most_doublings);
  if (left == 0 && now - moved_last_ < shortest_patience * (1 << doublings)) return false;
  moved_last_ = now;
  return left == 0;
}

}  // namespace imbrex::endpoints
