// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/net/endpoint/batch.hpp>
#include <imbrex/net/endpoint/network_endpoint.hpp>
#include <imbrex/net/packing.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex::endpoints {

template <class Worker>
void network_endpoint<Worker>::send(detail::work& item, int to) {
  if (guard_.is_closed()) return item.type->destroy(item);
  if (out_.size() != 0) [[unlikely]]
    return apart([&] { send(item, to); });
  peer* const other = peer_at(where_.endpoint_of_pe[static_cast<std::size_t>(to)]);
  if (other == nullptr) return item.type->destroy(item);
  const bool coalesced = item.coalesced;
  pack(item);
  if (out_.exported_block().bytes.empty()) {
    item.type->destroy(item);
    address(to, *other);
    const std::size_t most = other->kept != 0 ? longest_written : coalesced ? longest_that_waits : 0;
    const bool may_wait = out_.written().size() <= most;
    if (may_wait) {
      batch::append(other->waiting, out_.written());
      out_.clear();
      count_sent();
      return held_back(*other);
    }
    transmit(item_message, *other, nullptr);
  } else {
    send_lending(item, to, *other);
  }
  count_sent();
  move_much();
}

template <class Worker>
void network_endpoint<Worker>::move_much() {
  if (pressure_.is_much() && !progressing_) move();
}

template <class Worker>
std::byte* network_endpoint<Worker>::room_for(int to, std::size_t most, bool may_wait) {
  const std::size_t number = where_.endpoint_of_pe[static_cast<std::size_t>(to)];
  if (guard_.is_closed() || out_.size() != 0 || number >= peers_.size()) [[unlikely]]
    return nullptr;
  peer* const other = peers_[number].get();
  if (other == nullptr || !other->is_of_one_pe) [[unlikely]]
    return nullptr;
  written_to_ = other;
  const bool waits = may_wait || other->kept != 0;
  return waits ? batch::room(other->waiting, most) : out_.room(most + sizeof(run_token));
}

template <class Worker>
void network_endpoint<Worker>::send_written(std::size_t bytes, bool may_wait) {
  peer& other = *written_to_;
  if (may_wait || other.kept != 0) {
    batch::filled(other.waiting, bytes);
    count_sent();
    return held_back(other);
  }
  if (!other.waiting.written().empty()) send_batch(other);
  if (!next_departure_) [[unlikely]]
    prepare_departure();
  std::byte* const written = out_.room(0);
  std::memcpy(written + bytes, &where_.token, sizeof where_.token);
  bytes += sizeof where_.token;
  const auto status = worker_->send_short(other.link, item_message, {written, bytes}, *next_departure_);
  if (!status.is_done()) [[unlikely]] {
    if (status.is_kept()) {
      out_.filled(bytes);
      depart(other);
    } else {
      tell_failure(other, status);
    }
  }
  count_sent();
  move_much();
}

template <class Worker>
template <class Function>
void network_endpoint<Worker>::apart(const Function& function) {
  struct outer_item {
    explicit outer_item(writer& w) : out(w), before(std::exchange(w, writer())) {}
    outer_item(const outer_item&) = delete;
    outer_item& operator=(const outer_item&) = delete;
    ~outer_item() { out = std::move(before); }
    writer& out;
    writer before;
  };
  const outer_item unfinished(out_);
  out_.export_from(shortest_exported_block);
  function();
}

template <class Worker>
void network_endpoint<Worker>::held_back(peer& other) {
  if (!std::exchange(other.is_listed, true)) peers_with_batches_.push_back(&other);
  if (other.waiting.size() <= other.full_batch) return;
  other.full_batch = std::min(2 * other.full_batch, last_full_batch);
  send_batch(other);
  move_much();
}

template <class Worker>
void network_endpoint<Worker>::send_batch(peer& other) {
  writer before = std::exchange(out_, std::exchange(other.waiting, {}));
  transmit(batch_message, other, nullptr);
  other.waiting = std::exchange(out_, std::move(before));
}

template <class Worker>
void network_endpoint<Worker>::send_batches() {
  std::erase_if(peers_with_batches_, [this](peer* other) {
    if (other->kept != 0) return false;
    other->is_listed = false;
    other->full_batch = first_full_batch;
    if (!other->waiting.written().empty()) send_batch(*other);
    return true;
  });
}

template <class Worker>
void network_endpoint<Worker>::pack(detail::work& item) {
  try {
    pack_or_destroy(item, out_);
  } catch (...) {
    out_.clear();
    throw;
  }
}

template <class Worker>
void network_endpoint<Worker>::send_lending(detail::work& item, int to, peer& other) {
  if (send_to_neighbour(item, to, other)) return;
  if (out_.written().size() + sizeof(std::uint64_t) + sizeof to + sizeof(run_token) <=
      worker_->can().longest_header) {
    out_(std::uint64_t{out_.exported_block().position});
    address(to, other);
    return transmit(item_with_block, other, &item);
  }
  out_.clear();
  {
    const writer::copying all(out_);
    pack(item);
  }
  item.type->destroy(item);
  address(to, other);
  transmit(item_message, other, nullptr);
}

template <class Worker>
bool network_endpoint<Worker>::send_to_neighbour(detail::work& item, int to, peer& other) {
  const auto block = out_.exported_block().bytes;
  const bool may_be = shared_window::may_take(out_.written().size(), block.size());
  if (!may_be || other.near.access == peer_access::no) return false;
  if (other.near.access == peer_access::unasked) offer_memory(other);
  if (other.near.access != peer_access::yes) return false;
  const auto leaves = window_.send(other.near, own_number(), block);
  if (!leaves) return false;
  if (leaves->by == long_path::memory) {
    send_in_memory(item, to, other, leaves->mark);
    return true;
  }
  out_(std::uint64_t{out_.exported_block().position});
  address(to, other);
  out_(leaves->mark.tried);
  transmit(item_on_trial, other, &item);
  leaves->has_left();
  return true;
}

template <class Worker>
void network_endpoint<Worker>::send_in_memory(detail::work& item, int to, peer& other,
                                              const block_mark& mark) {
  const std::uint64_t position = out_.exported_block().position;
  const auto written = out_.written();
  const std::vector<std::byte> rest(written.begin(), written.end());
  out_.clear();
  item.type->destroy(item);
  out_.bytes(rest.data(), rest.size());
  out_(position);
  address(to, other);
  out_(mark);
  transmit(item_in_memory, other, nullptr);
}

template <class Worker>
void network_endpoint<Worker>::offer_memory(peer& other) {
  other.near.access = peer_access::no;
  if (!worker_->may_share_memory(other.link)) return;
  try {
    const shared_memory_key& key = window_.key();
    other.near.access = peer_access::awaited;
    tell(memory_offer, other, std::uint64_t{own_number()}, key);
  } catch (const error&) {  // shared memory is only an optimisation
    other.near.access = peer_access::no;
  }
}

template <class Worker>
template <class... T>
void network_endpoint<Worker>::tell(kind what, peer& other, const T&... values) {
  apart([&] {
    out_(values...);
    transmit(what, other, nullptr);
  });
}

template <class Worker>
void network_endpoint<Worker>::address(int pe, const peer& other) {
  if (!other.is_of_one_pe) out_(pe);
}

template <class Worker>
void network_endpoint<Worker>::notify(int process, std::span<const std::byte> bytes) {
  if (guard_.is_closed()) return;
  if (out_.size() != 0) [[unlikely]]
    return apart([&] { notify(process, bytes); });
  peer* const other = peer_at(where_.first_endpoint[static_cast<std::size_t>(process)]);
  if (other == nullptr) return;
  out_(process_);
  out_.bytes(bytes.data(), bytes.size());
  transmit(control_message_item, *other, nullptr);
}

template <class Worker>
void network_endpoint<Worker>::transmit(kind what, peer& other, detail::work* item) {
  if (what != batch_message && !other.waiting.written().empty()) send_batch(other);
  if (!next_departure_) prepare_departure();
  next_departure_->item = item;
  out_.number(where_.token);
  const auto packed = out_.written();
  const auto block = out_.exported_block().bytes;
  const auto token = std::as_bytes(std::span(&where_.token, 1));
  const bool is_alone = block.empty();
  const auto status = worker_->send(
      other.link, what,
      !is_alone ? packed : token.first(packed.size() > longest_without_header ? token.size() : 0),
      is_alone ? packed : block, *next_departure_);
  if (status.is_kept()) return depart(other);
  out_.clear();
  if (item != nullptr) next_departure_.reset();
  if (status.has_failed()) [[unlikely]]
    tell_failure(other, status);
}

template <class Worker>
void network_endpoint<Worker>::tell_failure(const peer& other, fabric_status status) {
  lost(other.link.process, worker_->failure(status));
}

template <class Worker>
void network_endpoint<Worker>::prepare_departure() {
  next_departure_ = std::make_unique<departure>(*this);
}

template <class Worker>
void network_endpoint<Worker>::depart(peer& other) {
  const std::size_t size = out_.size();
  // A longer message may be kept because the fabric offers it first, even if the receiver has room.
  if (size <= shared_window::longest_block_unasked) {
    next_departure_->crowded = &other;
    ++other.kept;
  }
  next_departure_->size = size + bytes_beside_payload;
  pressure_.departs(next_departure_->size);
  next_departure_->bytes = out_.take();
  departing_.hold(std::move(next_departure_));
}

template <class Worker>
void network_endpoint<Worker>::departed(fabric_transfer& what) {
  const auto owner = departing_.release(static_cast<departure&>(what));
  pressure_.departed(owner->size);
  if (owner->crowded != nullptr) --owner->crowded->kept;
}

}  // namespace imbrex::endpoints
