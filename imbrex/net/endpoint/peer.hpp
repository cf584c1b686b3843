// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include <imbrex/net/endpoint/shared_window.hpp>
#include <imbrex/net/fabric.hpp>
#include <imbrex/serial/writer.hpp>

// An endpoint's view of its peers and of messages in transfer.
namespace imbrex::endpoints {

/// Sizes in bytes from which a batch is full. After a poll of the network the first batch is shorter, so that
/// the receiver begins soon. Each further batch may be twice as long.
inline constexpr std::size_t first_full_batch = 768;
inline constexpr std::size_t last_full_batch = 4096;

/// Another endpoint.
struct peer {
  fabric_connection link;
  bool is_of_one_pe = true;
  writer waiting;                             ///< the batch of waiting items
  bool is_listed = false;                     ///< listed in `peers_with_batches_`
  std::size_t full_batch = first_full_batch;  ///< bytes from which on the batch leaves
  std::size_t kept = 0;                       ///< number of short messages that the fabric has not sent yet
  neighbour near;                             ///< used if the peer is on this host
};

/// A transfer that a fabric still reads: packed bytes, and an item with a block of its own.
struct departure : fabric_transfer {
  using fabric_transfer::fabric_transfer;
  departure(const departure&) = delete;
  departure& operator=(const departure&) = delete;
  ~departure() {
    if (item != nullptr) item->type->destroy(*item);
  }

  std::size_t held_at = 0;
  std::vector<std::byte> bytes;
  detail::work* item = nullptr;
  std::size_t size = 0;
  peer* crowded = nullptr;  ///< peer whose `kept` counts this message; null for a longer one
};

/// A transfer that a fabric fills: a message so long that it was offered (rendezvous).
struct arrival : fabric_transfer {
  arrival(fabric_events& to, unsigned k, std::size_t length) : fabric_transfer(to), kind(k), size(length) {}
  arrival(const arrival&) = delete;
  arrival& operator=(const arrival&) = delete;
  ~arrival() {
    if (item != nullptr) item->type->destroy(*item);
  }

  unsigned kind;
  std::size_t size;
  std::size_t held_at = 0;
  std::unique_ptr<std::byte[]> bytes;  ///< buffer of a message received as a whole
  detail::work* item = nullptr;        ///< or the unpacked item, without its block
  int pe = 0;                          ///< PE that the item is for
  std::byte* place = nullptr;          ///< destination, in `bytes` or in `item`
  std::optional<trial_mark> tried;
  shared_window::time_point begun;  ///< only if the message is part of a trial
};

}  // namespace imbrex::endpoints
