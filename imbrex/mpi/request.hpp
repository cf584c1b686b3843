// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <imbrex/mpi/packet.hpp>

namespace imbrex {
class device;
}

namespace imbrex::mpi {

// As in mpi.h.
inline constexpr std::int32_t any_source = -2;
inline constexpr std::int32_t any_tag = -1;

/// One send or receive that has begun: its data as bytes in memory, what it is matched by, and what has
/// become of it. It stays where it is until it is done.
struct request {
  // What a receive is matched by; of a send, what it is known by.
  envelope head;

  std::byte* buffer = nullptr;
  std::uint64_t size = 0;  ///< bytes to send, or room for what is received
  device* on = nullptr;    ///< the device whose memory that is; null: the host's
  static constexpr std::int32_t is_receive = -1;
  static constexpr std::int32_t is_several = -2;
  std::int32_t peer = 0;  ///< of a send, the receiver among all ranks; else one of these

  bool is_done = false;
  bool is_cancelled = false;
  bool is_too_long = false;  ///< what came had more bytes than there was room
  bool is_posted = false;    ///< a receive that is among those of the matcher
  bool is_awaited = false;   ///< the rank goes on when enough of these are done
  /// Called where it is done, before whoever awaits it goes on; it may destroy the request.
  void (*finished)(request& done) = nullptr;

  // Of what was received; `head` may have any source and any tag.
  std::int32_t source = any_source;
  std::int32_t tag = any_tag;
  std::uint64_t received = 0;  ///< bytes, no more than `size`

  std::uint64_t number = 0;  ///< of an offer, or of a receive that has asked for its data
  // Among the receives of a matcher.
  std::uint64_t posted_as = 0;
  request* next = nullptr;
  request* previous = nullptr;
};

}  // namespace imbrex::mpi
