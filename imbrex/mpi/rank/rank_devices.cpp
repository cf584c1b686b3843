// SPDX-License-Identifier: Apache-2.0
// The functions of `device_transfers`: they find other ranks, which device_transfers.hpp does not know.
#include <imbrex/mpi/rank/rank.hpp>

#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/core/extension/device.hpp>
#include <imbrex/device/error.hpp>
#include <imbrex/mpi/memory/device_copy.hpp>
#include <imbrex/mpi/object/error.hpp>
#include <imbrex/mpi/rank/packet.hpp>

namespace imbrex::mpi {

using detail::pooled_memory;
using extension::current_pe;

namespace {

struct packet_release {
  void operator()(packet* p) const noexcept { packet::release(*p); }
};
using packet_owner = std::unique_ptr<packet, packet_release>;

/// Pinned memory for data on the way to or from a device. Throws mpi::error (MPI_ERR_NO_MEM).
pooled_memory pinned_for(device& of, std::uint64_t bytes) {
  try {
    return {of, memory_kind::pinned, static_cast<std::size_t>(bytes), 1};
  } catch (const device_out_of_memory& e) {
    throw error(MPI_ERR_NO_MEM, e.what());
  }
}

}  // namespace

/// A receive whose data a device copies from the sender's memory or from the packet.
struct device_transfers::arrival {
  device_transfers& at;
  request& receive;
  packet_owner from;

  void end() {
    if (is_offer(from->form)) at.all_.answer_offer(from->from, from->offer, offer_outcome::taken);
    from.reset();
    at.owner_.complete(receive);
  }
};

/// A receive whose data have arrived in a host buffer.
struct device_transfers::landing {
  rank& to;
  request& receive;
  pooled_memory host;

  void end() {
    host.release();
    to.complete(receive);
  }
};

/// A packet that is sent once its data are in the host buffer that the rank keeps for the offer.
struct device_transfers::departure {
  packet_owner what;
  int place;

  void end() { current_pe().send(*what.release(), place); }
};

void device_transfers::send(request& q, int to) {
  const current_pe pe;
  const auto ranks = ranks_beside(owner_);
  const auto key = static_cast<std::uint64_t>(to);
  const int place = ranks.place_of(key);
  const bool same_process = pe.run().holds(place);
  std::optional<memory_key> shared;
  if (!same_process && q.on->info().keeps_data && extension::may_share_memory(place))
    shared = q.on->backend().key_of(q.buffer);
  pooled_memory host;
  if (!same_process && !shared) {
    extension::require_no_sharing(place, *q.on);
    host = pinned_for(*q.on, q.size);
  }

  peer& with = all_.peers_[static_cast<std::uint32_t>(to)];
  packet* p = nullptr;
  if (shared) {
    p = &packet::make(sizeof *shared);
    std::memcpy(p->data(), &*shared, sizeof *shared);
    p->head = q.head;
    p->from = static_cast<std::uint32_t>(all_.number_);
    p->sequence = with.sent++;
    p->size = q.size;
    p->form = packet_form::shared;
    p->process = static_cast<std::uint32_t>(pe.run().process());
    p->offer = q.number = all_.offers_.add(q);
  } else {
    p = &all_.make_packet(q, with.sent++, false, same_process);
  }
  p->collection = ranks.collection();
  p->key = key;
  if (same_process && pe.queues_plainly())
    if (auto* const there = ranks.find(key)) return there->messages.take_in_order(*p);
  if (!host) return pe.send(*p, place);
  auto leaves = std::make_unique<departure>(packet_owner(p), place);
  void* const copied = host.address();
  leaving_.emplace(q.number, std::move(host));
  notify_when_done(order_copy(copied, nullptr, q.buffer, q.on, static_cast<std::size_t>(q.size)),
                   receiver_for(std::move(leaves)));
}

const std::byte* device_transfers::data_of(const request& q) const {
  return q.on == nullptr ? q.buffer : static_cast<const std::byte*>(leaving_.at(q.number).address());
}

void device_transfers::give(request& receive, packet& p) {
  receive.note_outcome(p.head, p.size);
  const auto process = static_cast<std::uint32_t>(current_pe().run().process());
  const void* from = nullptr;
  device* from_on = nullptr;
  if (p.form == packet_form::eager) {
    from = p.data();
  } else if (p.form == packet_form::shared) {
    memory_key key;
    std::memcpy(&key, p.data(), sizeof key);
    from_on = &gpu();
    from = from_on->backend().find(key);
    if (from == nullptr)
      throw imbrex::error("memory of a device of another process of this host cannot be found from " +
                          from_on->info().label() + "; run with --gpu-path host");
  } else if (p.address != 0 && p.process == process) {
    from = reinterpret_cast<const void*>(p.address);
    from_on = owner_.devices.find(from);
  } else {
    pooled_memory host;
    if (receive.received > 0) host = pinned_for(*receive.on, receive.received);
    all_.ask_for_data(receive, p);
    if (host) coming_.emplace(receive.number, std::move(host));
    return;
  }
  auto arrives = std::make_unique<arrival>(*this, receive, packet_owner(&p));
  if (receive.received == 0) return arrives->end();
  notify_when_done(
      order_copy(receive.buffer, receive.on, from, from_on, static_cast<std::size_t>(receive.received)),
      receiver_for(std::move(arrives)));
}

void device_transfers::land(request& q, long_data& d) {
  all_.answer_offer(d.from, d.offer, offer_outcome::taken);
  auto node = coming_.extract(d.receive);
  if (node.empty()) return owner_.complete(q);  // no bytes
  auto lands = std::make_unique<landing>(owner_, q, std::move(node.mapped()));
  void* const host = lands->host.address();
  if (!d.has_landed) std::memcpy(host, d.bytes, static_cast<std::size_t>(d.size));
  notify_when_done(order_copy(q.buffer, q.on, host, nullptr, static_cast<std::size_t>(d.size)),
                   receiver_for(std::move(lands)));
}

std::byte* device_transfers::place_for(std::uint64_t receive) const {
  return static_cast<std::byte*>(coming_.at(receive).address());
}

}  // namespace imbrex::mpi
