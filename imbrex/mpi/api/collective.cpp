// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/api/collective.hpp>
#include <imbrex/mpi/api/define.hpp>

#include <string>
#include <utility>

namespace imbrex::mpi {

void collective_call::check_root(int root) const {
  if (root >= 0 && root < others()) return;
  if (is_inter() && (root == MPI_ROOT || root == MPI_PROC_NULL)) return;
  throw error(MPI_ERR_ROOT,
              "the root is " + std::to_string(root) + ", and " + describe_communicator(&in_) +
                  (is_inter() ? " has between its groups the roots 0 to " : " has the ranks 0 to ") +
                  std::to_string(others() - 1) + (is_inter() ? ", MPI_ROOT and MPI_PROC_NULL" : ""));
}

void collective_call::require_one_group() const {
  if (is_inter())
    throw error(MPI_ERR_COMM, describe_communicator(&in_) +
                                  " is between two groups; this function needs one group, as "
                                  "MPI_Intercomm_merge makes of both");
}

bool collective_call::is_in_place(const void* address) const {
  if (address != MPI_IN_PLACE) return false;
  if (is_inter())
    throw error(MPI_ERR_BUFFER,
                "MPI_IN_PLACE has no meaning between two groups; give the buffer whose data are sent");
  return true;
}

block_list collective_call::blocks(const void* address, std::int64_t count, MPI_Datatype type, int n) const {
  // Where there is nobody to send to, no buffer is needed.
  const user_buffer first = buffer(n == 0 ? this : address, count, type);
  return {const_cast<void*>(address), count, first.type, {}, {}, {}};
}

void collective_call::check_lists(numbers counts, bool displacements, int n) const {
  if (n > 0 && (!counts.are_there() || !displacements))
    throw error(MPI_ERR_ARG, "the counts or displacements are a null pointer; give one for each of " +
                                 std::to_string(n) + " ranks");
}

block_list collective_call::blocks(const void* address, numbers counts, numbers displacements,
                                   MPI_Datatype type, int n) const {
  check_lists(counts, displacements.are_there(), n);
  block_list all{const_cast<void*>(address), 0, data_.objects().type(type), {}, {}, {}};
  for (int i = 0; i < n; ++i) {
    buffer(address, counts[i], type);
    all.counts.push_back(counts[i]);
    all.offsets.push_back(displacements[i] * all.type->extent());
  }
  return all;
}

block_list collective_call::blocks(const void* address, numbers counts, numbers displacements,
                                   const MPI_Datatype types[], int n) const {
  check_lists(counts, displacements.are_there() && types != nullptr, n);
  block_list all;
  all.address = const_cast<void*>(address);
  for (int i = 0; i < n; ++i) {
    const bool is_absolute = address == MPI_BOTTOM && displacements[i] != 0;
    all.types.push_back(buffer(is_absolute ? &all : address, counts[i], types[i]).type);
    all.counts.push_back(counts[i]);
    all.offsets.push_back(displacements[i]);
  }
  return all;
}

void collective_call::check_apart(const user_buffer& send, const user_buffer& receive) {
  if (send.address == receive.address && send.bytes() > 0 && receive.bytes() > 0 &&
      send.type.get() == receive.type.get())
    throw error(MPI_ERR_BUFFER,
                "the data that are sent lie where others are received; give different buffers, or "
                "MPI_IN_PLACE");
}

reduction collective_call::how(MPI_Datatype type, MPI_Op op) const {
  operation& found = data_.objects().op(op);
  found.check(*data_.objects().type(type));
  return {ref<operation>(&found), type};
}

void run_collective(rank_data& data, communicator& in, schedule::maker make) {
  if (const int code = run_schedule(data.self(), ref<communicator>(&in), std::move(make));
      code != MPI_SUCCESS)
    throw error(code,
                "another rank has sent more data than this one receives from it; give both the same counts");
}

void begin_collective(rank_data& data, communicator& in, schedule::maker make, bool is_persistent,
                      MPI_Request* handle) {
  const ref<user_request> made(new schedule(ref<communicator>(&in), is_persistent, std::move(make)));
  if (!is_persistent) made->start(data.self());
  *handle = data.requests.add(made);
}

}  // namespace imbrex::mpi
