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

}  // namespace

IMBREX_MPI_COLLECTIVE(Barrier, Ibarrier, , make_barrier, (), ())

#define IMBREX_MPI_BOTH(suffix, count_type, displacement_type)                                            \
  IMBREX_MPI_COLLECTIVE(Bcast, Ibcast, suffix, make_broadcast,                                            \
                        (void* buffer, count_type count, MPI_Datatype datatype, int root),                \
                        (buffer, count, datatype, root))                                                  \
  IMBREX_MPI_COLLECTIVE(Gather, Igather, suffix, make_gather_equal,                                       \
                        (const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf, \
                         count_type recvcount, MPI_Datatype recvtype, int root),                          \
                        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root))               \
  IMBREX_MPI_COLLECTIVE(                                                                                  \
      Gatherv, Igatherv, suffix, make_gather_each,                                                        \
      (const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf,                   \
       const count_type recvcounts[], const displacement_type displs[], MPI_Datatype recvtype, int root), \
      (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root))                        \
  IMBREX_MPI_COLLECTIVE(Scatter, Iscatter, suffix, make_scatter_equal,                                    \
                        (const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf, \
                         count_type recvcount, MPI_Datatype recvtype, int root),                          \
                        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root))               \
  IMBREX_MPI_COLLECTIVE(                                                                                  \
      Scatterv, Iscatterv, suffix, make_scatter_each,                                                     \
      (const void* sendbuf, const count_type sendcounts[], const displacement_type displs[],              \
       MPI_Datatype sendtype, void* recvbuf, count_type recvcount, MPI_Datatype recvtype, int root),      \
      (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root))                        \
  IMBREX_MPI_COLLECTIVE(Allgather, Iallgather, suffix, make_all_gather_equal,                             \
                        (const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf, \
                         count_type recvcount, MPI_Datatype recvtype),                                    \
                        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))                     \
  IMBREX_MPI_COLLECTIVE(                                                                                  \
      Allgatherv, Iallgatherv, suffix, make_all_gather_each,                                              \
      (const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf,                   \
       const count_type recvcounts[], const displacement_type displs[], MPI_Datatype recvtype),           \
      (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype))                              \
  IMBREX_MPI_COLLECTIVE(Alltoall, Ialltoall, suffix, make_all_to_all_equal,                               \
                        (const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf, \
                         count_type recvcount, MPI_Datatype recvtype),                                    \
                        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))                     \
  IMBREX_MPI_COLLECTIVE(                                                                                  \
      Alltoallv, Ialltoallv, suffix, make_all_to_all_each,                                                \
      (const void* sendbuf, const count_type sendcounts[], const displacement_type sdispls[],             \
       MPI_Datatype sendtype, void* recvbuf, const count_type recvcounts[],                               \
       const displacement_type rdispls[], MPI_Datatype recvtype),                                         \
      (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype))                   \
  IMBREX_MPI_COLLECTIVE(                                                                                  \
      Alltoallw, Ialltoallw, suffix, make_all_to_all_types,                                               \
      (const void* sendbuf, const count_type sendcounts[], const displacement_type sdispls[],             \
       const MPI_Datatype sendtypes[], void* recvbuf, const count_type recvcounts[],                      \
       const displacement_type rdispls[], const MPI_Datatype recvtypes[]),                                \
      (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes))

IMBREX_MPI_BOTH(, int, int)
IMBREX_MPI_BOTH(_c, MPI_Count, MPI_Aint)

}  // namespace imbrex::mpi
