// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/ucx/lanes.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <imbrex/net/ucx/functions.hpp>

namespace imbrex::ucx {

bool names_tcp_alone(std::string_view description) {
  constexpr std::string_view lane = "lane[";
  bool named = false;
  for (std::size_t at = description.find(lane); at != description.npos; at = description.find(lane, at)) {
    at += lane.size();
    std::string_view line = description.substr(at, description.find('\n', at) - at);
    line.remove_prefix(std::min(line.find("]:"), line.size()));
    line = line.substr(0, line.find('/'));
    if (!line.ends_with(":tcp")) return false;
    named = true;
  }
  return named;
}

// The text of `ucp_ep_print_info` is parsed, since the query for it came with UCX 1.14; Debian has 1.13.
bool is_tcp_alone(ucp_ep_h endpoint) {
  char* text = nullptr;
  std::size_t length = 0;
  std::FILE* const stream = open_memstream(&text, &length);
  if (stream == nullptr) return false;
  ucp.ep_print_info(endpoint, stream);
  std::fclose(stream);
  const std::unique_ptr<char, decltype(&std::free)> owner(text, &std::free);
  return text != nullptr && names_tcp_alone({text, length});
}

}  // namespace imbrex::ucx
