// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include <imbrex/net/endpoint/shared_window.hpp>
#include <imbrex/net/fabric.hpp>
#include <imbrex/serial/writer.hpp>

// What an endpoint knows of its peers and of messages on their way.
namespace imbrex::endpoints {

/// A batch of so many bytes is full. After a look at the network the first is shorter, so that the other side
/// begins soon; each further one may be twice as long.
inline constexpr std::size_t first_full_batch = 768;
inline constexpr std::size_t last_full_batch = 4096;

/// Another endpoint.
struct peer {
  fabric_connection link;
  bool is_of_one_pe = true;
  writer waiting;                             ///< the batch of items that wait
  bool is_listed = false;                     ///< among those with a batch
  std::size_t full_batch = first_full_batch;  ///< bytes from which on it leaves
  std::size_t kept = 0;                       ///< short messages that the fabric has not sent yet
  neighbour near;                             ///< if it is on this host
};

/// What a fabric still reads: packed bytes, and an item that has a block of its own.
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
  peer* crowded = nullptr;  ///< by this one, which is short
};

/// What a fabric fills: the message was too long to come unasked (rendezvous).
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
  std::unique_ptr<std::byte[]> bytes;  ///< of a message as a whole
  detail::work* item = nullptr;        ///< or what it is unpacked to, but for a block
  int pe = 0;                          ///< that the item is for
  std::byte* place = nullptr;          ///< of either
  std::optional<trial_mark> tried;
  shared_window::time_point begun;  ///< if it is tried
};

}  // namespace imbrex::endpoints
