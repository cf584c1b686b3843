// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/net/endpoint/network_endpoint.hpp>

namespace imbrex::endpoints {

template <class Worker>
inline void network_endpoint<Worker>::came(unsigned what, std::span<const std::byte> header,
                                           std::span<const std::byte> body) {
  guard_.call([&]() __attribute__((always_inline)) { receiver_.take(what, header, body); });
}

template <class Worker>
bool network_endpoint<Worker>::offered(unsigned what, std::span<const std::byte> header, std::size_t size,
                                       void* offer) {
  bool is_kept = false;
  guard_.call([&] { is_kept = receiver_.take_offer(what, header, size, offer); });
  return is_kept;
}

template <class Worker>
void network_endpoint<Worker>::filled(fabric_transfer& what, fabric_receipt receipt, const std::string& why) {
  const auto owner = receiver_.end_arrival(what);
  if (receipt == fabric_receipt::lost) return;
  guard_.call([&] {
    if (receipt == fabric_receipt::failed) throw error(why);
    receiver_.take_arrival(*owner);
  });
}

template <class Worker>
void network_endpoint<Worker>::lost(int process, const std::string& why) {
  guard_.call([&] { to_.lost(process, why); });
}

}  // namespace imbrex::endpoints
