// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include <imbrex/net/endpoint/network_endpoint.hpp>

namespace imbrex::endpoints {

template <class Worker>
network_endpoint<Worker>::network_endpoint(std::unique_ptr<Worker> worker, int process, const places& where,
                                           detail::network::receiver& to)
    : fabric_endpoint(process, where, to),
      out_(std::move(worker), where, *this),
      peers_(out_, where, process, *this),
      neighbours_(*this, out_, peers_, where),
      receiver_(*this, out_, neighbours_, where, *this, to) {}

template <class Worker>
bool network_endpoint<Worker>::progress(std::size_t unread) {
  receiver_.begin_progress();
  if (!peers_.has_greeted()) [[unlikely]]
    peers_.greet_others();
  out_.send_batches();
  out_.pressure().see_unread(unread);
  if (out_.pressure().holds_off()) {
    look_now_and_then(unread);
  } else {
    receiver_.accept_offers();
    for (int round = 0; round < most_rounds && !receiver_.took() && out_.move(); ++round) {
    }
  }
  out_.send_batches();  // messages kept before these batches may have left
  guard_.rethrow();
  return receiver_.took();
}

template <class Worker>
void network_endpoint<Worker>::look_now_and_then(std::size_t unread) {
  const auto now = std::chrono::steady_clock::now();
  if (!out_.pressure().begins_to_look(now)) return;
  const std::uint64_t came_before = received();
  const std::size_t departing_before = out_.departing();
  std::size_t before;
  do {
    before = out_.departing();
    out_.move();
  } while (out_.departing() < before && congested());
  const std::size_t left = departing_before - std::min(departing_before, out_.departing());
  if (out_.pressure().has_looked(now, unread, received() - came_before, left) && receiver_.has_offers())
    receiver_.accept_first_offer();
}

template <class Worker>
bool network_endpoint<Worker>::arm() {
  if (out_.pressure().holds_off()) return true;
  return !receiver_.may_accept() && out_.worker().arm();
}

template <class Worker>
bool network_endpoint<Worker>::flushed() {
  if (!guard_.is_closed()) {
    guard_.close();  // no PE runs that could take messages
    receiver_.decline_offers();
  }
  // The next calls send what a fabric has still to write.
  for (int round = 0; round < most_rounds && out_.move(); ++round) {
  }
  return out_.departing() == 0;
}

template <class Worker>
bool network_endpoint<Worker>::close() {
  if (out_.is_closed()) return true;
  const bool finished = out_.departing() == 0 && !receiver_.is_arriving();
  guard_.close();
  receiver_.decline_offers();
  const auto until = std::chrono::steady_clock::now() + longest_wait_for_arrivals;
  while (receiver_.is_arriving() && std::chrono::steady_clock::now() < until) out_.move();
  peers_.disconnect();
  out_.close();
  // Unfinished transfers, whose items belong to the PEs' memory.
  out_.clear();
  receiver_.clear();
  peers_.clear();
  return finished;
}

}  // namespace imbrex::endpoints
