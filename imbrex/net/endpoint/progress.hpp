// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include <imbrex/net/endpoint/network_endpoint.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex::endpoints {

template <class Worker>
network_endpoint<Worker>::network_endpoint(std::unique_ptr<Worker> worker, int process, const places& where,
                                           detail::network::receiver& to)
    : fabric_endpoint(process, where, to), worker_(std::move(worker)) {
  out_.export_from(shortest_exported_block);
  worker_->listen(*this);
}

template <class Worker>
peer* network_endpoint<Worker>::peer_at(std::size_t number) {
  return number < peers_.size() && peers_[number] ? peers_[number].get() : connect_to(number);
}

template <class Worker>
peer* network_endpoint<Worker>::connect_to(std::size_t number) {
  have_watched(number);
  if (peers_.empty()) peers_.resize(where_.endpoints.size());
  if (peers_[number]) return peers_[number].get();  // a message received meanwhile was replied to
  const remote_endpoint& other = where_.endpoints[number];
  auto connection = std::make_unique<peer>();
  connection->link.events = this;
  connection->link.process = other.at.process;
  connection->is_of_one_pe = other.is_of_one_pe;
  if (const auto status = worker_->connect(connection->link, other.at); status.has_failed()) {
    tell_failure(*connection, status);
    return nullptr;
  }
  if (other.at.is_on_this_host && worker_->can().longest_header >= shared_window::longest_about_block)
    connection->near.access = peer_access::unasked;
  peers_[number] = std::move(connection);
  return peers_[number].get();
}

template <class Worker>
void network_endpoint<Worker>::have_watched(std::size_t number) {
  const remote_endpoint& other = where_.endpoints[number];
  if (!where_.link_monitor || other.at.is_on_this_host || !hosts_.insert(other.host).second) return;
  if (where_.own_watch != nullptr) return where_.own_watch->monitor(other.host);
  const bool was_sending = sending();  // else the loop would wait for all earlier messages, too
  peer* const link_monitor = peer_at(where_.first_endpoint[static_cast<std::size_t>(*where_.link_monitor)]);
  if (link_monitor == nullptr) return;
  out_(other.host);
  transmit(watch_message, *link_monitor, nullptr);
  // The message has to leave now: TCP's connect() to a host that cannot be reached blocks for two minutes.
  const auto until = std::chrono::steady_clock::now() + longest_wait_for_monitor;
  while (!was_sending && !progressing_ && sending() && std::chrono::steady_clock::now() < until) move();
}

template <class Worker>
void network_endpoint<Worker>::greet_others() {
  has_greeted_ = true;
  if (!worker_->can().connects_late) return;
  const std::vector<std::byte> greeting(greeting_bytes);
  const auto is_elsewhere = [this](std::size_t n) { return where_.endpoints[n].at.process != process_; };
  if (where_.endpoints.size() > most_endpoints_greeted) return be_connected_to_neighbour();
  for (std::size_t number = 0; number < where_.endpoints.size(); ++number)
    if (is_elsewhere(number)) have_watched(number);
  for (std::size_t number = 0; number < where_.endpoints.size(); ++number) {
    peer* const other = is_elsewhere(number) ? peer_at(number) : nullptr;
    if (other == nullptr) continue;
    out_.bytes(greeting.data(), greeting.size());
    transmit(greeting_message, *other, nullptr);
  }
  const auto until = std::chrono::steady_clock::now() + longest_wait_for_answers;
  while (sending() && std::chrono::steady_clock::now() < until)
    if (!move()) std::this_thread::yield();
}

template <class Worker>
void network_endpoint<Worker>::be_connected_to_neighbour() {
  const auto neighbour = std::ranges::find_if(where_.endpoints, [this](const remote_endpoint& e) {
    return e.at.is_on_this_host && e.at.process != process_;
  });
  if (neighbour != where_.endpoints.end())
    peer_at(static_cast<std::size_t>(neighbour - where_.endpoints.begin()));
}

template <class Worker>
bool network_endpoint<Worker>::move() noexcept {
  progressing_ = true;
  const bool moved = worker_->progress();
  progressing_ = false;
  return moved;
}

template <class Worker>
bool network_endpoint<Worker>::progress(std::size_t unread) {
  took_ = false;
  if (!has_greeted_) [[unlikely]]
    greet_others();
  if (!peers_with_batches_.empty()) send_batches();
  pressure_.see_unread(unread);
  if (pressure_.holds_off()) {
    look_now_and_then(unread);
  } else {
    while (!offers_.empty() && has_room_for(offers_.first_size())) accept_first_offer();
    for (int round = 0; round < most_rounds && !took_ && move(); ++round) {
    }
  }
  if (!peers_with_batches_.empty()) send_batches();  // messages kept before these batches may have left
  guard_.rethrow();
  return took_;
}

template <class Worker>
void network_endpoint<Worker>::look_now_and_then(std::size_t unread) {
  const auto now = std::chrono::steady_clock::now();
  if (!pressure_.begins_to_look(now)) return;
  const std::uint64_t came_before = received();
  const std::size_t departing_before = departing_.size();
  std::size_t before;
  do {
    before = departing_.size();
    move();
  } while (departing_.size() < before && congested());
  const std::size_t left = departing_before - std::min(departing_before, departing_.size());
  if (pressure_.has_looked(now, unread, received() - came_before, left) && !offers_.empty())
    accept_first_offer();
}

template <class Worker>
bool network_endpoint<Worker>::arm() {
  if (pressure_.holds_off()) return true;
  const bool may_accept = !offers_.empty() && has_room_for(offers_.first_size());
  return !may_accept && worker_->arm();
}

template <class Worker>
bool network_endpoint<Worker>::flushed() {
  if (!guard_.is_closed()) {
    guard_.close();  // no PE runs that could take messages
    decline_offers();
  }
  // The next calls send what a fabric has still to write.
  for (int round = 0; round < most_rounds && move(); ++round) {
  }
  return departing_.empty();
}

template <class Worker>
bool network_endpoint<Worker>::close() {
  if (!worker_) return true;
  const bool finished = departing_.empty() && arriving_.empty();
  guard_.close();
  decline_offers();
  const auto until = std::chrono::steady_clock::now() + longest_wait_for_arrivals;
  while (!arriving_.empty() && std::chrono::steady_clock::now() < until) move();
  for (auto& p : peers_) {
    if (!p) continue;
    p->near.peer_memory.reset();
    worker_->disconnect(p->link);
  }
  worker_.reset();
  // Unfinished transfers, whose items belong to the PEs' memory.
  departing_.clear();
  arriving_.clear();
  peers_.clear();
  return finished;
}

}  // namespace imbrex::endpoints
