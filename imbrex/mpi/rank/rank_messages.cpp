// SPDX-License-Identifier: Apache-2.0
// Delivery of messages between ranks.
#include <imbrex/mpi/rank/rank.hpp>

#include <cstring>

#include <imbrex/core/extension/chare.hpp>
#include <imbrex/mpi/rank/packet.hpp>

namespace imbrex::mpi {

using extension::message_guard;
using extension::receiver_of;

void packet::deliver() {
  if (rank* const receiver = receiver_of<rank_chare>(*this))
    receiver->deliver([&] { receiver->messages.take_in_order(*this); });
}

void pull::deliver() {
  if (rank* const receiver = receiver_of<rank_chare>(*this)) {
    const message_guard guard(*this);
    receiver->deliver([&] { receiver->messages.serve_pull(*this); });
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
  if (const auto ranks = extension::local_elements<rank_chare>::here(collection))
    if (const rank* const receiver = ranks->find(key)) place = receiver->messages.place_for(receive, size);
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
  if (rank* const receiver = receiver_of<rank_chare>(*this)) {
    const message_guard guard(*this);
    receiver->deliver([&] { receiver->messages.take_data(*this); });
  }
}

void offer_answer::deliver() {
  if (rank* const receiver = receiver_of<rank_chare>(*this)) {
    const message_guard guard(*this);
    receiver->deliver([&] { receiver->messages.take_answer(*this); });
  }
}

void local_call::deliver() {
  if (rank* const receiver = receiver_of<rank_chare>(*this)) {
    const message_guard guard(*this);
    receiver->deliver([&] { function(*receiver, object, what); });
  }
}

void local_call::throw_local() { throw imbrex::error("a call within a process was sent to another one"); }

void turn::deliver() {
  if (rank* const receiver = receiver_of<rank_chare>(*this)) {
    const message_guard guard(*this);
    receiver->deliver([&] { receiver->wake(); });
  }
}

}  // namespace imbrex::mpi
