// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/internal/placement.hpp>

namespace imbrex::balance::detail {

std::vector<double>& placement::loads_of_pes(std::span<const double> load, std::span<const role> roles) {
  if (load_ == load.data() && roles_ == roles.data()) return loads_of_pes_;
  load_ = load.data();
  roles_ = roles.data();
  loads_of_pes_.assign(static_cast<std::size_t>(problem_.on.pes), 0);
  for (std::size_t i = 0; i < pe_.size(); ++i)
    if (roles.empty() || roles[i] != role::absent) loads_of_pes_[static_cast<std::size_t>(pe_[i])] += load[i];
  return loads_of_pes_;
}

bool placement::take_room(std::size_t object, int to) {
  const std::uint64_t bytes = problem_.device_bytes[object];
  const int before = problem_.on.device_of(pe_[object]), after = problem_.on.device_of(to);
  if (bytes == 0 || before == after) return true;
  if (after < 0) return false;
  if (room_.empty()) return true;
  const int first = problem_.on.device_of(problem_.pe[object]);
  auto& room = room_[static_cast<std::size_t>(after)];
  if (after != first) {
    if (room < bytes) return false;
    room -= bytes;
  }
  if (before >= 0 && before != first) room_[static_cast<std::size_t>(before)] += bytes;
  return true;
}

}  // namespace imbrex::balance::detail
