// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <imbrex/mpi/rank/envelope.hpp>

namespace imbrex {
class device;
}

namespace imbrex::mpi {

// Values as in mpi.h.
inline constexpr std::int32_t any_source = -2;
inline constexpr std::int32_t any_tag = -1;

/// One send or receive that has begun: its data as bytes in memory, its envelope, and its outcome. The object
/// must not move until it is done.
struct request {
  // Envelope: matched for a receive, reported for a send.
  envelope head;

  std::byte* buffer = nullptr;
  std::uint64_t size = 0;  ///< bytes to send, or room of a receive
  device* on = nullptr;    ///< device that holds the buffer; null: the host
  static constexpr std::int32_t is_receive = -1;
  static constexpr std::int32_t is_several = -2;
  std::int32_t peer = 0;  ///< receiver among all ranks, or `is_receive` or `is_several`

  bool is_done = false;
  bool is_cancelled = false;
  bool is_too_long = false;  ///< the message was longer than `size`
  bool is_posted = false;    ///< a receive in the matcher's lists
  bool is_awaited = false;   ///< counts towards the rank's `awaited_`
  /// Called on completion, before the awaiting rank continues; may destroy the request.
  void (*finished)(request& done) = nullptr;

  // Envelope of the received message; `head` may have any source and any tag.
  std::int32_t source = any_source;
  std::int32_t tag = any_tag;
  std::uint64_t received = 0;  ///< bytes, at most `size`
  /// Notes that this receive has matched a message of `bytes` bytes.
  void note_outcome(const envelope& of_message, std::uint64_t bytes) {
    source = of_message.source;
    tag = of_message.tag;
    is_too_long = bytes > size;
    received = bytes < size ? bytes : size;
  }

  std::uint64_t number = 0;  ///< number of the offer, or of the receive that has requested its data
  // Links of the matcher's lists of receives.
  std::uint64_t posted_as = 0;
  request* next = nullptr;
  request* previous = nullptr;
};

}  // namespace imbrex::mpi
