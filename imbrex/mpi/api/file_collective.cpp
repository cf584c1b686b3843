// SPDX-License-Identifier: Apache-2.0
// Accesses of all ranks to a file: blocking, nonblocking, and split into two calls.
#include <imbrex/mpi/api/file_access.hpp>

#include <string>

#include <imbrex/mpi/file/collective_access.hpp>

namespace imbrex::mpi {

namespace {

using access_ref = ref<collective_access>;

/// Begins an access at each rank's place, and moves the rank's own pointer by what was asked for.
access_ref begin(rank_data& data, file& of, access_direction direction, const access_place& place,
                 const send_argument& memory) {
  check_access(of, direction, true);
  const user_buffer buffer = checked_buffer(data, memory);
  const std::int64_t position = place.position_in(of);
  access_ref begun(new collective_access(ref(&of), position, buffer, direction, access_order::own_places));
  begun->start(data.self());
  place.advance(of, position + of.view.bytes_of(*buffer.type, buffer.count));
  return begun;
}

access_ref begin_ordered(rank_data& data, file& of, access_direction direction, const send_argument& memory) {
  check_access(of, direction, false);
  access_ref begun(
      new collective_access(ref(&of), 0, checked_buffer(data, memory), direction, access_order::by_ranks));
  begun->start(data.self());
  return begun;
}

void end(rank_data& data, collective_access& begun, MPI_Status* status) {
  data.self().await(begun.awaited());
  MPI_Status ignored;
  begun.finish(ignored);
  begun.result().tell(status);
  if (begun.result().failure) throw error(*begun.result().failure);
}

int access_by_all(const char* function, MPI_File fh, access_direction direction, const access_place& place,
                  const send_argument& memory, MPI_Status* status) {
  return call_on_file(function, fh, [&](rank_data& data, file& of) {
    const std::int64_t before = place.position_in(of);
    const access_ref begun = begin(data, of, direction, place, memory);
    end(data, *begun, status);
    if (direction == access_direction::read && !of.view.is_external())
      place.advance(of, before + begun->result().bytes);
  });
}

int access_ordered(const char* function, MPI_File fh, access_direction direction, const send_argument& memory,
                   MPI_Status* status) {
  return call_on_file(function, fh, [&](rank_data& data, file& of) {
    end(data, *begin_ordered(data, of, direction, memory), status);
  });
}

int begin_access_by_all(const char* function, MPI_File fh, access_direction direction,
                        const access_place& place, const send_argument& memory, MPI_Request* handle) {
  return call_on_file(function, fh, [&](rank_data& data, file& of) {
    *handle = data.requests.add(ref<user_request>(begin(data, of, direction, place, memory).get()));
  });
}

void check_no_split(const file& of) {
  if (of.split.begun)
    throw error(MPI_ERR_IO, std::string(of.split.name) +
                                "_begin has begun an access of this file; end it by " + of.split.name +
                                "_end first");
}

int begin_split(const char* function, const char* name, MPI_File fh, access_direction direction,
                const access_place& place, const send_argument& memory) {
  return call_on_file(function, fh, [&](rank_data& data, file& of) {
    check_no_split(of);
    of.split = {ref<user_request>(begin(data, of, direction, place, memory).get()), name};
  });
}

int begin_split_ordered(const char* function, const char* name, MPI_File fh, access_direction direction,
                        const send_argument& memory) {
  return call_on_file(function, fh, [&](rank_data& data, file& of) {
    check_no_split(of);
    of.split = {ref<user_request>(begin_ordered(data, of, direction, memory).get()), name};
  });
}

int end_split(const char* function, const char* name, MPI_File fh, MPI_Status* status) {
  return call_on_file(function, fh, [&](rank_data& data, file& of) {
    if (!of.split.begun || std::string(name) != of.split.name)
      throw error(MPI_ERR_IO,
                  std::string("no access of this file has begun by ") + name + "_begin; call that first");
    const ref<user_request> begun = std::exchange(of.split, {}).begun;
    end(data, static_cast<collective_access&>(*begun), status);
  });
}

}  // namespace

#define IMBREX_MPI_FILE_COLLECTIVE(way, buffer)                                                             \
  IMBREX_MPI_DEFINE(                                                                                        \
      int, File_##way##_at_all,                                                                             \
      (MPI_File fh, MPI_Offset offset, buffer buf, int count, MPI_Datatype datatype, MPI_Status* status)) { \
    return access_by_all("MPI_File_" #way "_at_all", fh, access_direction::way, {true, offset},             \
                         {buf, count, datatype}, status);                                                   \
  }                                                                                                         \
  IMBREX_MPI_DEFINE(int, File_##way##_all,                                                                  \
                    (MPI_File fh, buffer buf, int count, MPI_Datatype datatype, MPI_Status* status)) {      \
    return access_by_all("MPI_File_" #way "_all", fh, access_direction::way, at_pointer,                    \
                         {buf, count, datatype}, status);                                                   \
  }                                                                                                         \
  IMBREX_MPI_DEFINE(int, File_##way##_ordered,                                                              \
                    (MPI_File fh, buffer buf, int count, MPI_Datatype datatype, MPI_Status* status)) {      \
    return access_ordered("MPI_File_" #way "_ordered", fh, access_direction::way, {buf, count, datatype},   \
                          status);                                                                          \
  }                                                                                                         \
  IMBREX_MPI_DEFINE(int, File_i##way##_at_all,                                                              \
                    (MPI_File fh, MPI_Offset offset, buffer buf, int count, MPI_Datatype datatype,          \
                     MPI_Request* request)) {                                                               \
    return begin_access_by_all("MPI_File_i" #way "_at_all", fh, access_direction::way, {true, offset},      \
                               {buf, count, datatype}, request);                                            \
  }                                                                                                         \
  IMBREX_MPI_DEFINE(int, File_i##way##_all,                                                                 \
                    (MPI_File fh, buffer buf, int count, MPI_Datatype datatype, MPI_Request* request)) {    \
    return begin_access_by_all("MPI_File_i" #way "_all", fh, access_direction::way, at_pointer,             \
                               {buf, count, datatype}, request);                                            \
  }                                                                                                         \
  IMBREX_MPI_DEFINE(int, File_##way##_at_all_begin,                                                         \
                    (MPI_File fh, MPI_Offset offset, buffer buf, int count, MPI_Datatype datatype)) {       \
    return begin_split("MPI_File_" #way "_at_all_begin", "MPI_File_" #way "_at_all", fh,                    \
                       access_direction::way, {true, offset}, {buf, count, datatype});                      \
  }                                                                                                         \
  IMBREX_MPI_DEFINE(int, File_##way##_at_all_end, (MPI_File fh, buffer /*buf*/, MPI_Status * status)) {     \
    return end_split("MPI_File_" #way "_at_all_end", "MPI_File_" #way "_at_all", fh, status);               \
  }                                                                                                         \
  IMBREX_MPI_DEFINE(int, File_##way##_all_begin,                                                            \
                    (MPI_File fh, buffer buf, int count, MPI_Datatype datatype)) {                          \
    return begin_split("MPI_File_" #way "_all_begin", "MPI_File_" #way "_all", fh, access_direction::way,   \
                       at_pointer, {buf, count, datatype});                                                 \
  }                                                                                                         \
  IMBREX_MPI_DEFINE(int, File_##way##_all_end, (MPI_File fh, buffer /*buf*/, MPI_Status * status)) {        \
    return end_split("MPI_File_" #way "_all_end", "MPI_File_" #way "_all", fh, status);                     \
  }                                                                                                         \
  IMBREX_MPI_DEFINE(int, File_##way##_ordered_begin,                                                        \
                    (MPI_File fh, buffer buf, int count, MPI_Datatype datatype)) {                          \
    return begin_split_ordered("MPI_File_" #way "_ordered_begin", "MPI_File_" #way "_ordered", fh,          \
                               access_direction::way, {buf, count, datatype});                              \
  }                                                                                                         \
  IMBREX_MPI_DEFINE(int, File_##way##_ordered_end, (MPI_File fh, buffer /*buf*/, MPI_Status * status)) {    \
    return end_split("MPI_File_" #way "_ordered_end", "MPI_File_" #way "_ordered", fh, status);             \
  }

IMBREX_MPI_FILE_COLLECTIVE(read, void*)
IMBREX_MPI_FILE_COLLECTIVE(write, const void*)

}  // namespace imbrex::mpi
