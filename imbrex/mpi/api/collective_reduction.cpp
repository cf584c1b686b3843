// SPDX-License-Identifier: Apache-2.0
// Collective functions that combine data.
#include <string>

#include <imbrex/mpi/api/collective.hpp>
#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/collective/spread.hpp>

namespace imbrex::mpi {

namespace {

/// Arguments that all reductions have.
struct reduction_argument {
  const void* send;
  void* receive;
  MPI_Datatype type;
  MPI_Op op;

  send_argument sent(std::int64_t count) const { return {send, count, type}; }
  receive_argument received(std::int64_t count) const { return {receive, count, type}; }
};

struct values {
  user_buffer send;
  user_buffer receive;
};

/// Buffers for functions in which every rank sends and receives the same count.
values values_of(const collective_call& c, const reduction_argument& of, std::int64_t count) {
  values all;
  all.receive = c.buffer(of.received(count));
  if (c.is_in_place(of.send)) {
    all.send = all.receive;
  } else {
    all.send = c.buffer(of.sent(count));
    collective_call::check_apart(all.send, all.receive);
  }
  return all;
}

schedule::maker make_reduce(const collective_call& c, const reduction_argument& of, std::int64_t count,
                            int root) {
  c.check_root(root);
  if (!collective_call::takes_part(root)) return &nothing_to_do;
  values all;
  if (c.is_root(root)) {
    if (c.is_inter()) {
      all.receive = all.send = c.buffer(of.received(count));
    } else {
      all = values_of(c, of, count);
    }
  } else {
    all.send = c.buffer(of.sent(count));
  }
  return [all, root, how = c.how(of.type, of.op)](schedule& s) {
    return reduce(s, root, all.send, all.receive, how);
  };
}

schedule::maker make_all_reduce(const collective_call& c, const reduction_argument& of, std::int64_t count) {
  return [all = values_of(c, of, count), how = c.how(of.type, of.op)](schedule& s) {
    return all_reduce(s, all.send, all.receive, how);
  };
}

schedule::maker make_scattered(const collective_call& c, const reduction_argument& of,
                               std::vector<std::int64_t> counts) {
  std::int64_t total = 0;
  for (const std::int64_t count : counts) {
    c.check(of.send == MPI_IN_PLACE ? of.received(count) : of.sent(count));
    total += count;
  }
  user_buffer data;
  void* receive = nullptr;
  if (c.is_in_place(of.send)) {
    data = c.buffer(of.received(total));
    receive = data.address;
  } else {
    data = c.buffer(of.sent(total));
    const user_buffer own = c.buffer(of.received(counts[static_cast<std::size_t>(c.rank())]));
    collective_call::check_apart(data, own);
    receive = own.address;
  }
  return [data, receive, counts = std::move(counts), how = c.how(of.type, of.op)](schedule& s) {
    return reduce_scatter(s, data, receive, counts, how);
  };
}

schedule::maker make_reduce_scatter(const collective_call& c, const reduction_argument& of, numbers counts) {
  if (!counts.are_there())
    throw error(MPI_ERR_ARG, "the counts are a null pointer; give one for each of " +
                                 std::to_string(c.in().size()) + " ranks");
  std::vector<std::int64_t> each;
  for (int i = 0; i < c.in().size(); ++i) each.push_back(counts[i]);
  return make_scattered(c, of, std::move(each));
}

schedule::maker make_reduce_scatter_equal(const collective_call& c, const reduction_argument& of,
                                          std::int64_t count) {
  return make_scattered(c, of, std::vector(static_cast<std::size_t>(c.in().size()), count));
}

schedule::maker make_scan(const collective_call& c, const reduction_argument& of, std::int64_t count) {
  c.require_one_group();
  return [all = values_of(c, of, count), how = c.how(of.type, of.op)](schedule& s) {
    return scan(s, all.send, all.receive, how);
  };
}

schedule::maker make_exclusive_scan(const collective_call& c, const reduction_argument& of,
                                    std::int64_t count) {
  c.require_one_group();
  values all;
  if (c.rank() == 0 && !c.is_in_place(of.send)) {  // the receive buffer of rank 0 is ignored
    all.send = all.receive = c.buffer(of.sent(count));
  } else {
    all = values_of(c, of, count);
  }
  return [all, how = c.how(of.type, of.op)](schedule& s) {
    return exclusive_scan(s, all.send, all.receive, how);
  };
}

/// Reduces through the process's memory if the type and the operation, equal on all ranks, allow it.
bool meet_to_reduce(const collective_call& c, const reduction_argument& of, std::int64_t count, int root) {
  team* const all = c.team();
  if (all == nullptr || basic_size(of.type) == 0 || count <= 0 ||
      (root != team::everybody && (root < 0 || root >= c.others())))
    return false;
  const reduction how = c.how(of.type, of.op);
  if (!how.op->commutes() && !all->is_ordered()) return false;
  values its;
  if (root == team::everybody || root == c.rank())
    its = values_of(c, of, count);
  else
    its.send = c.buffer(of.sent(count));
  all->reduce({c.in(), c.self()}, root, its.send, its.receive, *how.op);
  return true;
}
bool meet_to_reduce_for_all(const collective_call& c, const reduction_argument& of, std::int64_t count) {
  return meet_to_reduce(c, of, count, team::everybody);
}

}  // namespace

#define IMBREX_MPI_BOTH(suffix, count_type)                                                                  \
  IMBREX_MPI_COLLECTIVE_IN_MEMORY(                                                                           \
      Reduce, Ireduce, suffix, make_reduce, meet_to_reduce,                                                  \
      (const void* sendbuf, void* recvbuf, count_type count, MPI_Datatype datatype, MPI_Op op, int root),    \
      (reduction_argument{sendbuf, recvbuf, datatype, op}, count, root))                                     \
  IMBREX_MPI_COLLECTIVE_IN_MEMORY(                                                                           \
      Allreduce, Iallreduce, suffix, make_all_reduce, meet_to_reduce_for_all,                                \
      (const void* sendbuf, void* recvbuf, count_type count, MPI_Datatype datatype, MPI_Op op),              \
      (reduction_argument{sendbuf, recvbuf, datatype, op}, count))                                           \
  IMBREX_MPI_COLLECTIVE(                                                                                     \
      Reduce_scatter, Ireduce_scatter, suffix, make_reduce_scatter,                                          \
      (const void* sendbuf, void* recvbuf, const count_type recvcounts[], MPI_Datatype datatype, MPI_Op op), \
      (reduction_argument{sendbuf, recvbuf, datatype, op}, recvcounts))                                      \
  IMBREX_MPI_COLLECTIVE(                                                                                     \
      Reduce_scatter_block, Ireduce_scatter_block, suffix, make_reduce_scatter_equal,                        \
      (const void* sendbuf, void* recvbuf, count_type recvcount, MPI_Datatype datatype, MPI_Op op),          \
      (reduction_argument{sendbuf, recvbuf, datatype, op}, recvcount))                                       \
  IMBREX_MPI_COLLECTIVE(                                                                                     \
      Scan, Iscan, suffix, make_scan,                                                                        \
      (const void* sendbuf, void* recvbuf, count_type count, MPI_Datatype datatype, MPI_Op op),              \
      (reduction_argument{sendbuf, recvbuf, datatype, op}, count))                                           \
  IMBREX_MPI_COLLECTIVE(                                                                                     \
      Exscan, Iexscan, suffix, make_exclusive_scan,                                                          \
      (const void* sendbuf, void* recvbuf, count_type count, MPI_Datatype datatype, MPI_Op op),              \
      (reduction_argument{sendbuf, recvbuf, datatype, op}, count))

IMBREX_MPI_BOTH(, int)
IMBREX_MPI_BOTH(_c, MPI_Count)

}  // namespace imbrex::mpi
