// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/collective/agreement.hpp>

#include <algorithm>

#include <imbrex/mpi/collective/spread.hpp>

namespace imbrex::mpi {

plan broadcast_among(schedule& s, const std::vector<int>& members, const user_buffer& data) {
  const auto own = s.own();
  const auto place = static_cast<std::size_t>(std::ranges::find(members, s.rank_of_own()) - members.begin());
  const std::size_t size = members.size();
  if (place == size) co_return;
  std::size_t reach = 1;  // the lowest bit of the place
  while (reach < size && (place & reach) == 0) reach *= 2;
  if (place != 0) {
    own.receive(members[place - reach], data);
    co_await s.next();
  }
  for (std::size_t step = reach / 2; step > 0; step /= 2)
    if (place + step < size) own.send(members[place + step], data);
  co_await s.next();
}

plan exchange_of_groups(schedule& s, const user_buffer& local_data, const user_buffer& remote_data) {
  if (s.rank_of_own() == 0) {
    s.other().receive(0, remote_data);
    s.other().send(0, local_data);
    co_await s.next();
  }
  co_await broadcast_in_group(s, 0, local_data);
  co_await broadcast_in_group(s, 0, remote_data);
}

plan exchange_with(schedule& s, int other, const user_buffer& local_data, const user_buffer& remote_data) {
  s.other().receive(other, remote_data);
  s.other().send(other, local_data);
  co_await s.next();
}

}  // namespace imbrex::mpi
