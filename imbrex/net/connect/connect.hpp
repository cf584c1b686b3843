// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <imbrex/net/bootstrap/bootstrap.hpp>
#include <imbrex/net/network.hpp>

namespace imbrex {

/// Connects this process to the others of its job, all of which call this, by the fabric of that name. Throws
/// imbrex::error if this build lacks it, or a process does not come, or was made from another program
/// (`program` is a digest of it).
std::unique_ptr<detail::network> connect(bootstrap& job, std::string_view fabric, int pes,
                                         detail::endpoint_sharing sharing, std::uint64_t program,
                                         detail::network::receiver& to);

}  // namespace imbrex
