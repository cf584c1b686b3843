// SPDX-License-Identifier: Apache-2.0
// Accesses of one rank to a file, at its own pointer and at explicit offsets.
#include <imbrex/mpi/api/file_access.hpp>

#include <string>

namespace imbrex::mpi {

namespace {

int access(const char* function, MPI_File fh, access_direction direction, const access_place& place,
           const send_argument& memory, MPI_Status* status) {
  return call_on_file(function, fh, [&](rank_data& data, file& of) {
    check_access(of, direction, true);
    file_access whole(of, place.position_in(of), checked_buffer(data, memory), direction);
    whole.run();
    place.advance(of, whole.end());
    whole.outcome().tell(status);
    if (whole.outcome().failure) throw error(*whole.outcome().failure);
  });
}

int begin_access(const char* function, MPI_File fh, access_direction direction, const access_place& place,
                 const send_argument& memory, MPI_Request* handle) {
  return call_on_file(function, fh, [&](rank_data& data, file& of) {
    check_access(of, direction, true);
    const user_buffer buffer = checked_buffer(data, memory);
    const std::int64_t position = place.position_in(of);
    begin_request(data, ref<user_request>(new file_request(ref(&of), position, buffer, direction)), handle);
    place.advance(of, position + of.view.bytes_of(*buffer.type, buffer.count));
  });
}

std::int64_t offset_from(const file& of, int whence) {
  switch (whence) {
    case MPI_SEEK_SET: return 0;
    case MPI_SEEK_CUR: return of.position;
    case MPI_SEEK_END: return of.etypes_to_end();
    default:
      throw error(MPI_ERR_ARG, "the position counts from " + std::to_string(whence) +
                                   "; give MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END");
  }
}

}  // namespace

void check_access(const file& of, access_direction direction, bool is_random) {
  direction == access_direction::read ? of.require_readable() : of.require_writable();
  if (is_random) of.require_random();
}

std::int64_t access_place::position_in(const file& of) const {
  if (is_explicit && offset < 0)
    throw error(MPI_ERR_ARG, "the offset is " + std::to_string(offset) + " etypes; it must not be negative");
  return product(is_explicit ? offset : of.position, of.view.etype_bytes(), "the offset in the file");
}

void access_place::advance(file& of, std::int64_t position) const {
  const std::int64_t unit = of.view.etype_bytes();
  if (!is_explicit && unit > 0) of.position = (position + unit - 1) / unit;
}

void begin_request(rank_data& data, const ref<user_request>& begun, MPI_Request* handle) {
  begun->start(data.self());
  *handle = data.requests.add(begun);
}

IMBREX_MPI_DEFINE(int, File_read_at,
                  (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype,
                   MPI_Status* status)) {
  return access("MPI_File_read_at", fh, access_direction::read, {true, offset}, {buf, count, datatype},
                status);
}
IMBREX_MPI_DEFINE(int, File_write_at,
                  (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype,
                   MPI_Status* status)) {
  return access("MPI_File_write_at", fh, access_direction::write, {true, offset}, {buf, count, datatype},
                status);
}
IMBREX_MPI_DEFINE(int, File_read,
                  (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  return access("MPI_File_read", fh, access_direction::read, at_pointer, {buf, count, datatype}, status);
}
IMBREX_MPI_DEFINE(int, File_write,
                  (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  return access("MPI_File_write", fh, access_direction::write, at_pointer, {buf, count, datatype}, status);
}

IMBREX_MPI_DEFINE(int, File_iread_at,
                  (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype,
                   MPI_Request* request)) {
  return begin_access("MPI_File_iread_at", fh, access_direction::read, {true, offset}, {buf, count, datatype},
                      request);
}
IMBREX_MPI_DEFINE(int, File_iread,
                  (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Request* request)) {
  return begin_access("MPI_File_iread", fh, access_direction::read, at_pointer, {buf, count, datatype},
                      request);
}
IMBREX_MPI_DEFINE(int, File_iwrite_at,
                  (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype,
                   MPI_Request* request)) {
  return begin_access("MPI_File_iwrite_at", fh, access_direction::write, {true, offset},
                      {buf, count, datatype}, request);
}
IMBREX_MPI_DEFINE(int, File_iwrite,
                  (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Request* request)) {
  return begin_access("MPI_File_iwrite", fh, access_direction::write, at_pointer, {buf, count, datatype},
                      request);
}

IMBREX_MPI_DEFINE(int, File_seek, (MPI_File fh, MPI_Offset offset, int whence)) {
  return call_on_file("MPI_File_seek", fh, [&](rank_data&, file& of) {
    of.require_random();
    const std::int64_t to = offset_from(of, whence) + offset;
    if (to < 0)
      throw error(MPI_ERR_ARG,
                  "the position would be " + std::to_string(to) + " etypes; it must not be negative");
    of.position = to;
  });
}
IMBREX_MPI_DEFINE(int, File_get_position, (MPI_File fh, MPI_Offset* offset)) {
  return call_on_file("MPI_File_get_position", fh, [&](rank_data&, file& of) {
    of.require_random();
    *offset = of.position;
  });
}
IMBREX_MPI_DEFINE(int, File_get_byte_offset, (MPI_File fh, MPI_Offset offset, MPI_Offset* disp)) {
  return call_on_file("MPI_File_get_byte_offset", fh, [&](rank_data&, file& of) {
    of.require_random();
    *disp = of.view.offset_of(access_place{true, offset}.position_in(of));
  });
}

}  // namespace imbrex::mpi
