// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <imbrex/mpi/datatype/datatype.hpp>

namespace imbrex::mpi {

/// A datatype as numbers, by which another process makes one that has the same elements in the same places.
/// What occurs several times inside of it is described once.
std::vector<std::int64_t> describe(const datatype& type);

/// The datatype that such numbers describe. Throws serial_error for others.
datatype_ref described_type(std::span<const std::int64_t> numbers);

}  // namespace imbrex::mpi
