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

/// Items in transfer between PEs in simulated time. They arrive in the order of their times, and at equal
/// times in the order of sending.
class simulated_network {
 public:
  struct arrival {
    nanoseconds when;
    std::uint64_t serial;  ///< order of sending
    int to;                ///< receiving PE
    work* what;
    /// True if `when` is the departure from the host. The item then reaches the resources that the host's PEs
    /// share, which determine the rest of its time.
    bool leaves_host = false;
    int from = 0;           ///< sending PE, if it leaves its host
    std::size_t bytes = 0;  ///< size in bytes, if it leaves its host
  };

  simulated_network() = default;
  simulated_network(const simulated_network&) = delete;
  simulated_network& operator=(const simulated_network&) = delete;
  ~simulated_network() { discard(); }

  void put(nanoseconds when, work& item, int to);
  /// Adds an item that leaves its PE for another host at `when`.
  void put_leaving(nanoseconds when, work& item, int from, int to, std::size_t bytes);
  /// The next arrival time; nothing if no item is in transfer.
  std::optional<nanoseconds> next() const;
  /// Removes the next item. Not when empty.
  arrival take();
  void discard() noexcept;

 private:
  void add(const arrival& a);

  std::uint64_t sent_ = 0;
  std::vector<arrival> in_flight_;  // a heap, earliest first
};

/// Receives the items that PEs send, for a record of the run.
class send_listener {
 public:
  /// An item is about to leave a PE, or comes back to it at once if `to` is the PE itself.
  virtual void leaves(const work& item, int from, int to, std::size_t bytes) = 0;
  /// The cost of the last item has been charged to the PE.
  virtual void has_left(int from) = 0;

 protected:
  ~send_listener() = default;
};

/// One PE's access to the network, by a link_model. The PE's own time advances by the cost of each send.
/// Items to the PE itself arrive at once. Items to other hosts leave over links that the network does not
/// model.
class simulated_transport final : public transport {
 public:
  /// The time that a PE needs to send an item.
  using cost_of_sending = std::function<nanoseconds(const work& item)>;

  /// The access of PE `self`, whose time is `sender`. All arguments by reference must outlive it. `host_pes`:
  /// number of PEs on each host, in the order of PEs; 0 for a single host.
  /// `listener`: null if nobody hears of sends.
  simulated_transport(simulated_network& net, const link_model& model, cost_of_sending to_send, int self,
                      local_clock& sender, int host_pes = 0, send_listener* listener = nullptr)
      : net_(net),
        model_(model),
        to_send_(std::move(to_send)),
        self_(self),
        sender_(sender),
        host_pes_(host_pes),
        listener_(listener) {}

  void send(work& item, int to) override;

 private:
  simulated_network& net_;
  const link_model model_;
  const cost_of_sending to_send_;
  const int self_;
  local_clock& sender_;
  const int host_pes_;
  send_listener* const listener_;  ///< null: the run is not recorded
  link_entrance entrance_;
};

}  // namespace imbrex::detail
