// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/endpoint/definitions.hpp>

namespace imbrex::endpoints {

template class network_endpoint<fabric_worker>;

}  // namespace imbrex::endpoints
