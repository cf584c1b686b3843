// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <imbrex/net/endpoint/fabric_endpoint.hpp>
#include <imbrex/net/fabric.hpp>

namespace imbrex::ucx {

/// Whether this build has UCX; without, the other two make nothing.
bool is_built();

/// The network by UCX's active messages.
std::unique_ptr<fabric> make_fabric();
/// The endpoint of one of its workers.
std::unique_ptr<endpoints::fabric_endpoint> make_endpoint(std::unique_ptr<fabric_worker> of, int process,
                                                          const endpoints::places& where,
                                                          network::receiver& to);

}  // namespace imbrex::ucx
