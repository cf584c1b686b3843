// SPDX-License-Identifier: Apache-2.0
// Kernels of one operation each. scripts/check_instructions.py says which instructions they must become.
#include <cstdint>

#include <imbrex/resident/transport/crossing.hpp>
#include <imbrex/resident/transport/mailbox.hpp>
#include <imbrex/resident/transport/memory.hpp>
#include <imbrex/resident/transport/near_ring.hpp>
#include <imbrex/resident/transport/parcel_pool.hpp>
#include <imbrex/resident/transport/quiescence.hpp>
#include <imbrex/resident/transport/ring.hpp>
#include <imbrex/resident/transport/trigger.hpp>

using imbrex::resident::is_ordered;
using imbrex::resident::item;
using imbrex::resident::native_memory;
using imbrex::resident::wide_word;
using box = imbrex::resident::mailbox<native_memory>;
using imbrex::resident::system_memory;
using way = imbrex::resident::crossing<native_memory, system_memory>;
using neighbour = imbrex::resident::near_ring<imbrex::resident::cluster_memory>;
using pool = imbrex::resident::parcel_pool<native_memory>;

extern "C" {

__global__ void poll_of_a_mailbox(box b, std::uint32_t head, wide_word* out) { *out = b.look(head); }

__global__ void send_of_8_bytes(box b, std::uint32_t next, std::uint64_t body, std::uint32_t meta,
                                std::uint32_t* out) {
  std::uint32_t ticket;
  const bool did = b.try_send(next, ticket, {body, meta & ~is_ordered});
  *out = did ? next : ticket;
}

__global__ void send_with_memory(box b, std::uint32_t next, std::uint64_t body, std::uint32_t meta,
                                 std::uint32_t* out) {
  std::uint32_t ticket;
  const bool did = b.try_send(next, ticket, {body, meta | is_ordered});
  *out = did ? next : ticket;
}

__global__ void send_across(way w, std::uint32_t ticket, std::uint64_t body, std::uint32_t meta,
                            std::uint32_t* out) {
  *out = w.try_fill(ticket, {body, meta & ~is_ordered});
}

__global__ void signal_across(way w, std::uint32_t ticket, std::uint64_t body, std::uint32_t meta,
                              std::uint32_t* out) {
  *out = w.try_fill(ticket, {body, meta | is_ordered});
}

__global__ void take_across(way w, std::uint32_t head, std::uint64_t* out) {
  item i;
  if (w.try_take(head, i)) *out = i.body + i.meta + *out;
}

__global__ void send_to_a_neighbour(neighbour w, std::uint32_t n, std::uint64_t body, std::uint32_t meta,
                                    std::uint32_t* out) {
  *out = w.try_fill(n, {body, meta & ~is_ordered});
}

__global__ void take_of_a_neighbour(neighbour w, std::uint32_t head, std::uint64_t* out) {
  item i;
  if (w.try_take(head, i)) *out = i.body + i.meta + *out;
}

__global__ void take(box b, std::uint32_t head, std::uint64_t* out) {
  item i;
  if (b.try_take(head, i)) *out = i.body + i.meta + *out;
}

__global__ void give_back(pool p, std::uint32_t one) { p.give_back(one); }

__global__ void take_back(pool p, pool::owned own_state, std::uint32_t* out) { *out = p.take(own_state); }

__global__ void signal(imbrex::resident::signal_count<native_memory>* count, std::uint32_t* out) {
  *out = count->add(3);
}

__global__ void publish(std::uint32_t* finished, std::uint32_t n) {
  native_memory::store_release(*finished, n);
}

__global__ void look_for_quiescence(std::uint32_t* finished, std::uint32_t* tails, std::uint32_t* seen,
                                    std::uint32_t* out) {
  const auto tail_of = [tails](std::uint32_t pe) -> std::uint32_t& { return tails[pe * 32]; };
  *out = imbrex::resident::quiescent<native_memory>(finished, tail_of, seen, 1);
}

__global__ void look_at_the_host(imbrex::resident::ring<system_memory> r, std::uint32_t own_state,
                                 std::uint32_t* out) {
  *out = r.has_some(own_state);
}

__global__ void fill_for_the_host(imbrex::resident::ring<system_memory> r, std::uint32_t own_state,
                                  std::uint32_t known, std::uint32_t* slots) {
  if (!r.has_room(own_state, known)) return;
  slots[r.place(own_state)] = 7;
  r.fill(own_state);
}

}  // extern "C"
