// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <imbrex/mpi/datatype/pack.hpp>

namespace imbrex::mpi {

/// The format "external32" of the standard: packed elements, most significant byte first, some with other
/// sizes than in memory. `external_size` of the type is the length per element of the type.
void pack_external(const typed_buffer& from, std::byte* to);
void unpack_external(const std::byte* from, const typed_buffer& to);

}  // namespace imbrex::mpi
