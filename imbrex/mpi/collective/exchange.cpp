// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/collective/exchange.hpp>

#include <algorithm>
#include <variant>

#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

namespace {

/// Total bytes above which doubling's copies cost more than the additional rounds of a ring.
constexpr std::int64_t most_by_doubling = 32 << 10;
/// Pairs of an exchange in progress at a time; bounds the memory.
constexpr int pairs_at_a_time = 32;

plan gather_by_doubling(schedule& s, const block_list& receive) {
  const auto own = s.own();
  const int size = own.size();
  const int me = s.rank_of_own();
  // Packed blocks, starting with the own block.
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(size) + 1, 0);
  for (int i = 0; i < size; ++i)
    offsets[static_cast<std::size_t>(i) + 1] =
        offsets[static_cast<std::size_t>(i)] + receive[(me + i) % size].bytes();
  const auto offset = [&offsets](int i) { return offsets[static_cast<std::size_t>(i)]; };
  const scratch all(offset(size));
  copy_data(receive[me], all.part(0, offset(1)));
  for (int have = 1; have < size;) {
    const int more = std::min(have, size - have);
    own.receive((me + have) % size, all.part(offset(have), offset(have + more) - offset(have)));
    own.send((me + size - have) % size, all.part(0, offset(more)));
    co_await s.next();
    have += more;
  }
  for (int i = 1; i < size; ++i)
    copy_data(all.part(offset(i), offset(i + 1) - offset(i)), receive[(me + i) % size]);
}

plan gather_around_ring(schedule& s, const block_list& receive) {
  const auto own = s.own();
  const int size = own.size();
  const int me = s.rank_of_own();
  for (int i = 1; i < size; ++i) {
    own.receive((me + size - 1) % size, receive[(me + size - i) % size]);
    own.send((me + 1) % size, receive[(me + size - i + 1) % size]);
    co_await s.next();
  }
}

}  // namespace

plan all_gather(schedule& s, const user_buffer& send, const block_list& receive, bool is_in_place) {
  if (s.in()->is_inter()) {
    const auto other = s.other();
    for (int i = 0; i < other.size(); ++i) {
      if (const user_buffer block = receive[i]; block.bytes() > 0) other.receive(i, block);
      if (send.bytes() > 0) other.send(i, send);
    }
    co_await s.next();
    co_return;
  }
  if (!is_in_place) copy_data(send, receive[s.rank_of_own()]);
  std::int64_t total = 0;
  for (int i = 0; i < s.own().size(); ++i) total += receive[i].bytes();
  if (total <= most_by_doubling) {
    co_await gather_by_doubling(s, receive);
  } else {
    co_await gather_around_ring(s, receive);
  }
}

plan all_to_all(schedule& s, const block_list& send, const block_list& receive, bool is_in_place) {
  const auto there = s.other();
  const int size = there.size();
  if (s.in()->is_inter()) {  // the groups' sizes may differ, so members cannot be paired
    for (int i = 0; i < size; ++i) {
      if (const user_buffer block = receive[i]; block.bytes() > 0) there.receive(i, block);
      if (const user_buffer block = send[i]; block.bytes() > 0) there.send(i, block);
    }
    co_await s.next();
    co_return;
  }
  std::vector<std::int64_t> offsets(is_in_place ? static_cast<std::size_t>(size) + 1 : 0, 0);
  for (int i = 0; is_in_place && i < size; ++i)
    offsets[static_cast<std::size_t>(i) + 1] = offsets[static_cast<std::size_t>(i)] + receive[i].bytes();
  const scratch before(is_in_place ? offsets.back() : 0);
  const auto part_before = [&](int i) {
    const auto at = static_cast<std::size_t>(i);
    return before.part(offsets[at], offsets[at + 1] - offsets[at]);
  };
  for (int i = 0; is_in_place && i < size; ++i) copy_data(receive[i], part_before(i));
  const int me = s.rank_of_own();
  if (!is_in_place) copy_data(send[me], receive[me]);
  for (int first = 1; first < size; first += pairs_at_a_time) {
    for (int i = first; i < std::min(size, first + pairs_at_a_time); ++i) {
      const int from = (me + size - i) % size;
      const int to = (me + i) % size;
      if (const user_buffer block = receive[from]; block.bytes() > 0) there.receive(from, block);
      if (const user_buffer block = is_in_place ? part_before(to) : send[to]; block.bytes() > 0)
        there.send(to, block);
    }
    co_await s.next();
  }
}

neighbourhood neighbourhood_of(const communicator& in) {
  if (const auto* const grid = std::get_if<cartesian>(&in.topology)) {
    const std::vector<int> all = grid->neighbours(in.rank());
    return {all, all, true};
  }
  if (const auto* const edges = std::get_if<graph>(&in.topology)) {
    const auto found = edges->neighbours(in.rank());
    const std::vector<int> all(found.begin(), found.end());
    return {all, all, false};
  }
  if (const auto* const lists = std::get_if<adjacency>(&in.topology))
    return {lists->sources, lists->destinations, false};
  throw error(MPI_ERR_TOPOLOGY,
              "the communicator has no topology, and so no neighbours; make one by MPI_Cart_create, "
              "MPI_Graph_create or MPI_Dist_graph_create");
}

plan exchange_with_neighbours(schedule& s, const neighbourhood& with, const block_list& send, bool is_one,
                              const block_list& receive) {
  const auto own = s.own();
  for (int i = 0; i < static_cast<int>(with.sources.size()); ++i) {
    // If one rank is both neighbours of a dimension, receive in its order of sends: down, then up.
    const int at = with.is_grid ? i ^ 1 : i;
    if (const int from = with.sources[static_cast<std::size_t>(at)]; from != MPI_PROC_NULL)
      own.receive(from, receive[at]);
  }
  for (int i = 0; i < static_cast<int>(with.destinations.size()); ++i)
    if (const int to = with.destinations[static_cast<std::size_t>(i)]; to != MPI_PROC_NULL)
      own.send(to, send[is_one ? 0 : i]);
  co_await s.next();
}

}  // namespace imbrex::mpi
