// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <imbrex/mpi/datatype/pack.hpp>

namespace imbrex::mpi {

/// The format "external32" of the standard: elements lie close together, the highest byte first, and some
/// have other sizes than here. `external_size` of the type says how many bytes one takes.
void pack_external(const typed_buffer& from, std::byte* to);
void unpack_external(const std::byte* from, const typed_buffer& to);

}  // namespace imbrex::mpi
