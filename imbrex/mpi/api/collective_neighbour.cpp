// SPDX-License-Identifier: Apache-2.0
// Collective functions between neighbours of a topology.
#include <imbrex/mpi/api/collective.hpp>
#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/collective/exchange.hpp>

namespace imbrex::mpi {

namespace {

int count_of(const std::vector<int>& ranks) { return static_cast<int>(ranks.size()); }

schedule::maker exchange(neighbourhood with, block_list send, bool is_one, block_list receive) {
  return [with = std::move(with), send = std::move(send), is_one, receive = std::move(receive)](schedule& s) {
    return exchange_with_neighbours(s, with, send, is_one, receive);
  };
}

schedule::maker make_gather(const collective_call& c, const send_argument& send, const auto& receive) {
  const neighbourhood with = neighbourhood_of(c.in());
  return exchange(with, c.blocks(send, with.destinations.empty() ? 0 : 1), true,
                  c.blocks(receive, count_of(with.sources)));
}

schedule::maker make_all(const collective_call& c, const auto& send, const auto& receive) {
  const neighbourhood with = neighbourhood_of(c.in());
  return exchange(with, c.blocks(send, count_of(with.destinations)), false,
                  c.blocks(receive, count_of(with.sources)));
}

}  // namespace

#define IMBREX_MPI_BOTH(suffix, count_type, displacement_type)                                               \
  IMBREX_MPI_COLLECTIVE(                                                                                     \
      Neighbor_allgather, Ineighbor_allgather, suffix, make_gather,                                          \
      (const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf,                      \
       count_type recvcount, MPI_Datatype recvtype),                                                         \
      (send_argument{sendbuf, sendcount, sendtype}, receive_argument{recvbuf, recvcount, recvtype}))         \
  IMBREX_MPI_COLLECTIVE(                                                                                     \
      Neighbor_allgatherv, Ineighbor_allgatherv, suffix, make_gather,                                        \
      (const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf,                      \
       const count_type recvcounts[], const displacement_type displs[], MPI_Datatype recvtype),              \
      (send_argument{sendbuf, sendcount, sendtype}, blocks_argument{recvbuf, recvcounts, displs, recvtype})) \
  IMBREX_MPI_COLLECTIVE(                                                                                     \
      Neighbor_alltoall, Ineighbor_alltoall, suffix, make_all,                                               \
      (const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf,                      \
       count_type recvcount, MPI_Datatype recvtype),                                                         \
      (send_argument{sendbuf, sendcount, sendtype}, receive_argument{recvbuf, recvcount, recvtype}))         \
  IMBREX_MPI_COLLECTIVE(                                                                                     \
      Neighbor_alltoallv, Ineighbor_alltoallv, suffix, make_all,                                             \
      (const void* sendbuf, const count_type sendcounts[], const displacement_type sdispls[],                \
       MPI_Datatype sendtype, void* recvbuf, const count_type recvcounts[],                                  \
       const displacement_type rdispls[], MPI_Datatype recvtype),                                            \
      (blocks_argument{sendbuf, sendcounts, sdispls, sendtype},                                              \
       blocks_argument{recvbuf, recvcounts, rdispls, recvtype}))                                             \
  IMBREX_MPI_COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, suffix, make_all,                           \
                        (const void* sendbuf, const count_type sendcounts[], const MPI_Aint sdispls[],       \
                         const MPI_Datatype sendtypes[], void* recvbuf, const count_type recvcounts[],       \
                         const MPI_Aint rdispls[], const MPI_Datatype recvtypes[]),                          \
                        (blocks_argument{sendbuf, sendcounts, sdispls, sendtypes},                           \
                         blocks_argument{recvbuf, recvcounts, rdispls, recvtypes}))

IMBREX_MPI_BOTH(, int, int)
IMBREX_MPI_BOTH(_c, MPI_Count, MPI_Aint)

}  // namespace imbrex::mpi
