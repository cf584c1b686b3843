// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include <imbrex/core/message.hpp>

namespace imbrex {

struct chare_header;

namespace detail {

class collection_base;

/// What the elements of one PE contributed to one all_reduce; knows the types.
class contributions_base {
 public:
  explicit contributions_base(const void* types) : types(types) {}
  virtual ~contributions_base() = default;
  /// Combines them, in the order of the elements' keys, into a message for the root.
  virtual message& fold(std::uint32_t number, std::int64_t change) = 0;

  const void* const types;  ///< equal for equal types of value and operation
};

/// What all PEs contributed to one reduction; at the root, knows the types.
class reduction_values_base {
 public:
  explicit reduction_values_base(const void* types) : types(types) {}
  virtual ~reduction_values_base() = default;
  /// Sends the combined result to everyone who takes part.
  virtual void send_to_elements(collection_base& part, std::uint32_t number) = 0;
  /// Sends it to the one who asked.
  virtual void send_to_caller(collection_base& part, std::uint32_t caller, const reply_address& reply) = 0;

  const void* const types;
};

/// Reductions over an array whose elements migrate, come and go.
///
/// all_reduce: each element counts its calls; its n-th call belongs to reduction n. A PE reports reduction n
/// to the root, once and in order, when all its elements have passed n: the combined value, how many
/// contributed, and by how many the elements that take part changed here through insertion and destruction.
/// An element that arrives after its new PE has reported n contributes directly to the root. The root is done
/// when all PEs have reported and as many have contributed as take part. A PE without elements does not know
/// that a reduction goes on: it tells the root when it becomes empty, and the root asks it.
///
/// reduce (of what a broadcast entry returns): the broadcast itself counts who takes part; see
/// broadcast_station.
///
/// Order of combination: by key within a PE, then by PE. So it is fixed for a given placement.
class reduction_station {
 public:
  reduction_station(collection_base& part, std::uint64_t initial_elements)
      : part_(part), elements_(static_cast<std::int64_t>(initial_elements)) {}
  reduction_station(const reduction_station&) = delete;
  reduction_station& operator=(const reduction_station&) = delete;

  // On each PE.

  /// The reduction that the element's next all_reduce belongs to.
  static std::uint32_t next_of(chare_header& element);
  bool has_reported(std::uint32_t number) const { return number < next_report_; }
  /// The contributions made here to a reduction that has not been reported; null if none yet.
  std::unique_ptr<contributions_base>& contributions(std::uint32_t number);
  /// Who on this PE wants the result.
  void await(std::uint32_t number, const reply_address& who) { waiting_[number].push_back(who); }
  std::vector<reply_address> take_waiting(std::uint32_t number);
  /// A local element contributed to a reduction that has not been reported.
  void contributed(std::uint32_t number);

  void element_created(chare_header& element);
  void element_destroyed(const chare_header& element);
  void element_arrived(const chare_header& element);
  void element_left(const chare_header& element);
  /// The root asks this PE, which may be empty, about a reduction.
  void asked_for(std::uint32_t number);
  /// All elements that the array begins with are there.
  void created();

  // At the root.

  /// Takes a report (`is_report`) or a straggler's contribution.
  void add(std::uint32_t number, int from, std::uint64_t count, std::int64_t change, bool is_report);
  std::unique_ptr<reduction_values_base>& values(std::uint32_t number) { return totals_[number].values; }
  void became_empty(int pe);

  /// One reduction of what a broadcast entry returns.
  struct call {
    std::uint64_t count = 0;
    std::uint64_t expected = ~std::uint64_t{0};  ///< known when the broadcast has been delivered everywhere
    std::uint32_t caller = 0;
    reply_address reply;
    std::unique_ptr<reduction_values_base> values;
  };
  call& call_of(std::uint32_t broadcast) { return calls_[broadcast]; }
  /// Ends a call when all answers are there.
  void check(std::uint32_t broadcast);

 private:
  struct open_reduction {
    std::size_t passed = 0;  ///< local elements that have contributed to it, here or elsewhere
    bool asked = false;
    std::unique_ptr<contributions_base> contributions;
  };
  struct total {
    int reports = 0;
    std::uint64_t count = 0;
    std::int64_t change = 0;
    std::unique_ptr<reduction_values_base> values;
  };

  open_reduction& open(std::uint32_t number);
  void report_what_is_complete();
  void report_first();
  std::int64_t change_until(std::uint32_t number) const;
  void tell_if_empty();

  collection_base& part_;
  std::uint32_t next_report_ = 0;
  std::deque<open_reduction> open_;  ///< from next_report_ on
  std::map<std::uint32_t, std::vector<reply_address>> waiting_;
  /// Of the number of elements, by the first reduction they concern.
  std::map<std::uint32_t, std::int64_t> changes_;

  std::int64_t elements_;  ///< that the array began with
  std::map<std::uint32_t, total> totals_;
  std::map<std::uint32_t, std::vector<bool>> asked_;
  std::vector<bool> empty_;
  std::map<std::uint32_t, call> calls_;
};

}  // namespace detail
}  // namespace imbrex
