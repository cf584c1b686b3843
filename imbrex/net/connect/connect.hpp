// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <imbrex/net/bootstrap/bootstrap.hpp>
#include <imbrex/net/network.hpp>

namespace imbrex {

/// True if this build can connect processes.
bool has_network();

/// Connects this process to the others of its job, all of which call this: a network of UCX. Throws
/// imbrex::error if there is none, or a process does not come, or was made from another program (`program` is
/// a digest of it).
std::unique_ptr<network> connect(bootstrap& job, int pes, port_sharing sharing, std::uint64_t program,
                                 network::receiver& to);

}  // namespace imbrex
