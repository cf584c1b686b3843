// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/core/pending.hpp>

namespace imbrex::detail {

/// Asks all PEs for their parts of an array; ready when each has made its own.
pending<void> end_of_creation(std::uint32_t collection);

}  // namespace imbrex::detail
