// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/net/endpoint/batch.hpp>
#include <imbrex/net/endpoint/message_ends.hpp>
#include <imbrex/net/endpoint/network_endpoint.hpp>
#include <imbrex/serial/archive.hpp>
#include <imbrex/serial/error.hpp>

namespace imbrex::endpoints {

template <class Worker>
inline bool network_endpoint<Worker>::is_of_this_run(std::span<const std::byte>& bytes) const {
  if (take_token(bytes, where_.token)) [[likely]]
    return true;
  tell_of_stranger_here();
  return false;
}

template <class Worker>
void network_endpoint<Worker>::tell_of_stranger_here() const {
  tell_of_stranger(name());
}

/// True if the message's block stands apart from its item, which is the header.
template <class Worker>
constexpr bool network_endpoint<Worker>::is_beside_block(unsigned what) {
  return what == item_with_block || what == item_on_trial;
}

template <class Worker>
inline void network_endpoint<Worker>::came(unsigned what, std::span<const std::byte> header,
                                           std::span<const std::byte> body) {
  guard_.call([&]() __attribute__((always_inline)) {
    if (!is_of_this_run(is_beside_block(what) ? header : body)) return;
    what == item_message ? take_item(body) : take(what, header, body);
  });
}

template <class Worker>
bool network_endpoint<Worker>::offered(unsigned what, std::span<const std::byte> header, std::size_t size,
                                       void* offer) {
  bool is_kept = false;
  guard_.call([&] {
    // A short message has arrived completely before it is read; memory for it is available.
    const bool has_no_header = !is_beside_block(what) && header.empty() && size <= longest_without_header;
    if (!has_no_header && !is_of_this_run(header)) return;
    if (!offers_.empty() || !has_room_for(size)) {
      offers_.add({what, {header.begin(), header.end()}, size, offer});
      is_kept = true;
    } else {
      accept(what, header, size, offer);
    }
  });
  return is_kept;
}

template <class Worker>
void network_endpoint<Worker>::take(unsigned what, std::span<const std::byte> header,
                                    std::span<const std::byte> data) {
  switch (what) {
    case item_message: return take_item(data);
    case item_with_block: return take_item_with_block(header, data);
    case batch_message:
      return batch::for_each(data, [this](std::span<const std::byte> item) { take_item(item); });
    case control_message_item: return take_control_message(data);
    case watch_message: return take_watch(data);
    case memory_offer: return offers_.add({what, {data.begin(), data.end()}, 0, nullptr});
    case memory_taken: return use_memory(data);
    case path_message: return take_verdict(data);
    case item_on_trial: return take_item_on_trial(header, data);
    case item_in_memory:
      if (offers_.empty() && !pressure_.is_full()) return take_item_in_memory(data);
      return offers_.add({what, {data.begin(), data.end()}, 0, nullptr});
    default: return;  // a greeting
  }
}

template <class Worker>
void network_endpoint<Worker>::take_item(std::span<const std::byte> bytes) {
  const int to = take_address(bytes);
  took_ = true;
  to_.take(bytes, to);
  count_received();
}

template <class Worker>
void network_endpoint<Worker>::take_control_message(std::span<const std::byte> bytes) {
  took_ = true;
  reader in(bytes);
  int process = 0;
  in(process);
  to_.control_message(process, in.view(in.remaining()));
}

template <class Worker>
void network_endpoint<Worker>::take_watch(std::span<const std::byte> bytes) {
  reader in(bytes);
  int host = 0;
  in(host);
  if (where_.own_watch != nullptr) where_.own_watch->monitor(host);
}

template <class Worker>
void network_endpoint<Worker>::take_item_with_block(std::span<const std::byte> header,
                                                    std::span<const std::byte> block) {
  const int to = take_address(header);
  reader in = reader_of(header, block.size(), block.data(), shortest_exported_block);
  arrived(to_.unpack(in), to, header.size() + block.size());
}

template <class Worker>
void network_endpoint<Worker>::take_item_on_trial(std::span<const std::byte> header,
                                                  std::span<const std::byte> block) {
  const auto tried = last_of<trial_mark>(header);
  const auto begun = std::chrono::steady_clock::now();
  take_item_with_block(header.first(header.size() - sizeof tried), block);
  compare(tried, long_path::rendezvous, block.size(), begun);
}

template <class Worker>
void network_endpoint<Worker>::take_item_in_memory(std::span<const std::byte> bytes) {
  const auto mark = last_of<block_mark>(bytes);
  neighbour& from = known_peer(mark.tried.from).near;
  if (!from.peer_memory) throw serial_error("malformed message: a block in memory that has not been offered");
  const auto block = from.peer_memory->at(mark.where);
  const bool is_tried = mark.tried.trial != 0;
  const auto begun = is_tried ? std::chrono::steady_clock::now() : shared_window::time_point();
  take_item_with_block(bytes.first(bytes.size() - sizeof mark), block);
  from.peer_memory->release(mark.where);
  if (is_tried) compare(mark.tried, long_path::memory, block.size(), begun);
}

template <class Worker>
void network_endpoint<Worker>::compare(const trial_mark& tried, long_path by, std::size_t size,
                                       shared_window::time_point begun) {
  peer& from = known_peer(tried.from);
  const auto verdict = window_.compare(from.near, own_number(), tried, by, size, begun);
  if (verdict) tell(path_message, from, *verdict);
}

template <class Worker>
void network_endpoint<Worker>::take_memory(std::span<const std::byte> bytes) {
  reader in(bytes);
  std::uint64_t number = 0;
  shared_memory_key key;
  in(number, key);
  in.finish();
  if (number >= where_.endpoints.size() || !where_.endpoints[number].at.is_on_this_host)
    throw_no_such_endpoint(number);
  peer* const owner = peer_at(number);
  if (owner == nullptr || owner->near.peer_memory) return;
  owner->near.peer_memory = foreign_memory::find(key);
  if (owner->near.peer_memory) tell(memory_taken, *owner, std::uint64_t{own_number()});
}

template <class Worker>
void network_endpoint<Worker>::use_memory(std::span<const std::byte> bytes) {
  neighbour& other = known_peer(last_of<std::uint64_t>(bytes)).near;
  if (other.access == peer_access::awaited) other.access = peer_access::yes;
}

template <class Worker>
void network_endpoint<Worker>::take_verdict(std::span<const std::byte> bytes) {
  const auto verdict = last_of<path_verdict>(bytes);
  if (verdict.which >= size_class::number || verdict.better > long_path::memory)
    throw serial_error("malformed message: path " + std::to_string(static_cast<int>(verdict.better)) +
                       " for the sizes " + std::to_string(verdict.which));
  known_peer(verdict.from).near.choices[verdict.which].decide(verdict.trial, verdict.better);
}

template <class Worker>
peer& network_endpoint<Worker>::known_peer(std::size_t number) const {
  if (number >= peers_.size() || !peers_[number]) throw_no_such_endpoint(number);
  return *peers_[number];
}

template <class Worker>
int network_endpoint<Worker>::take_address(std::span<const std::byte>& bytes) const {
  if (pe_) return *pe_;
  const int pe = last_of<int>(bytes);
  bytes = bytes.first(bytes.size() - sizeof pe);
  return pe;
}

template <class Worker>
bool network_endpoint<Worker>::has_room_for(std::size_t size) const {
  const std::size_t most = where_.are_on_one_host ? most_arriving_bytes_on_host : most_arriving_bytes;
  return !pressure_.is_full() && offers_.has_room_for(size, most);
}

template <class Worker>
void network_endpoint<Worker>::accept(unsigned what, std::span<const std::byte> header, std::size_t size,
                                      void* offer) {
  if (offer == nullptr) return what == memory_offer ? take_memory(header) : take_item_in_memory(header);
  auto coming = std::make_unique<arrival>(*this, what, size);
  if (what == item_on_trial) {
    coming->begun = std::chrono::steady_clock::now();
    coming->tried = last_of<trial_mark>(header);
    header = header.first(header.size() - sizeof(trial_mark));
  }
  if (is_beside_block(what)) {
    coming->pe = take_address(header);
    reader in = reader_of(header, size, nullptr, shortest_exported_block);
    coming->item = &to_.unpack(in);
    coming->place = in.place_of_block();
  } else {
    coming->bytes = std::make_unique_for_overwrite<std::byte[]>(size);
    coming->place = coming->bytes.get();
  }
  offers_.begins_to_arrive(size);
  arrival& held = arriving_.hold(std::move(coming));
  worker_->accept(offer, {held.place, held.size}, held);
}

template <class Worker>
void network_endpoint<Worker>::filled(fabric_transfer& what, fabric_receipt receipt, const std::string& why) {
  const auto owner = arriving_.release(static_cast<arrival&>(what));
  offers_.has_arrived(owner->size);
  if (receipt == fabric_receipt::lost) return;
  guard_.call([&] {
    if (receipt == fabric_receipt::failed) throw error(why);
    if (owner->tried) compare(*owner->tried, long_path::rendezvous, owner->size, owner->begun);
    if (owner->item != nullptr) return arrived(*std::exchange(owner->item, nullptr), owner->pe, owner->size);
    std::span<const std::byte> all(owner->bytes.get(), owner->size);
    if (is_of_this_run(all)) take(owner->kind, {}, all);
  });
}

template <class Worker>
void network_endpoint<Worker>::accept_first_offer() {
  const auto next = offers_.take_first();
  try {
    accept(next.kind, next.header, next.size, next.offered);
  } catch (...) {  // the bytes make no item
    if (next.offered != nullptr) worker_->decline(next.offered);
    throw;
  }
}

template <class Worker>
void network_endpoint<Worker>::decline_offers() noexcept {
  while (!offers_.empty()) {
    const auto next = offers_.take_first();
    if (next.offered != nullptr) worker_->decline(next.offered);
  }
}

template <class Worker>
void network_endpoint<Worker>::arrived(detail::work& item, int pe, std::size_t bytes) {
  took_ = true;
  to_.arrived(item, pe, bytes);
  count_received();
}

template <class Worker>
void network_endpoint<Worker>::lost(int process, const std::string& why) {
  guard_.call([&] { to_.lost(process, why); });
}

}  // namespace imbrex::endpoints
