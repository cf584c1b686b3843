// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/loopback/loopback_fabric.hpp>

#include <utility>

#include <imbrex/net/endpoint/network_endpoint.hpp>
#include <imbrex/net/loopback/loopback_worker.hpp>

namespace imbrex::loopback {

std::unique_ptr<fabric_worker> loopback_fabric::make_worker() {
  return std::make_unique<loopback_worker>(medium_);
}

std::unique_ptr<fabric> make_fabric() {
  return std::make_unique<loopback_fabric>(std::make_shared<medium>(options{}));
}

std::unique_ptr<endpoints::fabric_endpoint> make_endpoint(std::unique_ptr<fabric_worker> worker, int process,
                                                          const endpoints::places& where,
                                                          detail::network::receiver& to) {
  return endpoints::make_network_endpoint<fabric_worker>(std::move(worker), process, where, to);
}

}  // namespace imbrex::loopback
