// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <imbrex/net/endpoint/fabric_endpoint.hpp>
#include <imbrex/net/fabric.hpp>

namespace imbrex::ucx {

/// The network by UCX's active messages. Null in a build without UCX, as is `make_endpoint`. Throws
/// imbrex::error if UCX does not load.
std::unique_ptr<fabric> make_fabric();
/// The endpoint of a worker of this fabric.
std::unique_ptr<endpoints::fabric_endpoint> make_endpoint(std::unique_ptr<fabric_worker> of, int process,
                                                          const endpoints::places& where,
                                                          detail::network::receiver& to);

}  // namespace imbrex::ucx
