// SPDX-License-Identifier: Apache-2.0
#include <climits>
#include <cstdint>
#include <cstring>
#include <string>

#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/datatype/external32.hpp>
#include <imbrex/mpi/datatype/pack.hpp>
#include <imbrex/mpi/object/error.hpp>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

namespace {

void check_committed(const datatype& type, int handle) {
  if (!type.is_committed())
    throw error(MPI_ERR_TYPE,
                "the datatype " + text_of_handle(handle) + " is not committed: call MPI_Type_commit before");
}

void check_communicator(MPI_Comm comm) {
  if (kind_of(comm) != handle_kind::communicator || comm == MPI_COMM_NULL)
    refuse_handle(comm, handle_kind::communicator);
}

void check_representation(const char* name) {
  if (std::strcmp(name, "external32") != 0)
    throw error(MPI_ERR_UNSUPPORTED_DATAREP,
                "\"" + std::string(name) + "\" is no data representation; give \"external32\"");
}

void check_room(std::int64_t position, std::int64_t needed, std::int64_t size) {
  if (position < 0 || size - position < needed)
    throw error(MPI_ERR_ARG, "the packed data need " + std::to_string(needed) + " bytes from the position " +
                                 std::to_string(position) + " on, but the buffer has " +
                                 std::to_string(size));
}

template <typename Count>
Count narrowed(std::int64_t bytes) {
  if (sizeof(Count) == sizeof(int) && bytes > INT_MAX)
    throw error(MPI_ERR_COUNT,
                std::to_string(bytes) + " packed bytes do not fit into an int; call the function with _c");
  return Count(bytes);
}

std::byte* bytes(const void* buffer) { return const_cast<std::byte*>(static_cast<const std::byte*>(buffer)); }

template <typename Count>
void pack_some(const void* in, Count count, MPI_Datatype handle, void* out, Count size, Count* position,
               MPI_Comm comm) {
  check_communicator(comm);
  const datatype_ref type = objects().type(handle);
  check_committed(*type, handle);
  const typed_buffer buffer{bytes(in), count, type.get()};
  const std::int64_t n = buffer.bytes();
  check_room(*position, n, size);
  require_host_memory(in, "the buffer");
  require_host_memory(out, "the buffer");
  pack(buffer, 0, bytes(out) + *position, n);
  *position = Count(*position + n);
}

template <typename Count>
void unpack_some(const void* in, Count size, Count* position, void* out, Count count, MPI_Datatype handle,
                 MPI_Comm comm) {
  check_communicator(comm);
  const datatype_ref type = objects().type(handle);
  check_committed(*type, handle);
  const typed_buffer buffer{bytes(out), count, type.get()};
  const std::int64_t n = buffer.bytes();
  check_room(*position, n, size);
  require_host_memory(in, "the buffer");
  require_host_memory(out, "the buffer");
  unpack(buffer, 0, bytes(in) + *position, n);
  *position = Count(*position + n);
}

template <typename Count>
void find_pack_size(Count count, MPI_Datatype handle, MPI_Comm comm, Count* size) {
  check_communicator(comm);
  *size = narrowed<Count>(objects().type(handle)->bytes(count));
}

std::int64_t external_bytes(const datatype& type, std::int64_t count) {
  (void)type.bytes(count);
  return product(count, type.external_size(), "the size in external32");
}

void pack_outside(const char* representation, const void* in, std::int64_t count, MPI_Datatype handle,
                  void* out, std::int64_t size, std::int64_t* position) {
  check_representation(representation);
  const datatype_ref type = objects().type(handle);
  check_committed(*type, handle);
  const std::int64_t n = external_bytes(*type, count);
  check_room(*position, n, size);
  require_host_memory(in, "the buffer");
  require_host_memory(out, "the buffer");
  pack_external({bytes(in), count, type.get()}, bytes(out) + *position);
  *position += n;
}

void unpack_outside(const char* representation, const void* in, std::int64_t size, std::int64_t* position,
                    void* out, std::int64_t count, MPI_Datatype handle) {
  check_representation(representation);
  const datatype_ref type = objects().type(handle);
  check_committed(*type, handle);
  const std::int64_t n = external_bytes(*type, count);
  check_room(*position, n, size);
  require_host_memory(in, "the buffer");
  require_host_memory(out, "the buffer");
  unpack_external(bytes(in) + *position, {bytes(out), count, type.get()});
  *position += n;
}

void find_external_size(const char* representation, std::int64_t count, MPI_Datatype handle,
                        std::int64_t* size) {
  check_representation(representation);
  *size = external_bytes(*objects().type(handle), count);
}

}  // namespace

IMBREX_MPI_DEFINE(int, Pack,
                  (const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, int outsize,
                   int* position, MPI_Comm comm)) {
  return call("MPI_Pack", [&] { pack_some(inbuf, incount, datatype, outbuf, outsize, position, comm); });
}
IMBREX_MPI_DEFINE(int, Pack_c,
                  (const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf,
                   MPI_Count outsize, MPI_Count* position, MPI_Comm comm)) {
  return call("MPI_Pack_c", [&] { pack_some(inbuf, incount, datatype, outbuf, outsize, position, comm); });
}

IMBREX_MPI_DEFINE(int, Unpack,
                  (const void* inbuf, int insize, int* position, void* outbuf, int outcount,
                   MPI_Datatype datatype, MPI_Comm comm)) {
  return call("MPI_Unpack", [&] { unpack_some(inbuf, insize, position, outbuf, outcount, datatype, comm); });
}
IMBREX_MPI_DEFINE(int, Unpack_c,
                  (const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf, MPI_Count outcount,
                   MPI_Datatype datatype, MPI_Comm comm)) {
  return call("MPI_Unpack_c",
              [&] { unpack_some(inbuf, insize, position, outbuf, outcount, datatype, comm); });
}

IMBREX_MPI_DEFINE(int, Pack_size, (int incount, MPI_Datatype datatype, MPI_Comm comm, int* size)) {
  return call("MPI_Pack_size", [&] { find_pack_size(incount, datatype, comm, size); });
}
IMBREX_MPI_DEFINE(int, Pack_size_c,
                  (MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, MPI_Count* size)) {
  return call("MPI_Pack_size_c", [&] { find_pack_size(incount, datatype, comm, size); });
}

IMBREX_MPI_DEFINE(int, Pack_external,
                  (const char* datarep, const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf,
                   MPI_Aint outsize, MPI_Aint* position)) {
  return call("MPI_Pack_external",
              [&] { pack_outside(datarep, inbuf, incount, datatype, outbuf, outsize, position); });
}
IMBREX_MPI_DEFINE(int, Pack_external_c,
                  (const char* datarep, const void* inbuf, MPI_Count incount, MPI_Datatype datatype,
                   void* outbuf, MPI_Count outsize, MPI_Count* position)) {
  return call("MPI_Pack_external_c",
              [&] { pack_outside(datarep, inbuf, incount, datatype, outbuf, outsize, position); });
}

IMBREX_MPI_DEFINE(int, Unpack_external,
                  (const char datarep[], const void* inbuf, MPI_Aint insize, MPI_Aint* position, void* outbuf,
                   int outcount, MPI_Datatype datatype)) {
  return call("MPI_Unpack_external",
              [&] { unpack_outside(datarep, inbuf, insize, position, outbuf, outcount, datatype); });
}
IMBREX_MPI_DEFINE(int, Unpack_external_c,
                  (const char datarep[], const void* inbuf, MPI_Count insize, MPI_Count* position,
                   void* outbuf, MPI_Count outcount, MPI_Datatype datatype)) {
  return call("MPI_Unpack_external_c",
              [&] { unpack_outside(datarep, inbuf, insize, position, outbuf, outcount, datatype); });
}

IMBREX_MPI_DEFINE(int, Pack_external_size,
                  (const char* datarep, int incount, MPI_Datatype datatype, MPI_Aint* size)) {
  return call("MPI_Pack_external_size", [&] { find_external_size(datarep, incount, datatype, size); });
}
IMBREX_MPI_DEFINE(int, Pack_external_size_c,
                  (const char* datarep, MPI_Count incount, MPI_Datatype datatype, MPI_Count* size)) {
  return call("MPI_Pack_external_size_c", [&] { find_external_size(datarep, incount, datatype, size); });
}

}  // namespace imbrex::mpi
