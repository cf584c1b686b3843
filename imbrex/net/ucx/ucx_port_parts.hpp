// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <ucp/api/ucp.h>

#include <imbrex/net/packing.hpp>
#include <imbrex/net/ucx/long_path.hpp>
#include <imbrex/net/ucx/shared_memory.hpp>
#include <imbrex/net/ucx/ucx_port.hpp>
#include <imbrex/serial/writer.hpp>

// What a port knows of a message on its way, and of its peers: for the files that ucx_port is made of.
namespace imbrex::ucx {

/// Of a message of a trial, for its receiver, at the end of what describes it.
struct ucx_port::trial_mark {
  std::uint64_t from = 0;   ///< port
  std::uint32_t spent = 0;  ///< by the sender, ns; 0 if that is not known
  std::uint16_t trial = 0;  ///< `path_choice::path_now::trial`: 0 if there is none
  std::uint16_t unused = 0;
};

/// A block in the sender's memory, likewise.
struct ucx_port::block_mark {
  shared_block where;
  trial_mark tried;
};

/// Which path is better for messages of a size class to the port that says so.
struct ucx_port::verdict {
  std::uint64_t from = 0;
  std::uint32_t which = 0;  ///< size class
  std::uint16_t trial = 0;
  long_path better = long_path::memory;
  std::uint8_t unused = 0;
};

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
  std::optional<trial_mark> tried;
  time_point begun;  ///< if it is tried

  static void ended(void* request, ucs_status_t status, std::size_t bytes, void* self);
  void end(ucs_status_t status);
};

/// Whether a port of this host can read what this one's memory holds.
enum class ucx_port::access_to_ours : std::uint8_t { no, unasked, awaited, yes };

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
  access_to_ours access = access_to_ours::no;
  std::array<path_choice, size_class::number> choices;  ///< for messages to that port
  std::array<path_trial, size_class::number> trials;    ///< of messages from there

  static void failed(void* self, ucp_ep_h, ucs_status_t why) {
    auto& p = *static_cast<peer*>(self);
    p.owner.lost(p.process, why);
  }
};

}  // namespace imbrex::ucx
