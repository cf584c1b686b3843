// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <imbrex/net/endpoint/message_ends.hpp>
#include <imbrex/net/endpoint/outbox.hpp>
#include <imbrex/net/endpoint/peer.hpp>
#include <imbrex/net/endpoint/places.hpp>

namespace imbrex::endpoints {

/// The peers of an endpoint, each connected when it is first needed.
template <class Worker>
class connector {
 public:
  connector(outbox<Worker>& out, const places& where, int process, fabric_events& events)
      : out_(out), where_(where), process_(process), events_(events) {}

  /// The peer with that index. Only while nothing is being packed: it may have to connect, and then receives
  /// messages. Null if the fabric cannot connect; the receiver is notified then.
  peer* at(std::size_t number) {
    peer* const known = find(number);
    return known != nullptr ? known : connect_to(number);
  }
  /// Null if it is not connected.
  peer* find(std::size_t number) const { return number < peers_.size() ? peers_[number].get() : nullptr; }
  /// Throws serial_error if it is not connected.
  peer& known(std::size_t number) const {
    if (number >= peers_.size() || !peers_[number]) throw_no_such_endpoint(number);
    return *peers_[number];
  }

  /// Connects to all other endpoints of a small job and waits for their replies. Otherwise a fabric that
  /// connects late holds messages back, also while an entry computes on after its first send. In a larger job
  /// it only connects to a neighbour (`be_connected_to_neighbour`), so that UCX uses shared memory. UCX wakes
  /// others there by sockets to which any process may send. Until UCX has used that memory, an empty datagram
  /// from another job makes it abort.
  void greet_others();
  bool has_greeted() const { return has_greeted_; }
  void disconnect();
  /// Drops the peers, once the worker has ended.
  void clear() { peers_.clear(); }

 private:
  /// Largest number of endpoints in a job whose PEs all connect at the start. In larger jobs a PE needs only
  /// a few others, and over TCP each connection takes a file descriptor.
  static constexpr std::size_t most_endpoints_greeted = 32;
  /// More bytes than a fabric sends before the receiver has replied: once they have left, the two are
  /// connected.
  static constexpr std::size_t greeting_bytes = 1024;
  static constexpr std::chrono::milliseconds longest_wait_for_answers{1000};
  /// Limit of the time until a message to the link monitor, which is on this host, has left.
  static constexpr std::chrono::milliseconds longest_wait_for_monitor{100};

  peer* connect_to(std::size_t number);
  void be_connected_to_neighbour();
  /// Requests that this host's link monitor watch an endpoint's host; before the first message to that host.
  void have_watched(std::size_t number);

  outbox<Worker>& out_;
  const places& where_;
  const int process_;
  fabric_events& events_;
  std::vector<std::unique_ptr<peer>> peers_;
  std::set<int> hosts_;  ///< other hosts that the link monitor already watches
  bool has_greeted_ = false;
};

template <class Worker>
peer* connector<Worker>::connect_to(std::size_t number) {
  have_watched(number);
  if (peers_.empty()) peers_.resize(where_.endpoints.size());
  if (peers_[number]) return peers_[number].get();  // a message received meanwhile was replied to
  const remote_endpoint& other = where_.endpoints[number];
  auto connection = std::make_unique<peer>();
  connection->link.events = &events_;
  connection->link.process = other.at.process;
  connection->is_of_one_pe = other.is_of_one_pe;
  if (const auto status = out_.worker().connect(connection->link, other.at); status.has_failed()) {
    out_.tell_failure(*connection, status);
    return nullptr;
  }
  if (other.at.is_on_this_host && out_.worker().can().longest_header >= shared_window::longest_about_block)
    connection->near.access = peer_access::unasked;
  peers_[number] = std::move(connection);
  return peers_[number].get();
}

template <class Worker>
void connector<Worker>::have_watched(std::size_t number) {
  const remote_endpoint& other = where_.endpoints[number];
  if (!where_.link_monitor || other.at.is_on_this_host || !hosts_.insert(other.host).second) return;
  if (where_.own_watch != nullptr) return where_.own_watch->monitor(other.host);
  const bool was_sending = out_.departing() > 0;  // else the loop would wait for all earlier messages, too
  peer* const link_monitor = at(where_.first_endpoint[static_cast<std::size_t>(*where_.link_monitor)]);
  if (link_monitor == nullptr) return;
  out_.out()(other.host);
  out_.transmit(watch_message, *link_monitor, nullptr);
  // The message has to leave now: TCP's connect() to a host that cannot be reached blocks for two minutes.
  const auto until = std::chrono::steady_clock::now() + longest_wait_for_monitor;
  while (!was_sending && !out_.is_moving() && out_.departing() > 0 &&
         std::chrono::steady_clock::now() < until)
    out_.move();
}

template <class Worker>
void connector<Worker>::greet_others() {
  has_greeted_ = true;
  if (!out_.worker().can().connects_late) return;
  const std::vector<std::byte> greeting(greeting_bytes);
  const auto is_elsewhere = [this](std::size_t n) { return where_.endpoints[n].at.process != process_; };
  if (where_.endpoints.size() > most_endpoints_greeted) return be_connected_to_neighbour();
  for (std::size_t number = 0; number < where_.endpoints.size(); ++number)
    if (is_elsewhere(number)) have_watched(number);
  for (std::size_t number = 0; number < where_.endpoints.size(); ++number) {
    peer* const other = is_elsewhere(number) ? at(number) : nullptr;
    if (other == nullptr) continue;
    out_.out().bytes(greeting.data(), greeting.size());
    out_.transmit(greeting_message, *other, nullptr);
  }
  const auto until = std::chrono::steady_clock::now() + longest_wait_for_answers;
  while (out_.departing() > 0 && std::chrono::steady_clock::now() < until)
    if (!out_.move()) std::this_thread::yield();
}

template <class Worker>
void connector<Worker>::be_connected_to_neighbour() {
  const auto neighbour = std::ranges::find_if(where_.endpoints, [this](const remote_endpoint& e) {
    return e.at.is_on_this_host && e.at.process != process_;
  });
  if (neighbour != where_.endpoints.end()) at(static_cast<std::size_t>(neighbour - where_.endpoints.begin()));
}

template <class Worker>
void connector<Worker>::disconnect() {
  for (auto& p : peers_) {
    if (!p) continue;
    p->near.peer_memory.reset();
    out_.worker().disconnect(p->link);
  }
}

}  // namespace imbrex::endpoints
