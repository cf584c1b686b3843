// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/api/balance_points.hpp>

#include <cstdint>

#include <imbrex/mpi/rank/balancing.hpp>

namespace imbrex::mpi {

namespace {

/// Collectives between two balance points. A step of a program may have several, with hardly any work between
/// some; so the time between two balance points has whole steps of most programs.
constexpr std::uint32_t collectives_of_a_point = 8;

template <class T, handle_kind Kind>
bool has_any(const object_table<T, Kind>& objects) {
  bool found = false;
  objects.for_each([&](int, const T&) { found = true; });
  return found;
}

/// True if the rank can move where its program does not expect that. A rank with windows, or with a message
/// that it has found and not received, stays; so do all ranks of a run with devices.
bool can_move_unasked(const rank_data& data) {
  return !has_sends_or_receives(data) && !data.self().devices.any() && !has_any(data.windows) &&
         !has_any(data.messages);
}

}  // namespace

bool has_sends_or_receives(const rank_data& data) {
  bool has_one = data.buffered.is_sending();
  data.requests.for_each([&](int, const user_request& q) { has_one = has_one || q.is_active(); });
  return has_one;
}

void balance_after_collective(rank_data& data, const communicator& in) {
  if (in.is_inter() || in.size() != data.self().ranks()) return;
  const bool can_move = can_move_unasked(data);
  if (++data.points.passed % collectives_of_a_point == 0)
    pass_balance_point(data.self(), can_move);
  else if (can_move)
    obey_balancer(data.self());
}

}  // namespace imbrex::mpi
