// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace imbrex::ucx {

/// The location of a process, by which others find a path to it.
struct whereabouts {
  std::string host;
  std::string memory;  ///< equal if processes of a host may open each other's memory
  std::vector<std::string>
      addresses;  ///< addresses of its interfaces, as digits; none that only the host itself reaches

  static whereabouts of_this_process();
};

/// The transports and devices that UCX may open, in the form of UCX_TLS and UCX_NET_DEVICES; empty for all.
/// Any process may send to open devices, so only the paths to the job's other processes are open. The user's
/// own choice has precedence.
struct ways {
  std::string transports;
  std::string devices;

  bool stay_within_host() const;
};

/// True if such a list of transports opens this one in shared memory: "posix" or "sysv".
bool opens(std::string_view transports, std::string_view shared_memory);

/// Names the interface by which the kernel would send to that address; empty if there is none.
using route = std::function<std::string(const std::string& address)>;
std::string interface_to(const std::string& address);

/// The transports and devices of a process, to reach all of its job.
ways ways_to_others(std::span<const whereabouts> all, std::size_t self, const route& to = interface_to);
/// The part of `all` that leads to other hosts.
ways ways_between_hosts(const ways& all);

}  // namespace imbrex::ucx
