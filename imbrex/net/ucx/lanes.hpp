// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <ucp/api/ucp.h>

namespace imbrex::ucx {

/// True if everything sent through that endpoint goes over TCP. Then no device writes into the receiver's
/// memory, so that a rendezvous only spares the assembly of the pieces.
bool is_tcp_alone(ucp_ep_h endpoint);
/// True if all lanes in the text of `ucp_ep_print_info` are of TCP. The text has one "lane[0]: 1:tcp/eth0.0
/// md[1] ..." for each path. False if it names none.
bool names_tcp_alone(std::string_view description);

}  // namespace imbrex::ucx
