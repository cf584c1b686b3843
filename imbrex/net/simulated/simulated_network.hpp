// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/net/delay/link_model.hpp>
#include <imbrex/net/transport.hpp>

namespace imbrex {

/// What is on its way between PEs in simulated time. Items arrive in the order of their times, and those of
/// one time in the order of their sending.
class simulated_network {
 public:
  struct arrival {
    nanoseconds when;
    std::uint64_t serial;  ///< order of sending
    int to;                ///< receiving PE
    work* what;
  };

  simulated_network() = default;
  simulated_network(const simulated_network&) = delete;
  simulated_network& operator=(const simulated_network&) = delete;
  ~simulated_network() { discard(); }

  void put(nanoseconds when, work& item, int to);
  /// When the next item arrives; none if none is on its way.
  std::optional<nanoseconds> next() const;
  /// Takes it out.
  arrival take();
  void discard() noexcept;

 private:
  std::uint64_t sent_ = 0;
  std::vector<arrival> in_flight_;  // a heap, earliest first
};

/// How one PE's items enter the network: by a link_model, and its own time goes on by what it takes to send.
/// Those to itself arrive at once.
class simulated_transport final : public transport {
 public:
  /// Of PE `self`, whose time `sender` is. All must outlive it.
  simulated_transport(simulated_network& net, const link_model& model, nanoseconds to_send, int self,
                      local_clock& sender)
      : net_(net), model_(model), to_send_(to_send), self_(self), sender_(sender) {}

  void send(work& item, int to) override;

 private:
  simulated_network& net_;
  const link_model model_;
  const nanoseconds to_send_;
  const int self_;
  local_clock& sender_;
  link_entrance entrance_;
};

}  // namespace imbrex
