// SPDX-License-Identifier: Apache-2.0
// Collective functions that move data.
#include <imbrex/mpi/api/collective.hpp>
#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/collective/exchange.hpp>
#include <imbrex/mpi/collective/spread.hpp>

namespace imbrex::mpi {

namespace {

schedule::maker make_barrier(const collective_call& /*c*/) { return &barrier; }

schedule::maker make_broadcast(const collective_call& c, void* address, std::int64_t count, MPI_Datatype type,
                               int root) {
  c.check_root(root);
  if (!collective_call::takes_part(root)) return &nothing_to_do;
  const user_buffer data = c.buffer(address, count, type);
  return [root, data](schedule& s) { return broadcast(s, root, data); };
}

schedule::maker make_gather(const collective_call& c, const void* address, std::int64_t count,
                            MPI_Datatype type, int root, const auto& blocks_of_root, bool are_equal) {
  c.check_root(root);
  if (!collective_call::takes_part(root)) return &nothing_to_do;
  const bool is_root = c.is_root(root);
  const bool is_in_place = is_root && !c.is_inter() && c.is_in_place(address);
  user_buffer send;
  block_list receive;
  if (!is_in_place && !(is_root && c.is_inter())) send = c.buffer(address, count, type);
  if (is_root) receive = blocks_of_root();
  if (is_root && !is_in_place && !c.is_inter()) collective_call::check_apart(send, receive[c.rank()]);
  return [=](schedule& s) { return gather(s, root, send, receive, is_in_place, are_equal); };
}

schedule::maker make_gather_equal(const collective_call& c, const void* send, std::int64_t send_count,
                                  MPI_Datatype send_type, void* receive, std::int64_t count,
                                  MPI_Datatype type, int root) {
  return make_gather(
      c, send, send_count, send_type, root, [&] { return c.blocks(receive, count, type, c.others()); }, true);
}

schedule::maker make_gather_each(const collective_call& c, const void* send, std::int64_t send_count,
                                 MPI_Datatype send_type, void* receive, numbers counts, numbers displacements,
                                 MPI_Datatype type, int root) {
  return make_gather(
      c, send, send_count, send_type, root,
      [&] { return c.blocks(receive, counts, displacements, type, c.others()); }, false);
}

schedule::maker make_scatter(const collective_call& c, const auto& blocks_of_root, void* address,
                             std::int64_t count, MPI_Datatype type, int root, bool are_equal) {
  c.check_root(root);
  if (!collective_call::takes_part(root)) return &nothing_to_do;
  const bool is_root = c.is_root(root);
  const bool is_in_place = is_root && !c.is_inter() && c.is_in_place(address);
  block_list send;
  user_buffer receive;
  if (!is_in_place && !(is_root && c.is_inter())) receive = c.buffer(address, count, type);
  if (is_root) send = blocks_of_root();
  if (is_root && !is_in_place && !c.is_inter()) collective_call::check_apart(send[c.rank()], receive);
  return [=](schedule& s) { return scatter(s, root, send, receive, is_in_place, are_equal); };
}

schedule::maker make_scatter_equal(const collective_call& c, const void* send, std::int64_t send_count,
                                   MPI_Datatype send_type, void* receive, std::int64_t count,
                                   MPI_Datatype type, int root) {
  return make_scatter(
      c, [&] { return c.blocks(send, send_count, send_type, c.others()); }, receive, count, type, root, true);
}

schedule::maker make_scatter_each(const collective_call& c, const void* send, numbers counts,
                                  numbers displacements, MPI_Datatype send_type, void* receive,
                                  std::int64_t count, MPI_Datatype type, int root) {
  return make_scatter(
      c, [&] { return c.blocks(send, counts, displacements, send_type, c.others()); }, receive, count, type,
      root, false);
}

schedule::maker make_all_gather(const collective_call& c, const void* address, std::int64_t count,
                                MPI_Datatype type, const block_list& receive) {
  const bool is_in_place = c.is_in_place(address);
  user_buffer send;
  if (!is_in_place) send = c.buffer(address, count, type);
  if (!is_in_place && !c.is_inter()) collective_call::check_apart(send, receive[c.rank()]);
  return [=](schedule& s) { return all_gather(s, send, receive, is_in_place); };
}

schedule::maker make_all_gather_equal(const collective_call& c, const void* send, std::int64_t send_count,
                                      MPI_Datatype send_type, void* receive, std::int64_t count,
                                      MPI_Datatype type) {
  return make_all_gather(c, send, send_count, send_type, c.blocks(receive, count, type, c.others()));
}

schedule::maker make_all_gather_each(const collective_call& c, const void* send, std::int64_t send_count,
                                     MPI_Datatype send_type, void* receive, numbers counts,
                                     numbers displacements, MPI_Datatype type) {
  return make_all_gather(c, send, send_count, send_type,
                         c.blocks(receive, counts, displacements, type, c.others()));
}

schedule::maker make_all_to_all(const collective_call& c, const void* address, const auto& blocks_to_send,
                                const block_list& receive) {
  const bool is_in_place = c.is_in_place(address);
  block_list send;
  if (!is_in_place) send = blocks_to_send();
  if (!is_in_place && !c.is_inter()) collective_call::check_apart(send[c.rank()], receive[c.rank()]);
  return [=](schedule& s) { return all_to_all(s, send, receive, is_in_place); };
}

schedule::maker make_all_to_all_equal(const collective_call& c, const void* send, std::int64_t send_count,
                                      MPI_Datatype send_type, void* receive, std::int64_t count,
                                      MPI_Datatype type) {
  return make_all_to_all(
      c, send, [&] { return c.blocks(send, send_count, send_type, c.others()); },
      c.blocks(receive, count, type, c.others()));
}

schedule::maker make_all_to_all_each(const collective_call& c, const void* send, numbers send_counts,
                                     numbers send_displacements, MPI_Datatype send_type, void* receive,
                                     numbers counts, numbers displacements, MPI_Datatype type) {
  return make_all_to_all(
      c, send, [&] { return c.blocks(send, send_counts, send_displacements, send_type, c.others()); },
      c.blocks(receive, counts, displacements, type, c.others()));
}

schedule::maker make_all_to_all_types(const collective_call& c, const void* send, numbers send_counts,
                                      numbers send_displacements, const MPI_Datatype* send_types,
                                      void* receive, numbers counts, numbers displacements,
                                      const MPI_Datatype* types) {
  return make_all_to_all(
      c, send, [&] { return c.blocks(send, send_counts, send_displacements, send_types, c.others()); },
      c.blocks(receive, counts, displacements, types, c.others()));
}

// Variants through the process's memory, used if the number of bytes, equal on all ranks, allows it. The
// variants by messages report invalid arguments.

bool is_rank(const collective_call& c, int root) { return root >= 0 && root < c.others(); }

bool meet_at_barrier(const collective_call& c) {
  team* const all = c.team();
  if (all != nullptr) all->barrier(c.in(), c.self());
  return all != nullptr;
}

bool meet_to_broadcast(const collective_call& c, void* address, std::int64_t count, MPI_Datatype type,
                       int root) {
  team* const all = c.team();
  if (all == nullptr || !is_rank(c, root)) return false;
  const user_buffer data = c.buffer(address, count, type);
  if (!all->takes(data.bytes(), 1)) return false;
  all->broadcast(c.in(), c.self(), root, data);
  return true;
}

bool meet_to_gather(const collective_call& c, const void* send, std::int64_t send_count,
                    MPI_Datatype send_type, void* receive, std::int64_t count, MPI_Datatype type, int root) {
  team* const all = c.team();
  if (all == nullptr || !is_rank(c, root)) return false;
  const bool is_root = root == c.rank();
  const bool is_in_place = is_root && c.is_in_place(send);
  user_buffer own;
  block_list from_all;
  if (!is_in_place) own = c.buffer(send, send_count, send_type);
  if (is_root) from_all = c.blocks(receive, count, type, c.others());
  if (!all->takes(is_in_place ? from_all[root].bytes() : own.bytes(), static_cast<std::size_t>(c.others())))
    return false;
  if (is_root && !is_in_place) collective_call::check_apart(own, from_all[root]);
  all->gather(c.in(), c.self(), root, own, from_all, is_in_place);
  return true;
}

bool meet_to_scatter(const collective_call& c, const void* send, std::int64_t send_count,
                     MPI_Datatype send_type, void* receive, std::int64_t count, MPI_Datatype type, int root) {
  team* const all = c.team();
  if (all == nullptr || !is_rank(c, root)) return false;
  const bool is_root = root == c.rank();
  const bool is_in_place = is_root && c.is_in_place(receive);
  user_buffer own;
  block_list to_all;
  if (!is_in_place) own = c.buffer(receive, count, type);
  if (is_root) to_all = c.blocks(send, send_count, send_type, c.others());
  if (!all->takes(is_root ? to_all[root].bytes() : own.bytes(), static_cast<std::size_t>(c.others())))
    return false;
  if (is_root && !is_in_place) collective_call::check_apart(to_all[root], own);
  all->scatter(c.in(), c.self(), root, to_all, own, is_in_place);
  return true;
}

bool meet_to_gather_for_all(const collective_call& c, const void* send, std::int64_t send_count,
                            MPI_Datatype send_type, void* receive, std::int64_t count, MPI_Datatype type) {
  team* const all = c.team();
  if (all == nullptr) return false;
  const bool is_in_place = c.is_in_place(send);
  const block_list from_all = c.blocks(receive, count, type, c.others());
  if (!all->takes(from_all[c.rank()].bytes(), static_cast<std::size_t>(c.others()))) return false;
  user_buffer own;
  if (!is_in_place) {
    own = c.buffer(send, send_count, send_type);
    collective_call::check_apart(own, from_all[c.rank()]);
  }
  all->all_gather(c.in(), c.self(), own, from_all, is_in_place);
  return true;
}

bool meet_for_all_to_all(const collective_call& c, const void* send, std::int64_t send_count,
                         MPI_Datatype send_type, void* receive, std::int64_t count, MPI_Datatype type) {
  team* const all = c.team();
  if (all == nullptr) return false;
  const auto size = static_cast<std::size_t>(c.others());
  const block_list from_all = c.blocks(receive, count, type, c.others());
  if (!all->takes(from_all[0].bytes(), size * size)) return false;
  const bool is_in_place = c.is_in_place(send);
  const block_list to_all = is_in_place ? from_all : c.blocks(send, send_count, send_type, c.others());
  if (!is_in_place) collective_call::check_apart(to_all[c.rank()], from_all[c.rank()]);
  all->all_to_all(c.in(), c.self(), to_all, from_all);
  return true;
}

}  // namespace

IMBREX_MPI_COLLECTIVE_IN_MEMORY(Barrier, Ibarrier, , make_barrier, meet_at_barrier, (), ())

#define IMBREX_MPI_BOTH(suffix, count_type, displacement_type)                                             \
  IMBREX_MPI_COLLECTIVE_IN_MEMORY(Bcast, Ibcast, suffix, make_broadcast, meet_to_broadcast,                \
                                  (void* buffer, count_type count, MPI_Datatype datatype, int root),       \
                                  (buffer, count, datatype, root))                                         \
  IMBREX_MPI_COLLECTIVE_IN_MEMORY(Gather, Igather, suffix, make_gather_equal, meet_to_gather,              \
                                  (const void* sendbuf, count_type sendcount, MPI_Datatype sendtype,       \
                                   void* recvbuf, count_type recvcount, MPI_Datatype recvtype, int root),  \
                                  (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root))      \
  IMBREX_MPI_COLLECTIVE(                                                                                   \
      Gatherv, Igatherv, suffix, make_gather_each,                                                         \
      (const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf,                    \
       const count_type recvcounts[], const displacement_type displs[], MPI_Datatype recvtype, int root),  \
      (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root))                         \
  IMBREX_MPI_COLLECTIVE_IN_MEMORY(Scatter, Iscatter, suffix, make_scatter_equal, meet_to_scatter,          \
                                  (const void* sendbuf, count_type sendcount, MPI_Datatype sendtype,       \
                                   void* recvbuf, count_type recvcount, MPI_Datatype recvtype, int root),  \
                                  (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root))      \
  IMBREX_MPI_COLLECTIVE(                                                                                   \
      Scatterv, Iscatterv, suffix, make_scatter_each,                                                      \
      (const void* sendbuf, const count_type sendcounts[], const displacement_type displs[],               \
       MPI_Datatype sendtype, void* recvbuf, count_type recvcount, MPI_Datatype recvtype, int root),       \
      (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root))                         \
  IMBREX_MPI_COLLECTIVE_IN_MEMORY(Allgather, Iallgather, suffix, make_all_gather_equal,                    \
                                  meet_to_gather_for_all,                                                  \
                                  (const void* sendbuf, count_type sendcount, MPI_Datatype sendtype,       \
                                   void* recvbuf, count_type recvcount, MPI_Datatype recvtype),            \
                                  (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))            \
  IMBREX_MPI_COLLECTIVE(                                                                                   \
      Allgatherv, Iallgatherv, suffix, make_all_gather_each,                                               \
      (const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf,                    \
       const count_type recvcounts[], const displacement_type displs[], MPI_Datatype recvtype),            \
      (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype))                               \
  IMBREX_MPI_COLLECTIVE_IN_MEMORY(Alltoall, Ialltoall, suffix, make_all_to_all_equal, meet_for_all_to_all, \
                                  (const void* sendbuf, count_type sendcount, MPI_Datatype sendtype,       \
                                   void* recvbuf, count_type recvcount, MPI_Datatype recvtype),            \
                                  (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))            \
  IMBREX_MPI_COLLECTIVE(                                                                                   \
      Alltoallv, Ialltoallv, suffix, make_all_to_all_each,                                                 \
      (const void* sendbuf, const count_type sendcounts[], const displacement_type sdispls[],              \
       MPI_Datatype sendtype, void* recvbuf, const count_type recvcounts[],                                \
       const displacement_type rdispls[], MPI_Datatype recvtype),                                          \
      (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype))                    \
  IMBREX_MPI_COLLECTIVE(                                                                                   \
      Alltoallw, Ialltoallw, suffix, make_all_to_all_types,                                                \
      (const void* sendbuf, const count_type sendcounts[], const displacement_type sdispls[],              \
       const MPI_Datatype sendtypes[], void* recvbuf, const count_type recvcounts[],                       \
       const displacement_type rdispls[], const MPI_Datatype recvtypes[]),                                 \
      (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes))

IMBREX_MPI_BOTH(, int, int)
IMBREX_MPI_BOTH(_c, MPI_Count, MPI_Aint)

}  // namespace imbrex::mpi
