// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <imbrex/net/network.hpp>

namespace imbrex {

/// The network by UCX active messages.
///
/// Unless they share one, each PE has a UCX worker of its own, which its thread alone drives: so the path of a message takes no lock
/// and needs no hand-over between threads, and bytes are unpacked by the PE that the item is for, straight
/// from where UCX has put them. The price is an address for each PE and an endpoint for each pair of PEs that
/// speak to each other; endpoints are made when first needed.
std::unique_ptr<network> make_ucx_network(bootstrap& job, int pes, port_sharing sharing,
                                          std::uint64_t program, network::receiver& to);

}  // namespace imbrex
