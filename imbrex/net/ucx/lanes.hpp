// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <ucp/api/ucp.h>

namespace imbrex::ucx {

/// True if whatever is sent through that endpoint goes over TCP: there no device fills the memory of the
/// other side, so that a rendezvous spares no more than putting the pieces together.
bool is_tcp_alone(ucp_ep_h endpoint);
/// The same by what `ucp_ep_print_info` says, with one "lane[0]: 1:tcp/eth0.0 md[1] ..." for each way there
/// is. False where it names none.
bool names_tcp_alone(std::string_view description);

}  // namespace imbrex::ucx
