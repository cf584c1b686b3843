// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace imbrex {

/// The fabrics that `--net` can name, also those that this build lacks. Kept apart from the code that makes
/// fabrics, so that a program that only reads options does not link a network.
struct fabric_kind {
  std::string_view name;
  std::string_view remedy;  ///< for builds that lack the fabric
  int most_processes;
  bool (*is_built)();
};

std::span<const fabric_kind> fabric_kinds();

/// True if this build can connect processes.
bool has_network();

/// Throws `usage_error` if there is none of that name.
const fabric_kind& find_fabric(std::string_view name);

/// Throws `usage_error` unless there is a fabric of that name that connects `processes` processes.
void check_fabric(std::string_view name, int processes);

}  // namespace imbrex
