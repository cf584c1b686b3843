// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace imbrex::ucx {

/// Where a process is, for others to know by what they reach it.
struct whereabouts {
  std::string host;
  std::string memory;  ///< alike where processes of a host may open each other's memory
  std::vector<std::string>
      addresses;  ///< of its interfaces, as numbers; none that only the host itself reaches

  static whereabouts of_this_process();
};

/// What UCX may open, as UCX_TLS and UCX_NET_DEVICES say it; empty where it may open all. Whatever is open
/// may be spoken to by strangers, so it is no more than what reaches the others. What the user has chosen so
/// goes before.
struct ways {
  std::string transports;
  std::string devices;

  bool stay_within_host() const;
};

/// Whether such a list of transports opens this one in shared memory: "posix" or "sysv".
bool opens(std::string_view transports, std::string_view shared_memory);

/// Names the interface by which the kernel would send to that address; empty if there is none.
using route = std::function<std::string(const std::string& address)>;
std::string interface_to(const std::string& address);

/// Those of a process among all of its job.
ways ways_to_others(std::span<const whereabouts> all, std::size_t self, const route& to = interface_to);
/// To other hosts alone, of those ways.
ways ways_between_hosts(const ways& all);

}  // namespace imbrex::ucx
