// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <imbrex/net/endpoint/run_token.hpp>
#include <imbrex/net/fabric.hpp>

namespace imbrex::endpoints {

/// An endpoint of a process, perhaps this one.
struct remote_endpoint {
  fabric_destination at;
  int host = 0;
  bool is_of_one_pe = true;
};

/// The addresses of all endpoints of the job.
struct places {
  std::vector<remote_endpoint> endpoints;
  std::vector<std::size_t> endpoint_of_pe;
  std::vector<std::size_t> first_endpoint;  ///< by process
  /// The process of this host that watches its links to other hosts, if any does; and, in that process, its
  /// watch.
  std::optional<int> link_monitor;
  link_watch* own_watch = nullptr;
  bool are_on_one_host = true;
  run_token token = 0;
};

}  // namespace imbrex::endpoints
