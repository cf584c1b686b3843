// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/core/pending.hpp>

namespace imbrex::detail {

/// Asks all PEs for their parts of an array; ready when each has made its own, with the exception if one could not.
pending<void> end_of_creation(std::uint32_t collection);

/// This PE could not make its part and has withdrawn it. Whoever made the array is told, if he asks for the end of its
/// creation; if he has not, the run ends.
void tell_of_failed_creation(processor& pe, std::uint32_t collection, int maker);

}  // namespace imbrex::detail
