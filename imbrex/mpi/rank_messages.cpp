// SPDX-License-Identifier: Apache-2.0
// Delivery of messages between ranks.
#include <imbrex/mpi/rank.hpp>

#include <cstring>

#include <imbrex/core/array/collection.hpp>

namespace imbrex::mpi {

using detail::processor;

namespace {

/// The rank that a message is for, if it is on this PE. Else null: the message was forwarded or waits.
template <class M>
rank* receiver_of(M& m) {
  auto* const ranks = detail::part_for<rank>(m);
  if (ranks == nullptr) return nullptr;
  auto* const e = ranks->find(m.key);
  if (e != nullptr) [[likely]]
    return &detail::element_memory<rank>::object(*e);
  ranks->route(m);
  return nullptr;
}

}  // namespace

void packet::deliver() {
  if (rank* const receiver = receiver_of(*this)) receiver->take_packet(*this);
}

void pull::deliver() {
  if (rank* const receiver = receiver_of(*this)) {
    const detail::message_guard guard(*this);
    receiver->serve_pull(*this);
  }
}

long_data::~long_data() {
  if (own_ != nullptr) detail::pool::release(own_, static_cast<std::size_t>(size));
}

void long_data::serialize(writer& out) {
  out(key, receive, from, offer, size);
  out.block(bytes, static_cast<std::size_t>(size));
}

void long_data::serialize(reader& in) {
  in(key, receive, from, offer, size);
  const auto count = static_cast<std::size_t>(size);
  if (count == 0) return;
  const bool is_pending = in.is_pending(count);
  std::byte* place = nullptr;
  // A thread that drives the network for all PEs has no access to their ranks.
  if (auto* const here = detail::scheduler::current();
      here != nullptr && here->pe() != detail::scheduler::no_pe) {
    if (auto* const ranks = detail::part_at<rank>(static_cast<processor&>(*here), collection))
      if (auto* const e = ranks->find(key))
        place = detail::element_memory<rank>::object(*e).place_for(receive, size);
  }
  has_landed = place != nullptr;
  if (place == nullptr) {
    if (!is_pending && count > in.remaining()) throw serial_error("data of MPI that are cut off");
    place = own_ = static_cast<std::byte*>(detail::pool::allocate(count));
    bytes = own_;
  }
  if (is_pending)
    in.expect(place);
  else if (count > 0)
    std::memcpy(place, in.view(count).data(), count);
}

void long_data::deliver() {
  if (rank* const receiver = receiver_of(*this)) {
    const detail::message_guard guard(*this);
    receiver->take_data(*this);
  }
}

void offer_answer::deliver() {
  if (rank* const receiver = receiver_of(*this)) {
    const detail::message_guard guard(*this);
    receiver->take_answer(*this);
  }
}

void local_call::deliver() {
  if (rank* const receiver = receiver_of(*this)) {
    const detail::message_guard guard(*this);
    receiver->take_call(*this);
  }
}

void local_call::throw_local() { throw imbrex::error("a call within a process was sent to another one"); }

void turn::deliver() {
  if (rank* const receiver = receiver_of(*this)) {
    const detail::message_guard guard(*this);
    receiver->take_turn();
  }
}

}  // namespace imbrex::mpi
