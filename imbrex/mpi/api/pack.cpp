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

/// Packed data as the arguments of a function of MPI name them.
template <typename Count>
struct packed_argument {
  const void* address;
  Count size;
  Count* position;

  std::byte* next() const { return bytes(address) + *position; }
  void advance(std::int64_t n) const { *position = Count(*position + n); }
};
template <typename Count>
packed_argument(const void*, Count, Count*) -> packed_argument<Count>;

/// Data to pack or to unpack, checked.
struct unpacked_data {
  explicit unpacked_data(const send_argument& which)
      : type(objects().type(which.type)), buffer{bytes(which.address), which.count, type.get()} {
    check_committed(*type, which.type);
  }
  datatype_ref type;
  typed_buffer buffer;
};

template <typename Count>
void check_packed(const packed_argument<Count>& packed, std::int64_t n, const send_argument& other) {
  check_room(*packed.position, n, packed.size);
  require_host_memory(packed.address, "the buffer");
  require_host_memory(other.address, "the buffer");
}

template <typename Count>
void pack_some(const send_argument& in, const packed_argument<Count>& out, MPI_Comm comm) {
  check_communicator(comm);
  const unpacked_data data(in);
  const std::int64_t n = data.buffer.bytes();
  check_packed(out, n, in);
  pack(data.buffer, 0, out.next(), n);
  out.advance(n);
}

template <typename Count>
void unpack_some(const packed_argument<Count>& in, const receive_argument& out, MPI_Comm comm) {
  check_communicator(comm);
  const unpacked_data data(out);
  const std::int64_t n = data.buffer.bytes();
  check_packed(in, n, out);
  unpack(data.buffer, 0, in.next(), n);
  in.advance(n);
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

void pack_outside(const char* representation, const send_argument& in,
                  const packed_argument<std::int64_t>& out) {
  check_representation(representation);
  const unpacked_data data(in);
  const std::int64_t n = external_bytes(*data.type, in.count);
  check_packed(out, n, in);
  pack_external(data.buffer, out.next());
  out.advance(n);
}

void unpack_outside(const char* representation, const packed_argument<std::int64_t>& in,
                    const receive_argument& out) {
  check_representation(representation);
  const unpacked_data data(out);
  const std::int64_t n = external_bytes(*data.type, out.count);
  check_packed(in, n, out);
  unpack_external(in.next(), data.buffer);
  in.advance(n);
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
  return call("MPI_Pack", [&] {
    pack_some({inbuf, incount, datatype}, packed_argument{outbuf, outsize, position}, comm);
  });
}
IMBREX_MPI_DEFINE(int, Pack_c,
                  (const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf,
                   MPI_Count outsize, MPI_Count* position, MPI_Comm comm)) {
  return call("MPI_Pack_c", [&] {
    pack_some({inbuf, incount, datatype}, packed_argument{outbuf, outsize, position}, comm);
  });
}

IMBREX_MPI_DEFINE(int, Unpack,
                  (const void* inbuf, int insize, int* position, void* outbuf, int outcount,
                   MPI_Datatype datatype, MPI_Comm comm)) {
  return call("MPI_Unpack", [&] {
    unpack_some(packed_argument{inbuf, insize, position}, {outbuf, outcount, datatype}, comm);
  });
}
IMBREX_MPI_DEFINE(int, Unpack_c,
                  (const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf, MPI_Count outcount,
                   MPI_Datatype datatype, MPI_Comm comm)) {
  return call("MPI_Unpack_c", [&] {
    unpack_some(packed_argument{inbuf, insize, position}, {outbuf, outcount, datatype}, comm);
  });
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
              [&] { pack_outside(datarep, {inbuf, incount, datatype}, {outbuf, outsize, position}); });
}
IMBREX_MPI_DEFINE(int, Pack_external_c,
                  (const char* datarep, const void* inbuf, MPI_Count incount, MPI_Datatype datatype,
                   void* outbuf, MPI_Count outsize, MPI_Count* position)) {
  return call("MPI_Pack_external_c",
              [&] { pack_outside(datarep, {inbuf, incount, datatype}, {outbuf, outsize, position}); });
}

IMBREX_MPI_DEFINE(int, Unpack_external,
                  (const char datarep[], const void* inbuf, MPI_Aint insize, MPI_Aint* position, void* outbuf,
                   int outcount, MPI_Datatype datatype)) {
  return call("MPI_Unpack_external",
              [&] { unpack_outside(datarep, {inbuf, insize, position}, {outbuf, outcount, datatype}); });
}
IMBREX_MPI_DEFINE(int, Unpack_external_c,
                  (const char datarep[], const void* inbuf, MPI_Count insize, MPI_Count* position,
                   void* outbuf, MPI_Count outcount, MPI_Datatype datatype)) {
  return call("MPI_Unpack_external_c",
              [&] { unpack_outside(datarep, {inbuf, insize, position}, {outbuf, outcount, datatype}); });
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
