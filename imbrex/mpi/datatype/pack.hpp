// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include <imbrex/mpi/datatype/datatype.hpp>

namespace imbrex::mpi {

/// `count` elements of a datatype in memory. A position among the packed bytes is enough to resume packing in
/// pieces; finding it takes O(depth of the type * log(its blocks)).
struct typed_buffer {
  std::byte* memory = nullptr;  ///< the type's origin, null if its offsets are addresses (MPI_BOTTOM)
  std::int64_t count = 0;
  const datatype* type = nullptr;

  std::int64_t bytes() const { return type->bytes(count); }
};

/// Copies the packed bytes `position` to `position + bytes` of a buffer to `to`, or from `from` into the
/// buffer. Requires position + bytes <= buffer.bytes().
void pack(const typed_buffer& buffer, std::int64_t position, std::byte* to, std::int64_t bytes);
void unpack(const typed_buffer& buffer, std::int64_t position, const std::byte* from, std::int64_t bytes);

/// Calls visit(address, position, bytes) for each run within the first `bytes` packed bytes of a buffer.
/// `position` is the run's offset among the packed bytes.
void visit_runs(const typed_buffer& buffer, std::int64_t bytes,
                const std::function<void(std::byte*, std::int64_t, std::int64_t)>& visit);

/// Copies the first `bytes` packed bytes of one buffer to another; the buffers must not overlap.
void copy(const typed_buffer& from, const typed_buffer& to, std::int64_t bytes);

}  // namespace imbrex::mpi
