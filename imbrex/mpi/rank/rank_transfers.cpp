// SPDX-License-Identifier: Apache-2.0
// The functions of `transfers`: they find other ranks, which transfers.hpp does not know.
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/mpi/image/heap_switch.hpp>
#include <imbrex/mpi/rank/packet.hpp>
#include <imbrex/mpi/rank/rank.hpp>

namespace imbrex::mpi {

using extension::current_pe;

namespace {

bool fits(const envelope& receive, const envelope& message) {
  return receive.context == message.context &&
         (receive.source == any_source || receive.source == message.source) &&
         (receive.tag == any_tag || receive.tag == message.tag);
}

/// Bytes of unexpected messages above which a sender yields to the receiver.
constexpr std::size_t most_held = std::size_t{1} << 20U;

}  // namespace

// ---- sends

/// The way of one message, from the states of sender and receiver.
struct transfers::route {
  peer* to = nullptr;          ///< the sender's record of the receiver
  transfers* there = nullptr;  ///< receiver on this PE; null: the packet is sent to PE `place`
  peer* from = nullptr;        ///< the receiver's record of the sender
  request* receive = nullptr;  ///< the receiver's posted receive that matches, taken from its matcher
  int place = 0;
  bool is_expected = true;  ///< the receiver expects this message next
  bool is_eager = false;
  bool same_process = true;
};

[[gnu::always_inline]] inline transfers::route transfers::find_route(const envelope& head,
                                                                     std::uint64_t bytes, int to,
                                                                     send_mode mode) {
  const current_pe pe;
  const auto ranks = ranks_beside(owner_);
  const auto key = static_cast<std::uint64_t>(to);
  route way;
  way.to = &peers_[static_cast<std::uint32_t>(to)];
  if (pe.queues_plainly()) [[likely]] {
    if (auto* const its = ranks.find(key)) {
      way.there = &its->messages;
      way.from = &way.there->peers_[static_cast<std::uint32_t>(number_)];
      way.is_expected = way.from->expected == way.to->sent;
      if (way.is_expected) [[likely]]
        way.receive = way.there->matcher_.take_receive(head);
      way.is_eager = mode == send_mode::standard && bytes <= program_.eager_between_processes;
      return way;
    }
  }
  way.place = ranks.place_of(key);
  // Simulated time needs a message: its duration depends on the size of its data.
  const bool is_message = pe.run().settings().machine == machine_kind::simulated && way.place != pe.number();
  way.same_process = pe.run().holds(way.place) && !is_message;
  way.is_eager = mode == send_mode::standard &&
                 bytes <= (way.same_process ? program_.eager_between_pes : program_.eager_between_processes);
  return way;
}

template <class Make>
[[gnu::always_inline]] inline bool transfers::fill_posted(const route& way, const envelope& head,
                                                          const std::byte* data, std::uint64_t bytes,
                                                          Make make) {
  // Counts the message before any notification: a notified rank may send more.
  const std::uint32_t sequence = way.to->sent++;
  ++way.from->expected;
  const bool is_on_device = way.receive->on != nullptr;
  if (is_on_device) [[unlikely]] {
    way.there->give(*way.receive, make(sequence));
  } else {
    way.there->fill(*way.receive, head, data, bytes);
    way.there->owner_.complete(*way.receive);
  }
  if (way.from->has_early()) [[unlikely]]
    way.there->accept_early(*way.from);
  return is_on_device;
}

/// Passes a packet along a route without a posted receive.
[[gnu::always_inline]] inline void transfers::pass(const route& way, packet& p, int to) {
  if (way.there == nullptr) {
    p.collection = ranks_beside(owner_).collection();
    p.key = static_cast<std::uint64_t>(to);
    return current_pe().send(p, way.place);
  }
  if (!way.is_expected) return way.from->keep_early(p);
  ++way.from->expected;
  way.there->keep(p);
  if (way.from->has_early()) [[unlikely]]
    way.there->accept_early(*way.from);
}

[[gnu::noinline]] void transfers::send(request& q, int to, send_mode mode) {
  q.peer = to;
  if (q.on != nullptr) [[unlikely]]
    return on_devices_.send(q, to);
  const route way = find_route(q.head, q.size, to, mode);
  bool is_done = way.is_eager;
  if (way.receive != nullptr)
    is_done = !fill_posted(way, q.head, q.buffer, q.size, [&](std::uint32_t sequence) -> packet& {
      return make_packet(q, sequence, false, true);
    });
  else
    pass(way, make_packet(q, way.to->sent++, way.is_eager, way.same_process), to);
  if (is_done) owner_.complete(q);
}

[[gnu::noinline]] bool transfers::send_at_once(const envelope& head, const std::byte* data,
                                               std::uint64_t bytes, int to) {
  if (!current_pe().queues_plainly()) return false;
  const outside_program runtime;
  const route way = find_route(head, bytes, to, send_mode::standard);
  if (way.receive != nullptr)
    fill_posted(way, head, data, bytes,
                [&](std::uint32_t sequence) -> packet& { return make_eager(head, data, bytes, sequence); });
  else if (way.is_eager && way.is_expected)
    pass(way, make_eager(head, data, bytes, way.to->sent++), to);
  else
    return false;
  if (way.there != nullptr && way.there->matcher_.bytes_held() > most_held) owner_.give_way();
  return true;
}

packet& transfers::make_eager(const envelope& head, const std::byte* data, std::uint64_t bytes,
                              std::uint32_t sequence) {
  packet& p = packet::make(static_cast<std::size_t>(bytes));
  p.head = head;
  p.from = static_cast<std::uint32_t>(number_);
  p.sequence = sequence;
  p.size = bytes;
  if (bytes > 0) std::memcpy(p.data(), data, bytes);
  return p;
}

packet& transfers::make_packet(request& q, std::uint32_t sequence, bool is_eager, bool same_process) {
  if (is_eager) return make_eager(q.head, q.buffer, q.size, sequence);
  packet& p = make_eager(q.head, nullptr, 0, sequence);
  p.size = q.size;
  p.form = packet_form::offered;
  p.process = static_cast<std::uint32_t>(current_pe().run().process());
  p.address = same_process ? reinterpret_cast<std::uint64_t>(q.buffer) : 0;
  p.offer = q.number = offers_.add(q);
  return p;
}

void transfers::send(packet& p, int to) {
  p.from = static_cast<std::uint32_t>(number_);
  p.sequence = peers_[static_cast<std::uint32_t>(to)].sent++;
  const current_pe pe;
  p.collection = ranks_beside(owner_).collection();
  p.key = static_cast<std::uint64_t>(to);
  if (pe.queues_plainly()) {
    if (auto* const there = ranks_beside(owner_).find(p.key)) return there->messages.take_in_order(p);
  }
  extension::send_to_element<rank_chare>(p);
}

// ---- receives

[[gnu::noinline]] void transfers::receive(request& q) {
  q.peer = request::is_receive;
  if (packet* const p = matcher_.find(q.head)) {
    matcher_.remove(*p);
    return give(q, *p);
  }
  matcher_.post(q);
}

void transfers::receive(request& q, packet& found) {
  q.peer = request::is_receive;
  give(q, found);
}

void transfers::fill(request& receive, const envelope& head, const std::byte* data, std::uint64_t size) {
  receive.note_outcome(head, size);
  if (receive.received > 0) std::memmove(receive.buffer, data, receive.received);
}

/// Passes a packet to a receive, and consumes it.
void transfers::give(request& receive, packet& p) {
  if (receive.on != nullptr || p.form == packet_form::shared) [[unlikely]]
    return on_devices_.give(receive, p);
  if (p.form == packet_form::eager) {
    fill(receive, p.head, p.data(), p.size);
    packet::release(p);
    return owner_.complete(receive);
  }
  const current_pe pe;
  if (p.address != 0 && p.process == static_cast<std::uint32_t>(pe.run().process())) {
    if (owner_.devices.find(reinterpret_cast<const void*>(p.address)) != nullptr) [[unlikely]]
      return on_devices_.give(receive, p);
    fill(receive, p.head, reinterpret_cast<const std::byte*>(p.address), p.size);
    answer_offer(p.from, p.offer, offer_outcome::taken);
    packet::release(p);
    return owner_.complete(receive);
  }
  ask_for_data(receive, p);
}

void transfers::ask_for_data(request& receive, packet& p) {
  receive.note_outcome(p.head, p.size);
  receive.number = receives_.add(receive);
  auto& m = extension::make_message<pull>();
  m.collection = ranks_beside(owner_).collection();
  m.key = p.from;
  m.offer = p.offer;
  m.payload = receive.received;
  m.to = static_cast<std::uint32_t>(number_);
  m.receive = receive.number;
  packet::release(p);
  extension::send_to_element<rank_chare>(m);
}

void transfers::answer_offer(std::uint32_t to, std::uint64_t offer, offer_outcome outcome) {
  const current_pe pe;
  offer_answer answer;
  answer.offer = offer;
  answer.outcome = outcome;
  if (pe.queues_plainly()) {
    if (auto* const there = ranks_beside(owner_).find(to)) return there->messages.take_answer(answer);
  }
  auto& m = extension::make_message<offer_answer>();
  m.collection = ranks_beside(owner_).collection();
  m.key = to;
  m.offer = offer;
  m.outcome = outcome;
  extension::send_to_element<rank_chare>(m);
}

void transfers::keep(packet& p) {
  matcher_.keep(p);
  if (probed_ != nullptr && fits(*probed_, p.head)) {
    probed_ = nullptr;
    found_ = &p;
    owner_.wake();
  }
}

void transfers::accept(packet& p) {
  if (p.form == packet_form::access) return owner_.accesses.deliver(p);
  if (p.form == packet_form::withdrawal) return withdraw(p);
  if (request* const receive = matcher_.take_receive(p.head)) return give(*receive, p);
  keep(p);
}

/// Returns an offer to its sender, unless a receive or a probe has matched it.
void transfers::withdraw(packet& p) {
  packet* payload = matcher_.find_offer(p.from, p.offer);
  if (payload == found_) payload = nullptr;  // a probe is about to return it
  answer_offer(p.from, p.offer, payload != nullptr ? offer_outcome::withdrawn : offer_outcome::matched);
  if (payload != nullptr) {
    matcher_.remove(*payload);
    packet::release(*payload);
  }
  packet::release(p);
}

void transfers::accept_early(peer& from) {
  while (packet* const next = from.take_expected()) accept(*next);
}

void transfers::take_in_order(packet& p) {
  peer& from = peers_[p.from];
  if (from.expected != p.sequence) return from.keep_early(p);
  ++from.expected;
  accept(p);
  accept_early(from);
}

void transfers::serve_pull(const pull& p) {
  request* const q = offers_.find(p.offer);
  if (q == nullptr || p.payload > q->size || p.to >= static_cast<std::uint32_t>(program_.ranks))
    throw imbrex::error("rank " + std::to_string(p.to) + " asks rank " + std::to_string(number_) +
                        " for data that it has not offered");
  auto& m = extension::make_message<long_data>();
  m.collection = ranks_beside(owner_).collection();
  m.key = p.to;
  m.receive = p.receive;
  m.from = static_cast<std::uint32_t>(number_);
  m.offer = p.offer;
  m.bytes = on_devices_.data_of(*q);
  m.size = p.payload;
  extension::send_to_element<rank_chare>(m);
}

std::byte* transfers::place_for(std::uint64_t receive, std::uint64_t bytes) const {
  const request* const q = receives_.find(receive);
  if (q == nullptr || bytes != q->received) return nullptr;
  return q->on == nullptr ? q->buffer : on_devices_.place_for(receive);
}

void transfers::take_data(long_data& d) {
  request* const q = receives_.find(d.receive);
  if (q == nullptr || d.size != q->received)
    throw imbrex::error("rank " + std::to_string(d.from) + " sends rank " + std::to_string(number_) +
                        " data that it has not requested");
  receives_.remove(d.receive);
  if (q->on != nullptr) [[unlikely]]
    return on_devices_.land(*q, d);
  if (!d.has_landed && d.size > 0) std::memcpy(q->buffer, d.bytes, d.size);
  answer_offer(d.from, d.offer, offer_outcome::taken);
  owner_.complete(*q);
}

void transfers::take_answer(const offer_answer& a) {
  request* const q = offers_.find(a.offer);
  if (q == nullptr || a.outcome == offer_outcome::matched) return;
  offers_.remove(a.offer);
  if (q->on != nullptr) on_devices_.end_offer(a.offer);
  q->is_cancelled = a.outcome == offer_outcome::withdrawn;
  owner_.complete(*q);
}

void transfers::cancel(request& q) {
  if (q.is_done) return;
  if (q.peer == request::is_receive) {
    if (!matcher_.withdraw(q)) return;
    q.is_cancelled = true;
    return owner_.complete(q);
  }
  packet& p = packet::make(0);
  p.form = packet_form::withdrawal;
  p.head = q.head;
  p.offer = q.number;
  send(p, q.peer);
}

packet& transfers::take_probed() { return *std::exchange(found_, nullptr); }

}  // namespace imbrex::mpi
