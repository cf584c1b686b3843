// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <imbrex/mpi/datatype/datatype.hpp>

namespace imbrex::mpi {

/// Describes a datatype by numbers, from which another process makes a type with the same elements at the
/// same displacements. Component types that occur several times are described once.
std::vector<std::int64_t> describe(const datatype& type);

/// The datatype that `describe` has described. Throws serial_error for any other numbers.
datatype_ref described_type(std::span<const std::int64_t> numbers);

}  // namespace imbrex::mpi
