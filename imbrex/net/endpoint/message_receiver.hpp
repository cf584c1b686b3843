// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/net/endpoint/batch.hpp>
#include <imbrex/net/endpoint/fabric_endpoint.hpp>
#include <imbrex/net/endpoint/held.hpp>
#include <imbrex/net/endpoint/message_ends.hpp>
#include <imbrex/net/endpoint/message_kind.hpp>
#include <imbrex/net/endpoint/neighbour_path.hpp>
#include <imbrex/net/endpoint/offer_queue.hpp>
#include <imbrex/net/endpoint/outbox.hpp>
#include <imbrex/net/endpoint/peer.hpp>
#include <imbrex/net/endpoint/places.hpp>
#include <imbrex/net/endpoint/run_token.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex::endpoints {

/// Messages that arrive at an endpoint: what each kind means, and the offers of long messages, which are
/// accepted when there is room for them.
template <class Worker>
class message_receiver {
 public:
  message_receiver(fabric_endpoint& self, outbox<Worker>& out, neighbour_path<Worker>& neighbours,
                   const places& where, fabric_events& events, detail::network::receiver& to)
      : self_(self), out_(out), neighbours_(neighbours), where_(where), events_(events), to_(to) {}

  /// A message has arrived.
  [[gnu::always_inline]] void take(unsigned what, std::span<const std::byte> header,
                                   std::span<const std::byte> body) {
    if (!is_of_this_run(is_beside_block(what) ? header : body)) return;
    what == item_message ? take_item(body) : take_other(what, header, body);
  }
  /// A long message is offered. True if the offer is kept, to be accepted later.
  bool take_offer(unsigned what, std::span<const std::byte> header, std::size_t size, void* offer);
  /// The transfer of an accepted message has ended.
  std::unique_ptr<arrival> end_arrival(fabric_transfer& what);
  /// Takes the message of an ended transfer.
  void take_arrival(arrival& whole);

  /// Accepts offers while there is room.
  void accept_offers() {
    while (may_accept()) accept_first_offer();
  }
  bool may_accept() const { return !offers_.empty() && has_room_for(offers_.first_size()); }
  bool has_offers() const { return !offers_.empty(); }
  void accept_first_offer();
  /// Refuses all offers.
  void decline_offers() noexcept;
  bool is_arriving() const { return !arriving_.empty(); }
  /// Drops unfinished transfers, once the worker has ended.
  void clear() { arriving_.clear(); }

  /// True if an item or control message was received since `begin_progress`.
  bool took() const { return took_; }
  void begin_progress() { took_ = false; }

 private:
  /// Limits of the bytes of long messages (rendezvous) in transfer at once; a single message may be longer.
  /// Within a host this processor copies them one after the other. The limit is low, so that memory already
  /// read is used again while still cached. Between hosts it keeps the link busy.
  static constexpr std::size_t most_arriving_bytes_on_host = std::size_t{1} << 19U;
  static constexpr std::size_t most_arriving_bytes = std::size_t{1} << 23U;

  /// Removes the token from the header of a block, else from the message. False, with a warning, if the
  /// message is from another run.
  [[gnu::always_inline]] bool is_of_this_run(std::span<const std::byte>& bytes) const {
    if (take_token(bytes, where_.token)) [[likely]]
      return true;
    tell_of_stranger_here();
    return false;
  }
  [[gnu::cold]] void tell_of_stranger_here() const { tell_of_stranger(self_.name()); }
  /// Reads the PE that an item is for, if this endpoint has several.
  int take_address(std::span<const std::byte>& bytes) const;
  void take_item(std::span<const std::byte> bytes);
  void take_other(unsigned what, std::span<const std::byte> header, std::span<const std::byte> data);
  void take_control_message(std::span<const std::byte> bytes);
  void take_watch(std::span<const std::byte> bytes) const;
  void take_item_with_block(std::span<const std::byte> header, std::span<const std::byte> block);
  void take_item_on_trial(std::span<const std::byte> header, std::span<const std::byte> block);
  void take_item_in_memory(std::span<const std::byte> bytes);
  /// Keeps a message until no callback of the fabric runs, or until there is room.
  void postpone(unsigned what, std::span<const std::byte> message) {
    offers_.add({what, {message.begin(), message.end()}, 0, nullptr});
  }
  bool has_room_for(std::size_t size) const;
  void accept(unsigned what, std::span<const std::byte> header, std::size_t size, void* offer);
  void arrived(detail::work& item, int pe, std::size_t bytes);

  fabric_endpoint& self_;
  outbox<Worker>& out_;
  neighbour_path<Worker>& neighbours_;
  const places& where_;
  fabric_events& events_;
  detail::network::receiver& to_;
  held<arrival> arriving_;  ///< transfers that the fabric fills
  offer_queue offers_;
  bool took_ = false;
};

template <class Worker>
bool message_receiver<Worker>::take_offer(unsigned what, std::span<const std::byte> header, std::size_t size,
                                          void* offer) {
  // A short message has arrived completely before it is read; memory for it is available.
  const bool has_no_header = !is_beside_block(what) && header.empty() && size <= longest_without_header;
  if (!has_no_header && !is_of_this_run(header)) return false;
  if (offers_.empty() && has_room_for(size)) {
    accept(what, header, size, offer);
    return false;
  }
  offers_.add({what, {header.begin(), header.end()}, size, offer});
  return true;
}

template <class Worker>
void message_receiver<Worker>::take_other(unsigned what, std::span<const std::byte> header,
                                          std::span<const std::byte> data) {
  switch (what) {
    case item_message: return take_item(data);
    case item_with_block: return take_item_with_block(header, data);
    case batch_message:
      return batch::for_each(data, [this](std::span<const std::byte> item) { take_item(item); });
    case control_message_item: return take_control_message(data);
    case watch_message: return take_watch(data);
    case memory_offer: return postpone(what, data);
    case memory_taken: return neighbours_.use_memory(data);
    case path_message: return neighbours_.take_verdict(data);
    case item_on_trial: return take_item_on_trial(header, data);
    case item_in_memory:
      if (offers_.empty() && !out_.pressure().is_full()) return take_item_in_memory(data);
      return postpone(what, data);
    default: return;  // a greeting
  }
}

template <class Worker>
void message_receiver<Worker>::take_item(std::span<const std::byte> bytes) {
  const int to = take_address(bytes);
  took_ = true;
  to_.take(bytes, to);
  self_.count_received();
}

template <class Worker>
void message_receiver<Worker>::take_control_message(std::span<const std::byte> bytes) {
  took_ = true;
  reader in(bytes);
  int process = 0;
  in(process);
  to_.control_message(process, in.view(in.remaining()));
}

template <class Worker>
void message_receiver<Worker>::take_watch(std::span<const std::byte> bytes) const {
  reader in(bytes);
  int host = 0;
  in(host);
  if (where_.own_watch != nullptr) where_.own_watch->monitor(host);
}

template <class Worker>
void message_receiver<Worker>::take_item_with_block(std::span<const std::byte> header,
                                                    std::span<const std::byte> block) {
  const int to = take_address(header);
  reader in = reader_of(header, block.size(), block.data(), detail::endpoint::shortest_exported_block);
  arrived(to_.unpack(in), to, header.size() + block.size());
}

template <class Worker>
void message_receiver<Worker>::take_item_on_trial(std::span<const std::byte> header,
                                                  std::span<const std::byte> block) {
  const auto tried = last_of<trial_mark>(header);
  const auto begun = std::chrono::steady_clock::now();
  take_item_with_block(header.first(header.size() - sizeof tried), block);
  neighbours_.compare(tried, long_path::rendezvous, block.size(), begun);
}

template <class Worker>
void message_receiver<Worker>::take_item_in_memory(std::span<const std::byte> bytes) {
  const auto mark = last_of<block_mark>(bytes);
  const auto block = neighbours_.block_of(mark);
  const bool is_tried = mark.tried.trial != 0;
  const auto begun = is_tried ? std::chrono::steady_clock::now() : shared_window::time_point();
  take_item_with_block(bytes.first(bytes.size() - sizeof mark), block);
  neighbours_.release(mark);
  if (is_tried) neighbours_.compare(mark.tried, long_path::memory, block.size(), begun);
}

template <class Worker>
int message_receiver<Worker>::take_address(std::span<const std::byte>& bytes) const {
  if (self_.own_pe()) return *self_.own_pe();
  const int pe = last_of<int>(bytes);
  bytes = bytes.first(bytes.size() - sizeof pe);
  return pe;
}

template <class Worker>
bool message_receiver<Worker>::has_room_for(std::size_t size) const {
  const std::size_t most = where_.are_on_one_host ? most_arriving_bytes_on_host : most_arriving_bytes;
  return !out_.pressure().is_full() && offers_.has_room_for(size, most);
}

template <class Worker>
void message_receiver<Worker>::accept(unsigned what, std::span<const std::byte> header, std::size_t size,
                                      void* offer) {
  if (offer == nullptr)
    return what == memory_offer ? neighbours_.take_memory(header) : take_item_in_memory(header);
  auto coming = std::make_unique<arrival>(events_, what, size);
  if (what == item_on_trial) {
    coming->begun = std::chrono::steady_clock::now();
    coming->tried = last_of<trial_mark>(header);
    header = header.first(header.size() - sizeof(trial_mark));
  }
  if (is_beside_block(what)) {
    coming->pe = take_address(header);
    reader in = reader_of(header, size, nullptr, detail::endpoint::shortest_exported_block);
    coming->item = &to_.unpack(in);
    coming->place = in.place_of_block();
  } else {
    coming->bytes = std::make_unique_for_overwrite<std::byte[]>(size);
    coming->place = coming->bytes.get();
  }
  offers_.begins_to_arrive(size);
  arrival& held = arriving_.hold(std::move(coming));
  out_.worker().accept(offer, {held.place, held.size}, held);
}

template <class Worker>
std::unique_ptr<arrival> message_receiver<Worker>::end_arrival(fabric_transfer& what) {
  auto ended = arriving_.release(static_cast<arrival&>(what));
  offers_.has_arrived(ended->size);
  return ended;
}

template <class Worker>
void message_receiver<Worker>::take_arrival(arrival& whole) {
  if (whole.tried) neighbours_.compare(*whole.tried, long_path::rendezvous, whole.size, whole.begun);
  if (whole.item != nullptr) return arrived(*std::exchange(whole.item, nullptr), whole.pe, whole.size);
  std::span<const std::byte> all(whole.bytes.get(), whole.size);
  if (is_of_this_run(all)) take_other(whole.kind, {}, all);
}

template <class Worker>
void message_receiver<Worker>::accept_first_offer() {
  const auto next = offers_.take_first();
  try {
    accept(next.kind, next.header, next.size, next.offered);
  } catch (...) {  // the bytes make no item
    if (next.offered != nullptr) out_.worker().decline(next.offered);
    throw;
  }
}

template <class Worker>
void message_receiver<Worker>::decline_offers() noexcept {
  while (!offers_.empty()) {
    const auto next = offers_.take_first();
    if (next.offered != nullptr) out_.worker().decline(next.offered);
  }
}

template <class Worker>
void message_receiver<Worker>::arrived(detail::work& item, int pe, std::size_t bytes) {
  took_ = true;
  to_.arrived(item, pe, bytes);
  self_.count_received();
}

}  // namespace imbrex::endpoints
