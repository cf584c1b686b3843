// SPDX-License-Identifier: Apache-2.0
// Accesses to a file at the shared pointer, and the consistency of accesses.
#include <imbrex/mpi/api/file_access.hpp>

#include <string>

#include <imbrex/core/extension/pe.hpp>

namespace imbrex::mpi {

namespace {

/// Moves the shared pointer by the length of an access, and returns the access's position.
std::int64_t take_place(file& of, std::int64_t bytes) {
  const std::int64_t unit = of.view.etype_bytes();
  return of.pointer.fetch_and_add(unit > 0 ? bytes / unit : 0) * unit;
}

int access(const char* function, MPI_File fh, access_direction direction, const send_argument& memory,
           MPI_Status* status) {
  return call_on_file(function, fh, [&](rank_data& data, file& of) {
    check_access(of, direction, false);
    file_access whole(of, 0, checked_buffer(data, memory), direction);
    whole.place(take_place(of, whole.bytes_in_file()));
    whole.run();
    whole.outcome().tell(status);
    if (whole.outcome().failure) throw error(*whole.outcome().failure);
  });
}

int begin_access(const char* function, MPI_File fh, access_direction direction, const send_argument& memory,
                 MPI_Request* handle) {
  return call_on_file(function, fh, [&](rank_data& data, file& of) {
    check_access(of, direction, false);
    const user_buffer buffer = checked_buffer(data, memory);
    require_whole_etypes(of.view, buffer);
    const std::int64_t position = take_place(of, of.view.bytes_of(*buffer.type, buffer.count));
    begin_request(data, ref<user_request>(new file_request(ref(&of), position, buffer, direction)), handle);
  });
}

/// On the first rank: the place that a call seeks, in etypes.
std::int64_t place_of(const file& of, MPI_Offset offset, int whence) {
  std::int64_t from = 0;
  switch (whence) {
    case MPI_SEEK_SET: break;
    case MPI_SEEK_CUR: from = of.pointer.value; break;
    case MPI_SEEK_END: from = of.etypes_to_end(); break;
    default:
      throw error(MPI_ERR_ARG, "the position counts from " + std::to_string(whence) +
                                   "; give MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END");
  }
  if (from + offset < 0)
    throw error(MPI_ERR_ARG, "the position would be " + std::to_string(from + offset) +
                                 " etypes; it must not be negative");
  return from + offset;
}

}  // namespace

IMBREX_MPI_DEFINE(int, File_read_shared,
                  (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  return access("MPI_File_read_shared", fh, access_direction::read, {buf, count, datatype}, status);
}
IMBREX_MPI_DEFINE(int, File_write_shared,
                  (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  return access("MPI_File_write_shared", fh, access_direction::write, {buf, count, datatype}, status);
}
IMBREX_MPI_DEFINE(int, File_iread_shared,
                  (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Request* request)) {
  return begin_access("MPI_File_iread_shared", fh, access_direction::read, {buf, count, datatype}, request);
}
IMBREX_MPI_DEFINE(int, File_iwrite_shared,
                  (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Request* request)) {
  return begin_access("MPI_File_iwrite_shared", fh, access_direction::write, {buf, count, datatype}, request);
}

IMBREX_MPI_DEFINE(int, File_seek_shared, (MPI_File fh, MPI_Offset offset, int whence)) {
  return call_on_file("MPI_File_seek_shared", fh, [&](rank_data&, file& of) {
    of.require_same(offset, "the offset");
    of.require_same(whence, "the origin of the offset");
    std::int64_t place = 0;
    std::optional<error> failure;
    if (of.in()->rank() == 0) failure = failure_of([&] { place = place_of(of, offset, whence); });
    of.agree(failure ? &*failure : nullptr);
    of.set_pointer(place);
  });
}
IMBREX_MPI_DEFINE(int, File_get_position_shared, (MPI_File fh, MPI_Offset* offset)) {
  return call_on_file("MPI_File_get_position_shared", fh,
                      [&](rank_data&, file& of) { *offset = of.pointer.fetch_and_add(0); });
}

// ---- consistency

IMBREX_MPI_DEFINE(int, File_set_atomicity, (MPI_File fh, int flag)) {
  return call_on_file("MPI_File_set_atomicity", fh, [&](rank_data&, file& of) {
    of.require_same(flag != 0 ? 1 : 0, "the flag");
    of.is_atomic = flag != 0;
  });
}
IMBREX_MPI_DEFINE(int, File_get_atomicity, (MPI_File fh, int* flag)) {
  return call_on_file("MPI_File_get_atomicity", fh,
                      [&](rank_data&, file& of) { *flag = of.is_atomic ? 1 : 0; });
}
IMBREX_MPI_DEFINE(int, File_sync, (MPI_File fh)) {
  return call_on_file("MPI_File_sync", fh, [&](rank_data& data, file& of) {
    data.self().await_all(std::vector<request*>(of.under_way));
    std::optional<error> failure;
    request stored;
    stored.peer = request::is_several;
    const file_worker::job job = extension::current_pe().local<file_worker>().begin(
        [&] { failure = failure_of([&of] { of.data.sync(); }); }, [&] { data.self().complete(stored); });
    if (!stored.is_done) data.self().await(stored);
    of.agree(failure ? &*failure : nullptr);
  });
}

}  // namespace imbrex::mpi
