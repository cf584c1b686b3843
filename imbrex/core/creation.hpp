// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/core/pending.hpp>

namespace imbrex::detail {

/// Destroys an array; ready when all its elements are destroyed.
pending<void> end_array(std::uint64_t collection);

/// Asks all PEs for their parts of an array; ready when each has made its own.
pending<void> end_of_creation(std::uint64_t collection);

}  // namespace imbrex::detail
