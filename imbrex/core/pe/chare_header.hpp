// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/base/owner.hpp>
#include <imbrex/coro/scope.hpp>

namespace imbrex {

class reader;
class writer;

namespace detail {

class local_array;

/// Number of all_reduce calls of a chare, by section.
class section_counts {
 public:
  section_counts();
  ~section_counts();
  section_counts(const section_counts&) = delete;
  section_counts& operator=(const section_counts&) = delete;

  /// Counts a call. Returns the number of earlier ones over this section.
  std::uint64_t count(std::uint64_t section_id);
  void serialize(writer& out) const;
  void serialize(reader& in);

 private:
  struct list;
  owner<list> list_;  ///< null until the first call
};

}  // namespace detail

/// The work of an element while a `load_meter` is attached. A balancer ends its periods.
struct measured_load {
  std::uint64_t now = 0;       ///< time of its entries that no period has, in the meter's unit
  std::uint64_t at_point = 0;  ///< the part of `now` before its last balance point
  float last = -1;             ///< load of the last period, in the balancer's unit; below 0: unknown
  float before = -1;           ///< load of the period before that; below 0 if there was none
  float beside = 0;            ///< seconds of work that it had others do, which no period has
  float beside_at_point = 0;   ///< the part of `beside` before its last balance point
  float elapsed_beside = 0;    ///< as `beside`, where work that takes a share of the others counts in full
  float elapsed_beside_at_point = 0;
  std::uint64_t sent = 0;           ///< messages that it sent and no period has, as `sent_messages::packed`
  std::uint64_t sent_at_point = 0;  ///< the part of `sent` before its last balance point
  float last_beside = 0;            ///< that work of the last period, and of the period before that; seconds
  float before_beside = 0;
  float last_elapsed_beside = 0;
  float last_bytes = 0;              ///< bytes of the messages sent in the last period
  float last_messages = 0;           ///< number of those messages
  std::uint32_t balance_points = 0;  ///< balance points that it has passed in this period
  std::uint8_t point_periods = 0;    ///< periods for which balance points are expected, as it passed some
  bool has_stayed = false;           ///< a request to migrate came when it could not leave
  bool is_apart = false;             ///< the element's time is not counted now
};

/// The runtime's data for one chare, directly before the object. Only the chare's PE touches it.
struct chare_header {
  chare_header();
  ~chare_header();
  chare_header(const chare_header&) = delete;
  chare_header& operator=(const chare_header&) = delete;

  detail::local_array* home = nullptr;  ///< this PE's part of the array
  scope* entries = nullptr;             ///< the entries that have begun and not ended
  static constexpr std::uint32_t no_slot = 0xffffffff;
  std::uint32_t slot = no_slot;   ///< index in `home`'s list of local elements; `no_slot` during construction
  std::int32_t destination = -1;  ///< PE to migrate to at the next opportunity; -1 for none
  std::uint64_t reductions = 0;   ///< all_reduce calls so far
  std::uint64_t broadcasts = 0;   ///< number of the last broadcast received
  std::uint64_t epoch = 1;        ///< number of migrations, ends and insertions of elements with this key,
                                  ///< plus 1
  std::uint64_t born = 1;         ///< the epoch at which this element was inserted
  bool dying = false;
  bool departure_queued = false;
  bool asks_itself = false;  ///< the element itself requested its migration
  bool travels =
      false;  ///< from departure to arrival: code of the class may run, but must not move or end the element
  measured_load load;
  detail::section_counts section_reductions;

  /// Packs what migrates with the element, besides its key.
  void serialize_state(writer& out) const;
  void serialize_state(reader& in);
};

namespace detail {

/// Frees an entry that has ended or must end: its frames, its message and the scope itself.
void end_scope(scope& s);

}  // namespace detail
}  // namespace imbrex
