// SPDX-License-Identifier: Apache-2.0
// Partitioned communication (MPI 4.1, chapter 4).
#include <imbrex/mpi/partitioned.hpp>

#include <limits>
#include <string>

#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

namespace {

/// Arguments of MPI_Psend_init and MPI_Precv_init.
struct partitioned_argument {
  int partitions;
  message_end other;
  MPI_Comm comm;
  const char* name_of_other;  ///< "the destination" or "the source"
};

using make_partitioned = ref<user_request>(rank&, const ref<communicator>&, const user_buffer&, int,
                                           message_end);

int make(const char* function, const send_argument& partition, const partitioned_argument& rest,
         MPI_Request* handle, make_partitioned* const make_request) {
  return call_on(function, rest.comm, [&](rank_data& data, communicator& in) {
    const user_buffer buffer = checked_buffer(data, partition);
    if (rest.partitions < 0 || rest.partitions > most_tag)
      throw error(MPI_ERR_ARG, "the number of partitions is " + std::to_string(rest.partitions) +
                                   "; it must be from 0 to " + std::to_string(most_tag));
    check_rank(in, rest.other.rank, rest.name_of_other);
    check_tag(rest.other.tag);
    *handle = data.requests.add(
        make_request(data.self(), ref<communicator>(&in), buffer, rest.partitions, rest.other));
  });
}

partitioned_request& partitioned_at(rank_data& data, MPI_Request handle, error_owner& owner) {
  user_request& q = data.requests.at(handle);
  if (q.in() != nullptr) owner.set(ref<communicator>(q.in()));
  if (partitioned_request* const found = q.as_partitioned()) return *found;
  throw error(MPI_ERR_REQUEST,
              "the request is not partitioned; make one by MPI_Psend_init or MPI_Precv_init");
}

}  // namespace

IMBREX_MPI_DEFINE(int, Psend_init,
                  (const void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                   MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request)) {
  return make("MPI_Psend_init", {buf, count, datatype}, {partitions, {dest, tag}, comm, "the destination"},
              request, &make_partitioned_send);
}
IMBREX_MPI_DEFINE(int, Precv_init,
                  (void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                   MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request)) {
  return make("MPI_Precv_init", {buf, count, datatype}, {partitions, {source, tag}, comm, "the source"},
              request, &make_partitioned_receive);
}

IMBREX_MPI_DEFINE(int, Pready, (int partition, MPI_Request request)) {
  return call_for_owner("MPI_Pready", [&](rank_data& data, error_owner& owner) {
    partitioned_at(data, request, owner).send_partition(partition);
  });
}
IMBREX_MPI_DEFINE(int, Pready_range, (int partition_low, int partition_high, MPI_Request request)) {
  return call_for_owner("MPI_Pready_range", [&](rank_data& data, error_owner& owner) {
    partitioned_request& q = partitioned_at(data, request, owner);
    if (partition_low > partition_high)
      throw error(MPI_ERR_ARG, "the range of partitions is from " + std::to_string(partition_low) + " to " +
                                   std::to_string(partition_high) + "; give the lower one first");
    for (int i = partition_low; i <= partition_high; ++i) q.send_partition(i);
  });
}
IMBREX_MPI_DEFINE(int, Pready_list, (int length, const int array_of_partitions[], MPI_Request request)) {
  return call_for_owner("MPI_Pready_list", [&](rank_data& data, error_owner& owner) {
    partitioned_request& q = partitioned_at(data, request, owner);
    if (length < 0)
      throw error(MPI_ERR_ARG,
                  "the length of the list is " + std::to_string(length) + "; it must not be negative");
    for (int i = 0; i < length; ++i) q.send_partition(array_of_partitions[i]);
  });
}
IMBREX_MPI_DEFINE(int, Parrived, (MPI_Request request, int partition, int* flag)) {
  return call_for_owner("MPI_Parrived", [&](rank_data& data, error_owner& owner) {
    *flag = 1;
    if (request == MPI_REQUEST_NULL) return;
    partitioned_request& q = partitioned_at(data, request, owner);
    q.has_arrived(partition) ? data.self().give_way_at_times() : data.self().give_way();
    *flag = q.has_arrived(partition) ? 1 : 0;
  });
}

}  // namespace imbrex::mpi
