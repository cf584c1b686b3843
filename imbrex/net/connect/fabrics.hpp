// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include <imbrex/net/endpoint/fabric_endpoint.hpp>
#include <imbrex/net/fabric.hpp>

namespace imbrex {

/// A fabric as it is found: a new one is a row of the table in `fabrics.cpp`.
struct fabric_entry {
  std::string_view name;
  std::string_view remedy;  ///< where a build lacks it
  int most_processes;
  bool (*is_built)();
  std::unique_ptr<fabric> (*make)();
  endpoints::endpoint_maker make_endpoint;
};

std::span<const fabric_entry> fabrics();

/// Throws `usage_error` if there is none of that name.
const fabric_entry& find_fabric(std::string_view name);

}  // namespace imbrex
