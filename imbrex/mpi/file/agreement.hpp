// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include <imbrex/mpi/collective/exchange.hpp>
#include <imbrex/mpi/communicator.hpp>

namespace imbrex::mpi {

/// Receives a value of each member, by their ranks. `own` and the result live until the plan ends.
template <class T>
plan gather_values(schedule& s, const T& own, std::vector<T>& all) {
  static_assert(std::is_trivially_copyable_v<T>);
  all.resize(static_cast<std::size_t>(s.in()->size()));
  const user_buffer send = bytes_at(const_cast<T*>(&own), std::int64_t{sizeof(T)});
  const block_list receive{all.data(), std::int64_t{sizeof(T)}, send.type, {}, {}, {}};
  co_await all_gather(s, send, receive, false);
}

/// Collective: the values of all members, by their ranks.
template <class T>
std::vector<T> values_of_all(rank& by, const ref<communicator>& in, const T& own) {
  std::vector<T> all;
  run_schedule(by, in, purpose::collective, [&](schedule& s) { return gather_values(s, own, all); });
  return all;
}

}  // namespace imbrex::mpi
