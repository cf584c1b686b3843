// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <imbrex/net/endpoint/fabric_endpoint.hpp>
#include <imbrex/net/endpoint/places.hpp>
#include <imbrex/net/fabric.hpp>
#include <imbrex/net/network.hpp>

namespace imbrex::endpoints {

/// Data that a process sends to the others before it opens a fabric.
struct introduction {
  std::uint64_t program = 0;
  int pes = 0;
  std::string host;
  run_token token = 0;  ///< the run's token is that of process 0
  std::string fabric;   ///< the fabric's own introduction
};

/// The network on a fabric.
///
/// Unless the PEs share one, each PE has an endpoint and a worker of its own, driven by its thread alone. So
/// the path of a message takes no lock and no hand-over between threads. The receiving PE unpacks bytes
/// straight from where the fabric has put them. The cost is an address for each PE and a connection for each
/// pair of PEs that communicate. Connections are made when first needed.
class fabric_network final : public detail::network {
 public:
  /// Collective. Arguments as in `connect`.
  fabric_network(bootstrap& job, int pes, detail::endpoint_sharing sharing, std::uint64_t program,
                 receiver& to, std::unique_ptr<fabric> by, endpoint_maker make);

  const detail::pe_range& pes() const override { return pes_; }
  detail::endpoint& endpoint_of(int pe) override;
  counts counted() const override;
  void start() override;
  void flush(std::chrono::milliseconds at_most) override;
  void close() override;

 private:
  /// Makes this process's endpoints and returns the addresses of all endpoints, by process.
  std::vector<std::vector<std::string>> make_endpoints(bootstrap& job, int pes,
                                                       detail::endpoint_sharing sharing, receiver& to,
                                                       endpoint_maker make);
  void find_places(bootstrap& job, const std::vector<std::vector<std::string>>& addresses);
  /// Starts the watch of links to other hosts. `host` is the number of this host. Collective.
  void watch_other_hosts(bootstrap& job, int host, receiver& to);

  const std::unique_ptr<fabric> fabric_;
  const std::vector<introduction> all_;
  places places_;
  detail::pe_range pes_;
  std::vector<std::unique_ptr<fabric_endpoint>> endpoints_;
  std::vector<link_monitor> link_monitors_;  ///< one for each host, ordered by the hosts' first processes
  std::unique_ptr<link_watch> watch_;  ///< only in the first process of a host, and only with several hosts
};

}  // namespace imbrex::endpoints
