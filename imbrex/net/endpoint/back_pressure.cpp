// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/endpoint/back_pressure.hpp>

#include <algorithm>

namespace imbrex::endpoints {

bool back_pressure::begins_to_look(time_point now) {
  if (now - looked_last_ < patience_) return false;
  looked_last_ = now;
  return true;
}

/// Of PEs that wait for each other in a circle, each with too much to send and too much to run, all must take
/// in what the others send; but where the circle is none, and somebody at its end only slow, this PE must not
/// take in for ever. Nobody can tell from here. So it looks now and then: the more rarely, the more comes at
/// a look than leaves. And if nothing leaves for long, it takes one of the long messages; that, too, the more
/// rarely the more is here.
bool back_pressure::has_looked(time_point now, std::size_t unread, std::uint64_t came, std::uint64_t left) {
  const bool too_often = came > left;
  patience_ = std::clamp(too_often ? patience_ * 2 : patience_ / 2, shortest_patience, longest_patience);
  const std::size_t doublings = std::min(unread / detail::endpoint::most_unread - 1, most_doublings);
  if (left == 0 && now - moved_last_ < shortest_patience * (1 << doublings)) return false;
  moved_last_ = now;
  return left == 0;
}

}  // namespace imbrex::endpoints
