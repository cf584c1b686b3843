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

/// What a process tells the others before it opens a fabric.
struct introduction {
  std::uint64_t program = 0;
  int pes = 0;
  std::string host;
  run_token token = 0;  ///< that of process 0 is the run's
  std::string fabric;   ///< its own
};

/// The network on a fabric.
///
/// Unless they share one, each PE has an endpoint and a worker of its own, which its thread alone drives: so
/// the path of a message takes no lock and needs no hand-over between threads, and bytes are unpacked by the
/// PE that the item is for, straight from where the fabric has put them. The price is an address for each PE
/// and a connection for each pair of PEs that speak to each other; connections are made when first needed.
class fabric_network final : public detail::network {
 public:
  /// Collective. As `connect`.
  fabric_network(bootstrap& job, int pes, detail::endpoint_sharing sharing, std::uint64_t program,
                 receiver& to, std::unique_ptr<fabric> by, endpoint_maker make);

  const detail::pe_range& pes() const override { return pes_; }
  detail::endpoint& endpoint_of(int pe) override;
  counts counted() const override;
  void start() override;
  void flush(std::chrono::milliseconds at_most) override;
  void close() override;

 private:
  /// The addresses of all endpoints, by process.
  std::vector<std::vector<std::string>> make_endpoints(bootstrap& job, int pes,
                                                       detail::endpoint_sharing sharing, receiver& to,
                                                       endpoint_maker make);
  void find_places(bootstrap& job, const std::vector<std::vector<std::string>>& addresses);
  /// `host` is the number of this one. Collective.
  void watch_other_hosts(bootstrap& job, int host, receiver& to);

  const std::unique_ptr<fabric> fabric_;
  const std::vector<introduction> all_;
  places places_;
  detail::pe_range pes_;
  std::vector<std::unique_ptr<fabric_endpoint>> endpoints_;
  std::vector<watchman> watchmen_;     ///< of the hosts, in the order of their first processes
  std::unique_ptr<link_watch> watch_;  ///< of the first process of a host, if there are several
};

}  // namespace imbrex::endpoints
