// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <imbrex/coro/scope.hpp>

namespace imbrex {

namespace detail {
class local_array;
}

/// What the runtime keeps for each chare, directly before the object. Its PE's.
struct chare_header {
  chare_header();
  ~chare_header();
  chare_header(const chare_header&) = delete;
  chare_header& operator=(const chare_header&) = delete;

  detail::local_array* home = nullptr;  ///< this PE's part of the array
  scope* entries = nullptr;             ///< begun and not ended
  static constexpr std::uint32_t no_slot = 0xffffffff;
  std::uint32_t slot = no_slot;   ///< in `home`'s list of local elements; none while it is constructed
  std::int32_t destination = -1;  ///< PE to migrate to at the next opportunity; -1 for none
  std::uint64_t reductions = 0;   ///< all_reduce calls so far
  std::uint64_t broadcasts = 0;   ///< number of the last broadcast received
  std::uint64_t epoch = 1;        ///< how often elements of its key have migrated, ended and been inserted
  std::uint64_t born = 1;         ///< the epoch at which this one was inserted
  bool dying = false;
  bool departure_queued = false;
  bool asks_itself = false;  ///< to migrate: it did, and nobody else
  bool travels =
      false;  ///< between its departure and its arrival, when its class may run, but not move or end it
  /// Calls of all_reduce by section.
  std::unique_ptr<std::vector<std::pair<std::uint64_t, std::uint64_t>>> section_reductions;
};

namespace detail {

/// Frees an entry that has ended or must end: its frames, its message, itself.
void end_scope(scope& s);

}  // namespace detail
}  // namespace imbrex
