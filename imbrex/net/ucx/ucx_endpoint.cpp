// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/ucx/ucx_endpoint.hpp>

#include <imbrex/net/endpoint/definitions.hpp>

namespace imbrex::endpoints {

template class network_endpoint<ucx::ucx_worker>;

}  // namespace imbrex::endpoints
