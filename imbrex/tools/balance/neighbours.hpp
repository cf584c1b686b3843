// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <imbrex/balance/recorded.hpp>

namespace imbrex::tools::balance {

/// Gives a problem an edge for each pair of elements of an array whose indices differ by 1 in one dimension.
void connect_neighbours(imbrex::balance::snapshot& problem,
                        std::span<const imbrex::balance::object_name> names);

}  // namespace imbrex::tools::balance
