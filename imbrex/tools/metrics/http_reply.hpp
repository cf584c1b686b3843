// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace imbrex::tools {

/// The longest head of a request that is read.
inline constexpr std::size_t most_request_bytes = 8192;

/// The reply of HTTP/1.1 to a request for /metrics, from what has been received of it; none as long as its
/// head is incomplete. Who does not send the secret ("Authorization: Bearer SECRET") learns nothing else.
/// `figures` makes the body, and is only called for who does; after an `error` of it the reply is 503.
std::optional<std::string> http_reply(std::string_view received, std::string_view secret,
                                      const std::function<std::string()>& figures);

}  // namespace imbrex::tools
