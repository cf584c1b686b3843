// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include <imbrex/net/endpoint/fabric_endpoint.hpp>
#include <imbrex/net/fabric.hpp>

namespace imbrex {

/// The functions that make a fabric. A new fabric is a row of the table in `fabrics.cpp`, and one of the
/// table in `fabric_kinds.cpp`.
struct fabric_entry {
  std::string_view name;
  std::unique_ptr<fabric> (*make)();
  endpoints::endpoint_maker make_endpoint;
};

std::span<const fabric_entry> fabrics();

/// The entry of the fabric of that name. Throws `usage_error` if there is none.
const fabric_entry& maker_of(std::string_view name);

}  // namespace imbrex
