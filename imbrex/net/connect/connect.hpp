// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <imbrex/net/bootstrap/bootstrap.hpp>
#include <imbrex/net/network.hpp>

namespace imbrex {

/// Connects this process to the others of its job by the fabric of that name. Collective. `program`: a digest
/// of the program. Throws imbrex::error if this build lacks the fabric, or if a process does not arrive or
/// runs another program.
std::unique_ptr<detail::network> connect(bootstrap& job, std::string_view fabric, int pes,
                                         detail::endpoint_sharing sharing, std::uint64_t program,
                                         detail::network::receiver& to);

}  // namespace imbrex
