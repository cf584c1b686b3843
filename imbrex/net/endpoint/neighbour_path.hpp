// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/net/endpoint/connector.hpp>
#include <imbrex/net/endpoint/fabric_endpoint.hpp>
#include <imbrex/net/endpoint/message_ends.hpp>
#include <imbrex/net/endpoint/outbox.hpp>
#include <imbrex/net/endpoint/shared_window.hpp>
#include <imbrex/serial/archive.hpp>
#include <imbrex/serial/error.hpp>

namespace imbrex::endpoints {

/// Long blocks between endpoints of one host, by the faster of shared memory and rendezvous
/// (`shared_window`): the offers of memory, the trials of both paths, and their verdicts.
template <class Worker>
class neighbour_path {
 public:
  neighbour_path(const fabric_endpoint& self, outbox<Worker>& out, connector<Worker>& peers,
                 const places& where)
      : self_(self), out_(out), peers_(peers), where_(where) {}

  /// Sends the item in `out()` by the faster path. False if the peer is no neighbour, or the item takes the
  /// normal path.
  bool send(detail::work& item, int to, peer& other);

  /// The block that another endpoint has left in its memory.
  std::span<const std::byte> block_of(const block_mark& mark) const;
  void release(const block_mark& mark) const {
    peers_.known(mark.tried.from).near.peer_memory->release(mark.where);
  }
  /// Notes that a message of a trial was received between `begun` and now.
  void compare(const trial_mark& tried, long_path by, std::size_t size, shared_window::time_point begun);

  // Messages of neighbours.
  void take_memory(std::span<const std::byte> bytes);
  void use_memory(std::span<const std::byte> bytes);
  void take_verdict(std::span<const std::byte> bytes);

 private:
  void send_in_memory(detail::work& item, int to, peer& other, const block_mark& mark);
  void offer_memory(peer& other);

  const fabric_endpoint& self_;
  outbox<Worker>& out_;
  connector<Worker>& peers_;
  const places& where_;
  shared_window window_;
};

template <class Worker>
bool neighbour_path<Worker>::send(detail::work& item, int to, peer& other) {
  writer& out = out_.out();
  const auto block = out.exported_block().bytes;
  const bool may_be = shared_window::may_take(out.written().size(), block.size());
  if (!may_be || other.near.access == peer_access::no) return false;
  if (other.near.access == peer_access::unasked) offer_memory(other);
  if (other.near.access != peer_access::yes) return false;
  const auto leaves = window_.send(other.near, self_.own_number(), block);
  if (!leaves) return false;
  if (leaves->by == long_path::memory) {
    send_in_memory(item, to, other, leaves->mark);
    return true;
  }
  out(std::uint64_t{out.exported_block().position});
  out_.address(to, other);
  out(leaves->mark.tried);
  out_.transmit(item_on_trial, other, &item);
  leaves->has_left();
  return true;
}

template <class Worker>
void neighbour_path<Worker>::send_in_memory(detail::work& item, int to, peer& other, const block_mark& mark) {
  writer& out = out_.out();
  const std::uint64_t position = out.exported_block().position;
  const auto written = out.written();
  const std::vector<std::byte> rest(written.begin(), written.end());
  out.clear();
  item.type->destroy(item);
  out.bytes(rest.data(), rest.size());
  out(position);
  out_.address(to, other);
  out(mark);
  out_.transmit(item_in_memory, other, nullptr);
}

template <class Worker>
void neighbour_path<Worker>::offer_memory(peer& other) {
  other.near.access = peer_access::no;
  if (!out_.worker().may_share_memory(other.link)) return;
  try {
    const shared_memory_key& key = window_.key();
    other.near.access = peer_access::awaited;
    out_.notify(memory_offer, other, std::uint64_t{self_.own_number()}, key);
  } catch (const error&) {  // shared memory is only an optimisation
    other.near.access = peer_access::no;
  }
}

template <class Worker>
std::span<const std::byte> neighbour_path<Worker>::block_of(const block_mark& mark) const {
  const neighbour& from = peers_.known(mark.tried.from).near;
  if (!from.peer_memory) throw serial_error("malformed message: a block in memory that has not been offered");
  return from.peer_memory->at(mark.where);
}

template <class Worker>
void neighbour_path<Worker>::compare(const trial_mark& tried, long_path by, std::size_t size,
                                     shared_window::time_point begun) {
  peer& from = peers_.known(tried.from);
  const auto verdict = window_.compare(from.near, self_.own_number(), tried, by, size, begun);
  if (verdict) out_.notify(path_message, from, *verdict);
}

template <class Worker>
void neighbour_path<Worker>::take_memory(std::span<const std::byte> bytes) {
  reader in(bytes);
  std::uint64_t number = 0;
  shared_memory_key key;
  in(number, key);
  in.finish();
  if (number >= where_.endpoints.size() || !where_.endpoints[number].at.is_on_this_host)
    throw_no_such_endpoint(number);
  peer* const owner = peers_.at(number);
  if (owner == nullptr || owner->near.peer_memory) return;
  owner->near.peer_memory = foreign_memory::find(key);
  if (owner->near.peer_memory) out_.notify(memory_taken, *owner, std::uint64_t{self_.own_number()});
}

template <class Worker>
void neighbour_path<Worker>::use_memory(std::span<const std::byte> bytes) {
  neighbour& other = peers_.known(last_of<std::uint64_t>(bytes)).near;
  if (other.access == peer_access::awaited) other.access = peer_access::yes;
}

template <class Worker>
void neighbour_path<Worker>::take_verdict(std::span<const std::byte> bytes) {
  const auto verdict = last_of<path_verdict>(bytes);
  if (verdict.which >= size_class::number || verdict.better > long_path::memory)
    throw serial_error("malformed message: path " + std::to_string(static_cast<int>(verdict.better)) +
                       " for the sizes " + std::to_string(verdict.which));
  peers_.known(verdict.from).near.choices[verdict.which].decide(verdict.trial, verdict.better);
}

}  // namespace imbrex::endpoints
