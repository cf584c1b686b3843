// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <utility>

#include <imbrex/net/batch.hpp>
#include <imbrex/net/packing.hpp>
#include <imbrex/net/ucx/lanes.hpp>
#include <imbrex/net/ucx/shared_memory.hpp>
#include <imbrex/net/ucx/ucx_port.hpp>
#include <imbrex/net/ucx/ucx_port_parts.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex::ucx {

void ucx_port::send(work& item, int to) {
  if (closing_) return item.type->destroy(item);
  if (out_.size() != 0) [[unlikely]]
    return apart([&] { send(item, to); });
  peer* const other = peer_at(where_.port_of_pe[static_cast<std::size_t>(to)]);
  if (other == nullptr) return item.type->destroy(item);
  const bool coalesced = item.coalesced;
  pack(item);
  if (out_.lent().bytes.empty()) {
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

void ucx_port::move_much() {
  const std::size_t many = is_full_ ? most_departing_bytes : many_departing_bytes;  // more would come, too
  if (departing_bytes_ > many && !progressing_) move();
}

std::byte* ucx_port::room_for(int to, std::size_t most, bool may_wait) {
  const std::size_t port = where_.port_of_pe[static_cast<std::size_t>(to)];
  const bool is_connected = port < peers_.size() && peers_[port] != nullptr;
  if (closing_ || out_.size() != 0 || !is_connected) return nullptr;
  written_to_ = peers_[port].get();
  if (!written_to_->is_of_one_pe) return nullptr;
  return may_wait || written_to_->kept != 0 ? batch::room(written_to_->waiting, most)
                                            : out_.room(most + sizeof(run_token));
}

void ucx_port::send_written(std::size_t bytes, bool may_wait) {
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
  const ucs_status_ptr_t request =
      ucp_am_send_nbx(other.endpoint, item_message, nullptr, 0, written, bytes, &how_to_send_);
  if (request != nullptr) [[unlikely]] {
    if (UCS_PTR_IS_PTR(request)) {
      out_.filled(bytes);
      depart(other);
    } else {
      lost(other.process, UCS_PTR_STATUS(request));
    }
  }
  count_sent();
  move_much();
}

template <class Function>
void ucx_port::apart(const Function& function) {
  struct outer_item {
    explicit outer_item(writer& w) : out(w), before(std::exchange(w, writer())) {}
    outer_item(const outer_item&) = delete;
    outer_item& operator=(const outer_item&) = delete;
    ~outer_item() { out = std::move(before); }
    writer& out;
    writer before;
  };
  const outer_item unfinished(out_);
  out_.lend_from(shortest_block_lent);
  function();
}

void ucx_port::held_back(peer& other) {
  if (!std::exchange(other.is_listed, true)) peers_with_batches_.push_back(&other);
  if (other.waiting.size() <= other.full_batch) return;
  other.full_batch = std::min(2 * other.full_batch, last_full_batch);
  send_batch(other);
  move_much();
}

void ucx_port::send_batch(peer& other) {
  writer before = std::exchange(out_, std::exchange(other.waiting, {}));
  transmit(batch_message, other, nullptr);
  other.waiting = std::exchange(out_, std::move(before));
}

void ucx_port::send_batches() {
  std::erase_if(peers_with_batches_, [this](peer* other) {
    if (other->kept != 0) return false;
    other->is_listed = false;
    other->full_batch = first_full_batch;
    if (!other->waiting.written().empty()) send_batch(*other);
    return true;
  });
}

void ucx_port::pack(work& item) {
  try {
    pack_or_destroy(item, out_);
  } catch (...) {
    out_.clear();
    throw;
  }
}

void ucx_port::send_lending(work& item, int to, peer& other) {
  if (send_to_neighbour(item, to, other)) return;
  if (out_.written().size() + sizeof(std::uint64_t) + sizeof to + sizeof(run_token) <= longest_header_) {
    out_(std::uint64_t{out_.lent().position});
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

bool ucx_port::send_to_neighbour(work& item, int to, peer& other) {
  const auto block = out_.lent().bytes;
  const bool may_be = out_.written().size() <= longest_beside_block && block.size() > longest_block_unasked &&
                      block.size() <= shared_layout::longest_block;
  if (!may_be || other.access == access_to_ours::no) return false;
  if (other.access == access_to_ours::unasked) offer_memory(other);
  if (other.access != access_to_ours::yes) return false;
  path_choice& choice = other.choices[size_class::of(block.size())];
  const auto path = choice.next();
  if (path.by == long_path::rendezvous && path.trial == 0) return false;
  trial_mark tried{own_number(), choice.spent_on_rendezvous, path.trial};
  const auto begun = path.trial != 0 ? std::chrono::steady_clock::now() : time_point();
  const auto spent = [&begun] {
    const auto time = std::chrono::steady_clock::now() - begun;
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(std::chrono::nanoseconds(time).count(), 1,
                                                               std::numeric_limits<std::uint32_t>::max()));
  };
  if (path.by == long_path::rendezvous) {
    out_(std::uint64_t{out_.lent().position});
    address(to, other);
    out_(tried);
    transmit(item_on_trial, other, &item);
    choice.spent_on_rendezvous = spent();
    return true;
  }
  shared_block where;
  if (!memory_->put(block, where)) {
    choice.put_off(path);
    return false;
  }
  if (path.trial != 0) tried.spent = spent();
  send_in_memory(item, to, other, {where, tried});
  return true;
}

void ucx_port::send_in_memory(work& item, int to, peer& other, const block_mark& mark) {
  const std::uint64_t position = out_.lent().position;
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

void ucx_port::offer_memory(peer& other) {
  if (is_tcp_alone(other.endpoint)) {
    other.access = access_to_ours::no;
    return;
  }
  other.access = access_to_ours::awaited;
  try {
    if (!memory_) memory_ = std::make_unique<shared_memory>();
    apart([&] {
      out_(std::uint64_t{own_number()}, memory_->key());
      transmit(memory_offer, other, nullptr);
    });
  } catch (const error&) {  // what can be done with memory is done better, and not otherwise
    other.access = access_to_ours::no;
  }
}

std::size_t ucx_port::own_number() const {
  return pe_ ? where_.port_of_pe[static_cast<std::size_t>(*pe_)]
             : where_.first_port[static_cast<std::size_t>(process_)];
}

void ucx_port::tell_of_memory(peer& other) {
  apart([&] {
    out_(std::uint64_t{own_number()});
    transmit(memory_taken, other, nullptr);
  });
}

void ucx_port::tell_of_path(peer& other, const verdict& found) {
  apart([&] {
    out_(found);
    transmit(path_verdict, other, nullptr);
  });
}

void ucx_port::address(int pe, const peer& other) {
  if (!other.is_of_one_pe) out_(pe);
}

void ucx_port::notify(int process, std::span<const std::byte> bytes) {
  if (closing_) return;
  if (out_.size() != 0) [[unlikely]]
    return apart([&] { notify(process, bytes); });
  peer* const other = peer_at(where_.first_port[static_cast<std::size_t>(process)]);
  if (other == nullptr) return;
  out_(process_);
  out_.bytes(bytes.data(), bytes.size());
  transmit(notice_message, *other, nullptr);
}

void ucx_port::transmit(kind what, peer& other, work* item) {
  if (what != batch_message && !other.waiting.written().empty()) send_batch(other);
  if (!next_departure_) prepare_departure();
  next_departure_->item = item;
  out_.number(where_.token);
  const auto packed = out_.written();
  const auto block = out_.lent().bytes;
  const ucp_request_param_t* how = &how_to_send_;
  ucp_request_param_t unasked;
  if (packed.size() + block.size() <= other.sent_unasked) {
    unasked = how_to_send_;
    unasked.op_attr_mask |= UCP_OP_ATTR_FIELD_FLAGS;
    unasked.flags = UCP_AM_SEND_FLAG_EAGER;
    how = &unasked;
  }
  const std::size_t header = packed.size() > longest_without_header ? sizeof where_.token : 0;
  const ucs_status_ptr_t request =
      block.empty()
          ? ucp_am_send_nbx(other.endpoint, what, &where_.token, header, packed.data(), packed.size(), how)
          : ucp_am_send_nbx(other.endpoint, what, packed.data(), packed.size(), block.data(), block.size(),
                            how);
  if (UCS_PTR_IS_PTR(request)) return depart(other);
  out_.clear();
  if (item != nullptr) next_departure_.reset();
  if (request != nullptr) [[unlikely]]
    lost(other.process, UCS_PTR_STATUS(request));
}

void ucx_port::prepare_departure() {
  next_departure_ = std::make_unique<departure>(*this);
  how_to_send_.user_data = next_departure_.get();
}

void ucx_port::departure::ended(void* request, ucs_status_t, void* self) {
  auto& port = static_cast<departure*>(self)->from;
  const auto mine = port.departing_.release(*static_cast<departure*>(self));
  port.departing_bytes_ -= mine->size;
  if (mine->crowded != nullptr) --mine->crowded->kept;
  ucp_request_free(request);  // a failure is told by the endpoint's handler
}

void ucx_port::depart(peer& other) {
  const std::size_t size = out_.size();
  if (size <=
      longest_block_unasked) {  // of a longer one the other side may be asked first, which says nothing of room
    next_departure_->crowded = &other;
    ++other.kept;
  }
  next_departure_->size = size + bytes_beside_payload;
  departing_bytes_ += next_departure_->size;
  next_departure_->bytes = out_.take();
  departing_.hold(std::move(next_departure_));
}

}  // namespace imbrex::ucx
