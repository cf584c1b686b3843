// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <ucp/api/ucp.h>

#include <imbrex/net/packing.hpp>
#include <imbrex/net/ucx/shared_memory.hpp>
#include <imbrex/net/ucx/ucx_port.hpp>
#include <imbrex/serial/writer.hpp>

// What a port knows of a message on its way, and of its peers: for the files that ucx_port is made of.
namespace imbrex::ucx {

/// What UCX still reads: packed bytes, and an item that has a block of its own.
struct ucx_port::departure {
  explicit departure(ucx_port& p) : from(p) {}
  departure(const departure&) = delete;
  departure& operator=(const departure&) = delete;
  ~departure() {
    if (item != nullptr) item->type->destroy(*item);
  }

  ucx_port& from;
  std::size_t held_at = 0;
  std::vector<std::byte> bytes;
  work* item = nullptr;
  std::size_t size = 0;
  peer* crowded = nullptr;  ///< by this one, which is short

  static void ended(void* request, ucs_status_t status, void* self);
};

/// What UCX fills: the message was too long to come unasked (rendezvous).
struct ucx_port::arrival {
  arrival(ucx_port& p, kind k, std::size_t length) : to(p), what(k), size(length) {}
  arrival(const arrival&) = delete;
  arrival& operator=(const arrival&) = delete;
  ~arrival() {
    if (item != nullptr) item->type->destroy(*item);
  }

  ucx_port& to;
  kind what;
  std::size_t size;
  std::size_t held_at = 0;
  std::unique_ptr<std::byte[]> bytes;  ///< of a message as a whole
  work* item = nullptr;                ///< or what it is unpacked to, but for a block
  int pe = 0;                          ///< that the item is for
  std::byte* place = nullptr;          ///< of either

  static void ended(void* request, ucs_status_t status, std::size_t bytes, void* self);
  void end(ucs_status_t status);
};

/// An endpoint, and what is known of the port behind it.
struct ucx_port::peer {
  peer(ucx_port& p, int of) : owner(p), process(of) {}

  ucx_port& owner;
  int process;
  ucp_ep_h endpoint = nullptr;
  bool is_of_one_pe = true;
  writer waiting;                             ///< the batch of items that wait
  bool is_listed = false;                     ///< in `peers_with_batches_`
  std::size_t full_batch = first_full_batch;  ///< bytes from which on it leaves
  std::size_t kept = 0;                       ///< short messages that UCX has not sent yet
  std::size_t sent_unasked = 0;  ///< bytes up to which no rendezvous is wanted, whatever UCX would choose
  std::unique_ptr<foreign_memory> theirs;  ///< what that one has offered
  neighbour_access ours;                   ///< that one's, to this port's memory

  static void failed(void* self, ucp_ep_h, ucs_status_t why) {
    auto& p = *static_cast<peer*>(self);
    p.owner.lost(p.process, why);
  }
};

}  // namespace imbrex::ucx
