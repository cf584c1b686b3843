// SPDX-License-Identifier: Apache-2.0
// Collective functions that move data.
#include <type_traits>

#include <imbrex/mpi/api/collective.hpp>
#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/collective/exchange.hpp>
#include <imbrex/mpi/collective/spread.hpp>

namespace imbrex::mpi {

namespace {

schedule::maker make_barrier(const collective_call& /*c*/) { return &barrier; }

schedule::maker make_broadcast(const collective_call& c, const receive_argument& which, int root) {
  c.check_root(root);
  if (!collective_call::takes_part(root)) return &nothing_to_do;
  const user_buffer data = c.buffer(which);
  return [root, data](schedule& s) { return broadcast(s, root, data); };
}

/// True for arguments with one count, which is that of all blocks.
template <class Argument>
constexpr bool are_equal =
    std::is_same_v<Argument, send_argument> || std::is_same_v<Argument, receive_argument>;

template <class Receive>
schedule::maker make_gather(const collective_call& c, const send_argument& send, const Receive& receive,
                            int root) {
  c.check_root(root);
  if (!collective_call::takes_part(root)) return &nothing_to_do;
  const bool is_root = c.is_root(root);
  const bool is_in_place = is_root && !c.is_inter() && c.is_in_place(send.address);
  user_buffer own;
  block_list from_all;
  if (!is_in_place && !(is_root && c.is_inter())) own = c.buffer(send);
  if (is_root) from_all = c.blocks(receive, c.others());
  if (is_root && !is_in_place && !c.is_inter()) collective_call::check_apart(own, from_all[c.rank()]);
  return [=](schedule& s) { return gather(s, root, own, from_all, is_in_place, are_equal<Receive>); };
}

template <class Send>
schedule::maker make_scatter(const collective_call& c, const Send& send, const receive_argument& receive,
                             int root) {
  c.check_root(root);
  if (!collective_call::takes_part(root)) return &nothing_to_do;
  const bool is_root = c.is_root(root);
  const bool is_in_place = is_root && !c.is_inter() && c.is_in_place(receive.address);
  block_list to_all;
  user_buffer own;
  if (!is_in_place && !(is_root && c.is_inter())) own = c.buffer(receive);
  if (is_root) to_all = c.blocks(send, c.others());
  if (is_root && !is_in_place && !c.is_inter()) collective_call::check_apart(to_all[c.rank()], own);
  return [=](schedule& s) { return scatter(s, root, to_all, own, is_in_place, are_equal<Send>); };
}

schedule::maker make_all_gather(const collective_call& c, const send_argument& send, const auto& receive) {
  const block_list from_all = c.blocks(receive, c.others());
  const bool is_in_place = c.is_in_place(send.address);
  user_buffer own;
  if (!is_in_place) own = c.buffer(send);
  if (!is_in_place && !c.is_inter()) collective_call::check_apart(own, from_all[c.rank()]);
  return [=](schedule& s) { return all_gather(s, own, from_all, is_in_place); };
}

schedule::maker make_all_to_all(const collective_call& c, const auto& send, const auto& receive) {
  const block_list from_all = c.blocks(receive, c.others());
  const bool is_in_place = c.is_in_place(send.address);
  block_list to_all;
  if (!is_in_place) to_all = c.blocks(send, c.others());
  if (!is_in_place && !c.is_inter()) collective_call::check_apart(to_all[c.rank()], from_all[c.rank()]);
  return [=](schedule& s) { return all_to_all(s, to_all, from_all, is_in_place); };
}

// Variants through the process's memory, used if the number of bytes, equal on all ranks, allows it. The
// variants by messages report invalid arguments.

bool is_rank(const collective_call& c, int root) { return root >= 0 && root < c.others(); }

bool meet_at_barrier(const collective_call& c) {
  team* const all = c.team();
  if (all != nullptr) all->barrier({c.in(), c.self()});
  return all != nullptr;
}

bool meet_to_broadcast(const collective_call& c, const receive_argument& which, int root) {
  team* const all = c.team();
  if (all == nullptr || !is_rank(c, root)) return false;
  const user_buffer data = c.buffer(which);
  if (!all->takes(data.bytes(), 1)) return false;
  all->broadcast({c.in(), c.self()}, root, data);
  return true;
}

bool meet_to_gather(const collective_call& c, const send_argument& send, const receive_argument& receive,
                    int root) {
  team* const all = c.team();
  if (all == nullptr || !is_rank(c, root)) return false;
  const bool is_root = root == c.rank();
  const bool is_in_place = is_root && c.is_in_place(send.address);
  user_buffer own;
  block_list from_all;
  if (!is_in_place) own = c.buffer(send);
  if (is_root) from_all = c.blocks(receive, c.others());
  if (!all->takes(is_in_place ? from_all[root].bytes() : own.bytes(), static_cast<std::size_t>(c.others())))
    return false;
  if (is_root && !is_in_place) collective_call::check_apart(own, from_all[root]);
  all->gather({c.in(), c.self()}, root, own, from_all, is_in_place);
  return true;
}

bool meet_to_scatter(const collective_call& c, const send_argument& send, const receive_argument& receive,
                     int root) {
  team* const all = c.team();
  if (all == nullptr || !is_rank(c, root)) return false;
  const bool is_root = root == c.rank();
  const bool is_in_place = is_root && c.is_in_place(receive.address);
  user_buffer own;
  block_list to_all;
  if (!is_in_place) own = c.buffer(receive);
  if (is_root) to_all = c.blocks(send, c.others());
  if (!all->takes(is_root ? to_all[root].bytes() : own.bytes(), static_cast<std::size_t>(c.others())))
    return false;
  if (is_root && !is_in_place) collective_call::check_apart(to_all[root], own);
  all->scatter({c.in(), c.self()}, root, to_all, own, is_in_place);
  return true;
}

bool meet_to_gather_for_all(const collective_call& c, const send_argument& send,
                            const receive_argument& receive) {
  team* const all = c.team();
  if (all == nullptr) return false;
  const bool is_in_place = c.is_in_place(send.address);
  const block_list from_all = c.blocks(receive, c.others());
  if (!all->takes(from_all[c.rank()].bytes(), static_cast<std::size_t>(c.others()))) return false;
  user_buffer own;
  if (!is_in_place) {
    own = c.buffer(send);
    collective_call::check_apart(own, from_all[c.rank()]);
  }
  all->all_gather({c.in(), c.self()}, own, from_all, is_in_place);
  return true;
}

bool meet_for_all_to_all(const collective_call& c, const send_argument& send,
                         const receive_argument& receive) {
  team* const all = c.team();
  if (all == nullptr) return false;
  const auto size = static_cast<std::size_t>(c.others());
  const block_list from_all = c.blocks(receive, c.others());
  if (!all->takes(from_all[0].bytes(), size * size)) return false;
  const bool is_in_place = c.is_in_place(send.address);
  const block_list to_all = is_in_place ? from_all : c.blocks(send, c.others());
  if (!is_in_place) collective_call::check_apart(to_all[c.rank()], from_all[c.rank()]);
  all->all_to_all({c.in(), c.self()}, to_all, from_all);
  return true;
}

}  // namespace

IMBREX_MPI_COLLECTIVE_IN_MEMORY(Barrier, Ibarrier, , make_barrier, meet_at_barrier, (), ())

#define IMBREX_MPI_BOTH(suffix, count_type, displacement_type)                                               \
  IMBREX_MPI_COLLECTIVE_IN_MEMORY(Bcast, Ibcast, suffix, make_broadcast, meet_to_broadcast,                  \
                                  (void* buffer, count_type count, MPI_Datatype datatype, int root),         \
                                  (receive_argument{buffer, count, datatype}, root))                         \
  IMBREX_MPI_COLLECTIVE_IN_MEMORY(                                                                           \
      Gather, Igather, suffix, make_gather, meet_to_gather,                                                  \
      (const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf,                      \
       count_type recvcount, MPI_Datatype recvtype, int root),                                               \
      (send_argument{sendbuf, sendcount, sendtype}, receive_argument{recvbuf, recvcount, recvtype}, root))   \
  IMBREX_MPI_COLLECTIVE(                                                                                     \
      Gatherv, Igatherv, suffix, make_gather,                                                                \
      (const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf,                      \
       const count_type recvcounts[], const displacement_type displs[], MPI_Datatype recvtype, int root),    \
      (send_argument{sendbuf, sendcount, sendtype}, blocks_argument{recvbuf, recvcounts, displs, recvtype},  \
       root))                                                                                                \
  IMBREX_MPI_COLLECTIVE_IN_MEMORY(                                                                           \
      Scatter, Iscatter, suffix, make_scatter, meet_to_scatter,                                              \
      (const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf,                      \
       count_type recvcount, MPI_Datatype recvtype, int root),                                               \
      (send_argument{sendbuf, sendcount, sendtype}, receive_argument{recvbuf, recvcount, recvtype}, root))   \
  IMBREX_MPI_COLLECTIVE(                                                                                     \
      Scatterv, Iscatterv, suffix, make_scatter,                                                             \
      (const void* sendbuf, const count_type sendcounts[], const displacement_type displs[],                 \
       MPI_Datatype sendtype, void* recvbuf, count_type recvcount, MPI_Datatype recvtype, int root),         \
      (blocks_argument{sendbuf, sendcounts, displs, sendtype},                                               \
       receive_argument{recvbuf, recvcount, recvtype}, root))                                                \
  IMBREX_MPI_COLLECTIVE_IN_MEMORY(                                                                           \
      Allgather, Iallgather, suffix, make_all_gather, meet_to_gather_for_all,                                \
      (const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf,                      \
       count_type recvcount, MPI_Datatype recvtype),                                                         \
      (send_argument{sendbuf, sendcount, sendtype}, receive_argument{recvbuf, recvcount, recvtype}))         \
  IMBREX_MPI_COLLECTIVE(                                                                                     \
      Allgatherv, Iallgatherv, suffix, make_all_gather,                                                      \
      (const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf,                      \
       const count_type recvcounts[], const displacement_type displs[], MPI_Datatype recvtype),              \
      (send_argument{sendbuf, sendcount, sendtype}, blocks_argument{recvbuf, recvcounts, displs, recvtype})) \
  IMBREX_MPI_COLLECTIVE_IN_MEMORY(                                                                           \
      Alltoall, Ialltoall, suffix, make_all_to_all, meet_for_all_to_all,                                     \
      (const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf,                      \
       count_type recvcount, MPI_Datatype recvtype),                                                         \
      (send_argument{sendbuf, sendcount, sendtype}, receive_argument{recvbuf, recvcount, recvtype}))         \
  IMBREX_MPI_COLLECTIVE(                                                                                     \
      Alltoallv, Ialltoallv, suffix, make_all_to_all,                                                        \
      (const void* sendbuf, const count_type sendcounts[], const displacement_type sdispls[],                \
       MPI_Datatype sendtype, void* recvbuf, const count_type recvcounts[],                                  \
       const displacement_type rdispls[], MPI_Datatype recvtype),                                            \
      (blocks_argument{sendbuf, sendcounts, sdispls, sendtype},                                              \
       blocks_argument{recvbuf, recvcounts, rdispls, recvtype}))                                             \
  IMBREX_MPI_COLLECTIVE(                                                                                     \
      Alltoallw, Ialltoallw, suffix, make_all_to_all,                                                        \
      (const void* sendbuf, const count_type sendcounts[], const displacement_type sdispls[],                \
       const MPI_Datatype sendtypes[], void* recvbuf, const count_type recvcounts[],                         \
       const displacement_type rdispls[], const MPI_Datatype recvtypes[]),                                   \
      (blocks_argument{sendbuf, sendcounts, sdispls, sendtypes},                                             \
       blocks_argument{recvbuf, recvcounts, rdispls, recvtypes}))

IMBREX_MPI_BOTH(, int, int)
IMBREX_MPI_BOTH(_c, MPI_Count, MPI_Aint)

}  // namespace imbrex::mpi
