// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <imbrex/core/extension/load.hpp>
#include <imbrex/core/options/options.hpp>

namespace imbrex::balance::detail {

using extension::element_class;

/// The reason why no element of a program with arrays of these classes can move; empty if some can.
std::string why_none_moves(const std::vector<const element_class*>& classes);
/// Throws usage_error if the options request a balancer of a program whose elements cannot move.
void check_classes(const balance_settings& settings, const std::vector<const element_class*>& classes);

}  // namespace imbrex::balance::detail
