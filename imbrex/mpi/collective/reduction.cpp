// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/collective/reduction.hpp>

#include <bit>
#include <utility>

#include <imbrex/mpi/collective/spread.hpp>

namespace imbrex::mpi {

namespace {

/// accumulated[i] = first[i] op accumulated[i]
void fold_into(schedule& s, const reduction& how, const user_buffer& first, const user_buffer& accumulated) {
  if (first.count == 0) return;
  auto apply = [&] {
    how.op->apply(first.address, accumulated.address, first.count, *first.type, how.type_handle);
  };
  how.op->handle() != 0 ? apply() : s.call_program(apply);
}

void copy_unless_same(const user_buffer& from, const user_buffer& to) {
  if (from.address != to.address) copy_data(from, to);
}

/// Reduces the own group's values to its rank 0 in rank order, or to any root if the order does not matter.
/// Only the root uses `receive`.
plan reduce_by_tree(schedule& s, int root, const user_buffer& send, const user_buffer& receive,
                    const reduction& how) {
  const auto own = s.own();
  const int size = own.size();
  const int place = (s.rank_of_own() - root + size) % size;
  const auto rank_at = [&](int where) { return (where + root) % size; };
  // The newly received value accumulates the sum: `sum` precedes it in rank order.
  std::vector<scratch> kept;
  user_buffer sum = send;
  int mask = 1;
  for (; mask < size && (place & mask) == 0; mask *= 2) {
    if (place + mask >= size) continue;
    if (kept.size() < 2) kept.emplace_back(send);  // two alternating buffers
    const user_buffer next = (kept.back().data.address != sum.address ? kept.back() : kept.front()).data;
    own.receive(rank_at(place + mask), next);
    co_await s.next();
    fold_into(s, how, sum, next);
    sum = next;
  }
  if (place == 0) {
    copy_unless_same(sum, receive);
  } else {
    own.send(rank_at(place - mask), sum);
    co_await s.next();
  }
}

plan reduce_in_group(schedule& s, int root, const user_buffer& send, const user_buffer& receive,
                     const reduction& how) {
  if (root == 0 || how.op->commutes()) {
    co_await reduce_by_tree(s, root, send, receive, how);
    co_return;
  }
  const int me = s.rank_of_own();
  const scratch sum(me == 0 ? send : bytes_at(nullptr, 0));
  co_await reduce_by_tree(s, 0, send, sum.data, how);
  if (me == 0) s.own().send(root, sum.data);
  if (me == root) s.own().receive(0, receive);
  co_await s.next();
}

/// Recursive doubling among the largest power of two of members. Each surplus member first sends its value to
/// a neighbour and receives the result from it.
plan all_reduce_in_group(schedule& s, const user_buffer& send, const user_buffer& receive,
                         const reduction& how) {
  const auto own = s.own();
  const int size = own.size();
  const int me = s.rank_of_own();
  const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(size)));
  const int excess_ranks = size - power;
  copy_unless_same(send, receive);
  if (size == 1) co_return;
  const scratch other(receive);
  user_buffer sum = receive;
  user_buffer next = other.data;
  if (me < 2 * excess_ranks && me % 2 == 0) {
    own.send(me + 1, sum);
    co_await s.next();
    own.receive(me + 1, receive);
    co_await s.next();
    co_return;
  }
  if (me < 2 * excess_ranks) {
    own.receive(me - 1, next);
    co_await s.next();
    fold_into(s, how, next, sum);
  }
  const int place = me < 2 * excess_ranks ? me / 2 : me - excess_ranks;
  const auto rank_at = [&](int where) { return where < excess_ranks ? 2 * where + 1 : where + excess_ranks; };
  for (int mask = 1; mask < power; mask *= 2) {
    const int with = place ^ mask;
    own.receive(rank_at(with), next);
    own.send(rank_at(with), sum);
    co_await s.next();
    if (with < place) {
      fold_into(s, how, next, sum);
    } else {
      fold_into(s, how, sum, next);
      std::swap(sum, next);
    }
  }
  if (me < 2 * excess_ranks) {
    own.send(me - 1, sum);
    co_await s.next();
  }
  copy_unless_same(sum, receive);
}

/// Adds the values of the ranks `first` to the own rank - 1 to `sum`.
plan scan_from(schedule& s, int first, const user_buffer& sum, const reduction& how) {
  const auto own = s.own();
  const int me = s.rank_of_own();
  const scratch before(sum);
  for (int distance = 1; first + distance < own.size(); distance *= 2) {
    const bool receives = me - distance >= first;
    if (receives) own.receive(me - distance, before.data);
    if (me >= first && me + distance < own.size()) own.send(me + distance, sum);
    co_await s.next();
    if (receives) fold_into(s, how, before.data, sum);
  }
}

}  // namespace

plan reduce(schedule& s, int root, const user_buffer& send, const user_buffer& receive,
            const reduction& how) {
  if (!s.in()->is_inter()) {
    co_await reduce_in_group(s, root, send, receive, how);
  } else if (root == MPI_ROOT) {
    s.other().receive(0, receive);
    co_await s.next();
  } else if (root != MPI_PROC_NULL) {
    const bool is_first = s.rank_of_own() == 0;
    const scratch sum(is_first ? send : bytes_at(nullptr, 0));
    co_await reduce_by_tree(s, 0, send, sum.data, how);
    if (is_first) s.other().send(root, sum.data);
    co_await s.next();
  }
}

plan all_reduce(schedule& s, const user_buffer& send, const user_buffer& receive, const reduction& how) {
  if (!s.in()->is_inter()) {
    co_await all_reduce_in_group(s, send, receive, how);
    co_return;
  }
  const bool is_first = s.rank_of_own() == 0;
  const scratch sum(is_first ? send : bytes_at(nullptr, 0));
  co_await reduce_by_tree(s, 0, send, sum.data, how);
  if (is_first) {
    s.other().receive(0, receive);
    s.other().send(0, sum.data);
  }
  co_await s.next();
  co_await broadcast_in_group(s, 0, receive);
}

plan reduce_scatter(schedule& s, const user_buffer& send, void* receive,
                    const std::vector<std::int64_t>& counts, const reduction& how) {
  const auto own = s.own();
  const int me = s.rank_of_own();
  const bool is_first = me == 0;
  const scratch sum(is_first ? send : bytes_at(nullptr, 0));
  co_await reduce_by_tree(s, 0, send, sum.data, how);
  // In an intercommunicator a group receives the parts of the other group's result, sent by the other group's
  // rank 0 to the own rank 0.
  const user_buffer own_part{receive, counts[static_cast<std::size_t>(me)], send.type};
  const scratch others(is_first && s.in()->is_inter() ? send : bytes_at(nullptr, 0));
  if (is_first && s.in()->is_inter()) {
    s.other().receive(0, others.data);
    s.other().send(0, sum.data);
  }
  co_await s.next();
  block_list parts;
  if (is_first) {
    parts = {(s.in()->is_inter() ? others : sum).data.address, 0, send.type, counts, {}, {}};
    std::int64_t offset = 0;
    for (const std::int64_t count : counts) {
      parts.offsets.push_back(offset);
      offset += count * send.type->extent();
    }
    for (int i = 1; i < own.size(); ++i) own.send(i, parts[i]);
    copy_data(parts[0], own_part);
  } else {
    own.receive(0, own_part);
  }
  co_await s.next();
}

plan scan(schedule& s, const user_buffer& send, const user_buffer& receive, const reduction& how) {
  copy_unless_same(send, receive);
  co_await scan_from(s, 0, receive, how);
}

plan exclusive_scan(schedule& s, const user_buffer& send, const user_buffer& receive, const reduction& how) {
  const auto own = s.own();
  const int me = s.rank_of_own();
  const scratch before(receive);
  if (me > 0) own.receive(me - 1, before.data);
  if (me + 1 < own.size()) own.send(me + 1, send);
  co_await s.next();
  if (me > 0) copy_data(before.data, receive);
  co_await scan_from(s, 1, receive, how);
}

}  // namespace imbrex::mpi
