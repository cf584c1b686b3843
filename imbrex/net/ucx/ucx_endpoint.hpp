// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/net/endpoint/network_endpoint.hpp>
#include <imbrex/net/ucx/ucx_worker.hpp>

namespace imbrex::ucx {

using ucx_endpoint = endpoints::network_endpoint<ucx_worker>;

}  // namespace imbrex::ucx

namespace imbrex::endpoints {

extern template class network_endpoint<ucx::ucx_worker>;

}  // namespace imbrex::endpoints
