// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <imbrex/net/endpoint/back_pressure.hpp>
#include <imbrex/net/endpoint/batch.hpp>
#include <imbrex/net/endpoint/held.hpp>
#include <imbrex/net/endpoint/message_kind.hpp>
#include <imbrex/net/endpoint/peer.hpp>
#include <imbrex/net/endpoint/places.hpp>
#include <imbrex/net/packing.hpp>
#include <imbrex/serial/archive.hpp>
#include <imbrex/serial/writer.hpp>

namespace imbrex::endpoints {

/// Messages that leave an endpoint for its peers. A message is written to `out()`, then transmitted. Its
/// bytes are kept as long as the fabric reads them. Short items that may wait are collected in the batches of
/// their peers.
template <class Worker>
class outbox {
 public:
  outbox(std::unique_ptr<Worker> worker, const places& where, fabric_events& events)
      : worker_(std::move(worker)), where_(where), events_(events) {
    out_.export_from(detail::endpoint::shortest_exported_block);
    worker_->listen(events_);
  }

  Worker& worker() const { return *worker_; }
  bool is_closed() const { return !worker_; }
  writer& out() { return out_; }
  back_pressure& pressure() { return pressure_; }
  const back_pressure& pressure() const { return pressure_; }
  /// Number of transfers that the fabric reads.
  std::size_t departing() const { return departing_.size(); }

  /// Writes the item to `out()`, or destroys it and throws what its type's serialize() throws.
  void pack(detail::work& item);
  /// Writes the PE that an item is for, if the receiving endpoint has several.
  void address(int pe, const peer& other) {
    if (!other.is_of_one_pe) out_(pe);
  }
  /// Sends the content of `out()`, which is empty afterwards. Takes ownership of `item`, one of whose blocks
  /// the fabric reads in place; null: there is no such block.
  void transmit(message_kind what, peer& other, detail::work* item);
  /// Calls a function that sends, even while `out()` holds another item that is being packed.
  template <class Function>
  void apart(const Function& function);
  /// Sends values even while `out()` holds another item that is being packed.
  template <class... T>
  void notify(message_kind what, peer& other, const T&... values);

  // Items that are written in place.
  /// Room for an item of at most `most` bytes; `commit` follows.
  std::byte* reserve(peer& other, std::size_t most, bool may_wait);
  /// The peer of the room that `reserve` returned.
  peer& reserved_for() const { return *written_to_; }
  /// Sends the reserved room's first `bytes` bytes, which are in no batch.
  void commit(std::size_t bytes);

  /// Called after an item was added to the peer's batch.
  void note_batched(peer& other);
  /// Sends all batches, except to endpoints for which the fabric keeps earlier messages.
  void send_batches();

  /// Makes progress. True if the fabric found something to do.
  bool move() noexcept;
  bool is_moving() const { return progressing_; }
  /// Makes progress if many bytes wait to leave.
  void move_much() {
    if (pressure_.is_much() && !progressing_) move();
  }
  /// The fabric no longer reads a transfer.
  void end_departure(fabric_transfer& what);
  [[gnu::cold]] void tell_failure(const peer& other, fabric_status status) {
    events_.lost(other.link.process, worker_->failure(status));
  }
  /// Ends the worker, whose transfers may be unfinished; `clear` drops these.
  void close() { worker_.reset(); }
  void clear() { departing_.clear(); }

 private:
  static constexpr std::size_t bytes_beside_payload = 256;

  void send_batch(peer& other);
  /// Keeps the content of `out_` and its item until they have been sent, since the fabric still reads them.
  void depart(peer& other);
  [[gnu::noinline]] void prepare_departure() { next_departure_ = std::make_unique<departure>(events_); }

  held<departure> departing_;  ///< transfers that the fabric reads; they outlive the worker
  std::unique_ptr<Worker> worker_;
  const places& where_;
  fabric_events& events_;
  writer out_;
  peer* written_to_ = nullptr;
  std::vector<peer*> peers_with_batches_;  ///< their batches may be empty by now
  std::unique_ptr<departure> next_departure_;
  back_pressure pressure_;
  bool progressing_ = false;  ///< during a call of the fabric that calls back
};

template <class Worker>
void outbox<Worker>::pack(detail::work& item) {
  try {
    pack_or_destroy(item, out_);
  } catch (...) {
    out_.clear();
    throw;
  }
}

template <class Worker>
void outbox<Worker>::transmit(message_kind what, peer& other, detail::work* item) {
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
template <class Function>
void outbox<Worker>::apart(const Function& function) {
  struct outer_item {
    explicit outer_item(writer& w) : out(w), before(std::exchange(w, writer())) {}
    outer_item(const outer_item&) = delete;
    outer_item& operator=(const outer_item&) = delete;
    ~outer_item() { out = std::move(before); }
    writer& out;
    writer before;
  };
  const outer_item unfinished(out_);
  out_.export_from(detail::endpoint::shortest_exported_block);
  function();
}

template <class Worker>
template <class... T>
void outbox<Worker>::notify(message_kind what, peer& other, const T&... values) {
  apart([&] {
    out_(values...);
    transmit(what, other, nullptr);
  });
}

template <class Worker>
std::byte* outbox<Worker>::reserve(peer& other, std::size_t most, bool may_wait) {
  written_to_ = &other;
  const bool waits = may_wait || other.kept != 0;
  return waits ? batch::room(other.waiting, most) : out_.room(most + sizeof(run_token));
}

template <class Worker>
void outbox<Worker>::commit(std::size_t bytes) {
  peer& other = *written_to_;
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
}

template <class Worker>
void outbox<Worker>::note_batched(peer& other) {
  if (!std::exchange(other.is_listed, true)) peers_with_batches_.push_back(&other);
  if (other.waiting.size() <= other.full_batch) return;
  other.full_batch = std::min(2 * other.full_batch, last_full_batch);
  send_batch(other);
  move_much();
}

/// Sends the peer's batch and preserves the content of `out_`.
template <class Worker>
void outbox<Worker>::send_batch(peer& other) {
  writer before = std::exchange(out_, std::exchange(other.waiting, {}));
  transmit(batch_message, other, nullptr);
  other.waiting = std::exchange(out_, std::move(before));
}

template <class Worker>
void outbox<Worker>::send_batches() {
  if (peers_with_batches_.empty()) return;
  std::erase_if(peers_with_batches_, [this](peer* other) {
    if (other->kept != 0) return false;
    other->is_listed = false;
    other->full_batch = first_full_batch;
    if (!other->waiting.written().empty()) send_batch(*other);
    return true;
  });
}

template <class Worker>
bool outbox<Worker>::move() noexcept {
  progressing_ = true;
  const bool moved = worker_->progress();
  progressing_ = false;
  return moved;
}

template <class Worker>
void outbox<Worker>::depart(peer& other) {
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
void outbox<Worker>::end_departure(fabric_transfer& what) {
  const auto owner = departing_.release(static_cast<departure&>(what));
  pressure_.departed(owner->size);
  if (owner->crowded != nullptr) --owner->crowded->kept;
}

}  // namespace imbrex::endpoints
