// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/metrics/metrics_address.hpp>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/base/printable.hpp>

namespace imbrex::tools {

std::string metrics_address::text() const {
  const bool is_of_ipv6 = host.find(':') != std::string::npos;
  return (is_of_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

metrics_address parse_metrics_address(const std::string& text) {
  const auto refuse = [&](const std::string& why) {
    throw usage_error("--metrics " + printable(text) + ": " + why +
                      "; write HOST:PORT, such as --metrics 127.0.0.1:9100");
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) refuse("the port is missing");
  const auto port = parse_number<std::uint16_t>(text.substr(colon + 1));
  if (!port) refuse("the port must be a number from 0 (one that is free) to 65535");
  std::string host = text.substr(0, colon);
  const bool has_brackets = host.starts_with('[') && host.ends_with(']');
  if (has_brackets) host = host.substr(1, host.size() - 2);
  if (host.empty()) refuse("the host is missing");
  if (!has_brackets && host.find(':') != std::string::npos)
    refuse("a number of IPv6 stands in brackets, as in [::1]:9100");
  return {std::move(host), *port};
}

}  // namespace imbrex::tools
