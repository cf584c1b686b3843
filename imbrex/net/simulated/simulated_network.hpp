// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/net/delay/link_model.hpp>
#include <imbrex/net/transport.hpp>

namespace imbrex::detail {

/// What is on its way between PEs in simulated time. Items arrive in the order of their times, and those of
/// one time in the order of their sending.
class simulated_network {
 public:
  struct arrival {
    nanoseconds when;
    std::uint64_t serial;  ///< order of sending
    int to;                ///< receiving PE
    work* what;
    /// It has not travelled yet: it comes then to what the PEs of its host share, which is asked how long it
    /// takes from there on.
    bool leaves_host = false;
    int from = 0;           ///< sending PE, and
    std::size_t bytes = 0;  ///< its size, if it leaves its host
  };

  simulated_network() = default;
  simulated_network(const simulated_network&) = delete;
  simulated_network& operator=(const simulated_network&) = delete;
  ~simulated_network() { discard(); }

  void put(nanoseconds when, work& item, int to);
  /// It leaves its PE then for another host.
  void put_leaving(nanoseconds when, work& item, int from, int to, std::size_t bytes);
  /// When the next item arrives; none if none is on its way.
  std::optional<nanoseconds> next() const;
  /// Takes it out.
  arrival take();
  void discard() noexcept;

 private:
  void add(const arrival& a);

  std::uint64_t sent_ = 0;
  std::vector<arrival> in_flight_;  // a heap, earliest first
};

/// How one PE's items enter the network: by a link_model, and its own time goes on by what it takes to send.
/// Those to itself arrive at once. Those to other hosts leave over links that the network does not know.
class simulated_transport final : public transport {
 public:
  /// What it takes a PE to send an item.
  using cost_of_sending = std::function<nanoseconds(const work& item)>;

  /// Of PE `self`, whose time `sender` is. All must outlive it. `host_pes`: how many PEs a host has, the
  /// first host the first; 0: there is one host.
  simulated_transport(simulated_network& net, const link_model& model, cost_of_sending to_send, int self,
                      local_clock& sender, int host_pes = 0)
      : net_(net),
        model_(model),
        to_send_(std::move(to_send)),
        self_(self),
        sender_(sender),
        host_pes_(host_pes) {}

  void send(work& item, int to) override;

 private:
  simulated_network& net_;
  const link_model model_;
  const cost_of_sending to_send_;
  const int self_;
  local_clock& sender_;
  const int host_pes_;
  link_entrance entrance_;
};

}  // namespace imbrex::detail
