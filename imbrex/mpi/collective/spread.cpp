// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/collective/spread.hpp>

#include <algorithm>

namespace imbrex::mpi {

namespace {

/// Block length in bytes above which forwarding copies through a tree do not pay.
constexpr std::int64_t longest_by_tree = 2048;

/// A rank's position in the binomial tree of a root.
struct tree {
  int size;
  int root;
  int place;  ///< 0 for the root

  tree(int members, int its_root, int rank)
      : size(members), root(its_root), place((rank - its_root + members) % members) {}
  int rank_at(int where) const { return (where + root) % size; }
  /// The lowest set bit of the place; for the root the first power of two >= size.
  int reach() const {
    int mask = 1;
    while (mask < size && (place & mask) == 0) mask *= 2;
    return mask;
  }
  int parent() const { return rank_at(place - reach()); }
  /// Size of the subtree at place `where`, which spans at most `reach` places.
  int members(int where, int reach) const { return std::min(reach, size - where); }
};

plan barrier_between_groups(schedule& s) {
  const user_buffer nothing = bytes_at(nullptr, 0);
  const auto own = s.own();
  const tree here(own.size(), 0, s.rank_of_own());
  for (int mask = here.reach() / 2; mask > 0; mask /= 2)
    if (here.place + mask < here.size) own.receive(here.place + mask, nothing);
  co_await s.next();
  if (here.place == 0) {
    s.other().send(0, nothing);
    s.other().receive(0, nothing);
  } else {
    own.send(here.parent(), nothing);
  }
  co_await s.next();
  co_await broadcast_in_group(s, 0, nothing);
}

}  // namespace

plan nothing_to_do(schedule& /*s*/) { co_return; }

plan barrier(schedule& s) {
  if (s.in()->is_inter()) {
    co_await barrier_between_groups(s);
    co_return;
  }
  const user_buffer nothing = bytes_at(nullptr, 0);
  const auto own = s.own();
  const int size = own.size();
  const int me = s.rank_of_own();
  for (int distance = 1; distance < size; distance *= 2) {
    own.receive((me + size - distance) % size, nothing);
    own.send((me + distance) % size, nothing);
    co_await s.next();
  }
}

plan broadcast_in_group(schedule& s, int root, const user_buffer& data) {
  const auto own = s.own();
  const tree here(own.size(), root, s.rank_of_own());
  if (here.place != 0) {
    own.receive(here.parent(), data);
    co_await s.next();
  }
  for (int mask = here.reach() / 2; mask > 0; mask /= 2)
    if (here.place + mask < here.size) own.send(here.rank_at(here.place + mask), data);
  co_await s.next();
}

plan broadcast(schedule& s, int root, const user_buffer& data) {
  if (!s.in()->is_inter()) {
    co_await broadcast_in_group(s, root, data);
  } else if (root == MPI_ROOT) {
    s.other().send(0, data);
    co_await s.next();
  } else if (root != MPI_PROC_NULL) {
    if (s.rank_of_own() == 0) {
      s.other().receive(root, data);
      co_await s.next();
    }
    co_await broadcast_in_group(s, 0, data);
  }
}

plan gather(schedule& s, int root, const user_buffer& send, const block_list& receive, bool is_in_place,
            bool are_equal) {
  const int me = s.rank_of_own();
  if (root == MPI_PROC_NULL) co_return;
  const bool is_inter = s.in()->is_inter();
  const bool is_root = is_inter ? root == MPI_ROOT : root == me;
  const auto there = s.other();
  const std::int64_t bytes = is_root ? receive[0].bytes() : send.bytes();
  if (is_inter || !are_equal || bytes > longest_by_tree) {
    if (is_root) {
      for (int i = 0; i < there.size(); ++i)
        if (is_inter || i != me) there.receive(i, receive[i]);
      if (!is_inter && !is_in_place) copy_data(send, receive[me]);
    } else {
      there.send(root, send);
    }
    co_await s.next();
    co_return;
  }
  const tree here(there.size(), root, me);
  const int members = here.members(here.place, here.reach());
  const scratch all(members * bytes);
  if (!is_in_place) copy_data(send, all.part(0, bytes));
  for (int mask = 1; mask < here.reach(); mask *= 2)
    if (const int child = here.place + mask; child < here.size)
      there.receive(here.rank_at(child), all.part(mask * bytes, here.members(child, mask) * bytes));
  co_await s.next();
  if (!is_root) {
    there.send(here.parent(), all.data);
    co_await s.next();
    co_return;
  }
  for (int i = is_in_place ? 1 : 0; i < here.size; ++i)
    copy_data(all.part(i * bytes, bytes), receive[here.rank_at(i)]);
}

plan scatter(schedule& s, int root, const block_list& send, const user_buffer& receive, bool is_in_place,
             bool are_equal) {
  const int me = s.rank_of_own();
  if (root == MPI_PROC_NULL) co_return;
  const bool is_inter = s.in()->is_inter();
  const bool is_root = is_inter ? root == MPI_ROOT : root == me;
  const auto there = s.other();
  const std::int64_t bytes = is_root ? send[0].bytes() : receive.bytes();
  if (is_inter || !are_equal || bytes > longest_by_tree) {
    if (is_root) {
      for (int i = 0; i < there.size(); ++i)
        if (is_inter || i != me) there.send(i, send[i]);
      if (!is_inter && !is_in_place) copy_data(send[me], receive);
    } else {
      there.receive(root, receive);
    }
    co_await s.next();
    co_return;
  }
  const tree here(there.size(), root, me);
  const int members = here.members(here.place, here.reach());
  const scratch all(members * bytes);
  if (is_root) {
    for (int i = 0; i < here.size; ++i) copy_data(send[here.rank_at(i)], all.part(i * bytes, bytes));
  } else {
    there.receive(here.parent(), all.data);
    co_await s.next();
  }
  if (!is_in_place) copy_data(all.part(0, bytes), receive);
  for (int mask = here.reach() / 2; mask > 0; mask /= 2)
    if (const int child = here.place + mask; child < here.size)
      there.send(here.rank_at(child), all.part(mask * bytes, here.members(child, mask) * bytes));
  co_await s.next();
}

}  // namespace imbrex::mpi
