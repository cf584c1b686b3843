// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <imbrex/net/endpoint/fabric_endpoint.hpp>
#include <imbrex/net/fabric.hpp>
#include <imbrex/net/loopback/loopback_medium.hpp>

namespace imbrex::loopback {

/// A fabric within one process, for tests: several of its endpoints are as many processes in one address
/// space. With the options that it has by itself each message comes once, whole and in order. It can also
/// lose, double, change, delay and reorder messages, and then its capabilities say so. Endpoints repair
/// nothing of that: where something is lost or comes twice, what has been sent and received differs for ever;
/// what is changed may be that, an error or another message.
class loopback_fabric final : public fabric {
 public:
  /// Of all those that share a medium.
  explicit loopback_fabric(std::shared_ptr<medium> in) : medium_(std::move(in)) {}

  std::string introduction() override { return {}; }
  void open(const std::vector<std::string>& /*all*/, int /*self*/) override {}
  std::unique_ptr<fabric_worker> make_worker() override;

 private:
  const std::shared_ptr<medium> medium_;
};

/// That of a run: alone in its medium.
std::unique_ptr<fabric> make_fabric();
/// The endpoint of one of its workers.
std::unique_ptr<endpoints::fabric_endpoint> make_endpoint(std::unique_ptr<fabric_worker> worker, int process,
                                                          const endpoints::places& where,
                                                          detail::network::receiver& to);

}  // namespace imbrex::loopback
