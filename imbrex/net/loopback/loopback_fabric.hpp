// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <imbrex/net/endpoint/fabric_endpoint.hpp>
#include <imbrex/net/fabric.hpp>
#include <imbrex/net/loopback/loopback_medium.hpp>

namespace imbrex::loopback {

/// A fabric within one process, for tests: its endpoints act as several processes in one address space. By
/// default each message arrives once, whole and in order. It can also lose, duplicate, change, delay and
/// reorder messages; its capabilities then say so. Endpoints do not repair this. After a loss or a duplicate
/// the counts of sent and received items differ for ever. A changed message may arrive changed, be an error,
/// or be taken for another message.
class loopback_fabric final : public fabric {
 public:
  /// `in`: the medium, which several fabrics may share.
  explicit loopback_fabric(std::shared_ptr<medium> in) : medium_(std::move(in)) {}

  std::string introduction() override { return {}; }
  void open(const std::vector<std::string>& /*all*/, int /*self*/) override {}
  std::unique_ptr<fabric_worker> make_worker() override;

 private:
  const std::shared_ptr<medium> medium_;
};

/// The fabric of a run: alone in its medium.
std::unique_ptr<fabric> make_fabric();
/// The endpoint of a worker of this fabric.
std::unique_ptr<endpoints::fabric_endpoint> make_endpoint(std::unique_ptr<fabric_worker> worker, int process,
                                                          const endpoints::places& where,
                                                          detail::network::receiver& to);

}  // namespace imbrex::loopback
