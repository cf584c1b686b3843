// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <imbrex/base/owner.hpp>
#include <imbrex/core/collective/exchange_base.hpp>
#include <imbrex/core/collective/tree_reduction.hpp>
#include <imbrex/core/pe/array_listener.hpp>

namespace imbrex::detail {

class local_array;
struct requester;

/// Reductions over an array whose elements migrate and are created and destroyed.
///
/// all_reduce: each element counts its calls; its n-th call belongs to reduction n. A PE closes reduction n,
/// once and in order, when all its elements have passed n. When it has closed n and its children in the tree
/// of PEs (`tree_place`) have reported n, it reports n to its parent. The report has the combined value and
/// the number of contributions. It also has the change in the number of participating elements there, through
/// insertion and destruction. An element that arrives after its new PE has closed n contributes directly to
/// the root. The root is done when all PEs have reported, and as many contributions have arrived as elements
/// participate. Then the result goes down the tree. PEs without elements do not know that a reduction is in
/// progress. So a PE notifies its parent when its subtree becomes empty, with the number of the reduction
/// that it will report next. Until this or a later report shows that the subtree has elements again, the
/// parent requests each report.
///
/// reduce (of the results of a broadcast entry): a PE's part is complete when all elements that were there
/// have answered. The broadcast itself counts the participating elements; see broadcast_station.
///
/// Order of combination: by key within a PE, then by PE, bracketed by the tree. Direct contributions come
/// after the subtrees of lower PEs. So the order is fixed for a given placement.
class reduction_station final : public tree_reduction, public array_listener {
 public:
  reduction_station(local_array& part, std::uint64_t initial_elements);
  ~reduction_station();

  // Called on each PE.

  /// A local element calls all_reduce; `who` on this PE wants the result. Returns the number of the
  /// reduction. Throws imbrex::error for a single chare.
  std::uint64_t begin(chare_header& element, const reply_address& who);
  /// The slot for the element's contribution; null if it is the first one here.
  owner<contributions_base>& contributions(std::uint64_t number);
  /// The element's contribution has been added to `contributions(number)`.
  void contributed(std::uint64_t number);
  std::vector<reply_address> take_waiting(std::uint64_t number);
  /// True if this PE has closed the reduction.
  bool has_closed(std::uint64_t number) const { return number < next_report_; }
  /// The exchange that accompanies a reduction; null if none has begun here.
  owner<exchange_base>& exchange_with(std::uint64_t number);
  /// All values that the exchange sent from here have been taken.
  void exchange_was_taken(std::uint64_t number);
  void take_result(const shared_result& result) override;
  void take_work(owner<shared_result, message_deleter> work) override;
  void work_has_begun(std::uint64_t number, const carried_exception& error) override;
  /// All PEs have begun the work, or one has failed.
  void end_work(std::uint64_t number, const carried_exception& error);
  void take_failure(std::uint64_t number, const carried_exception& error) override;

  void element_inserted(chare_header& element) override;
  void element_destroyed(const chare_header& element) override;
  void element_arrived(chare_header& element) override;
  void element_left(const chare_header& element) override;
  /// Waiters for reductions get an error.
  void array_ends() override;
  /// The parent requests a report, since this subtree may be empty.
  void request_report(std::uint64_t number);
  /// All initial elements of the array have been created.
  void created();

  /// Adds a report without a value. `is_report`: of a subtree; otherwise of an ended element.
  void add_bare(const requester& from, std::uint64_t number, std::int64_t change, bool is_report,
                bool has_elements);
  /// Adds a report that has a value, or at the root a direct contribution of an element.
  void add(partial_result& part) override;
  /// A child has notified that its subtree had no elements when it was to report this reduction next.
  void became_empty(const requester& child, std::uint64_t next_report);
  /// A broadcast with results: this PE's elements, or a child's subtree without elements, have answered.
  void add_no_answers(std::uint64_t broadcast);

  // Called at the root.

  /// A broadcast with results has reached all elements, `elements` of them. `wants_end_alone`: there is no
  /// value, so an array without elements is allowed.
  void expect_answers(std::uint64_t broadcast, std::uint64_t elements, bool wants_end_alone,
                      std::uint32_t caller, const reply_address& reply);
  /// Exceptions that were received and wait for the replies of other elements.
  std::vector<carried_exception> held_errors() const;
  bool is_idle() const override;

 private:
  struct call;
  struct open_reduction;
  struct state;

  int parent() const override;
  const std::vector<int>& children() const override;

  /// Ends a call when all replies have arrived, or passes those of this subtree up.
  void check(std::uint64_t broadcast);
  void answer_for_none(const call& done);
  /// The counterpart of `check` for an all_reduce.
  void finish(std::uint64_t number);
  /// Reports have been added to an all_reduce; `child` if this is one of a subtree, else -1.
  void reported(std::uint64_t number, int child, bool has_elements);
  /// True if all values of the accompanying exchange, if there is one, have been taken.
  bool exchange_is_taken(std::uint64_t number);
  void add_error_of_exchange(partial_result& m) const;
  void add_late(std::uint64_t number, owner<contributions_base> alone);
  /// The reduction is in progress; notifies PEs and subtrees without elements, which may not know.
  void goes_on(std::uint64_t number);
  void ask_below(std::uint64_t number);
  void ask(std::size_t child, std::uint64_t number);
  bool subtree_is_empty() const;
  open_reduction& open(std::uint64_t number);
  void report_what_is_complete();
  void report_first();
  /// The change in the number of participating elements up to this reduction, which is reported next.
  std::int64_t change_until(std::uint64_t number);
  void tell_if_empty();
  void tell_parent_if_empty();

  std::uint64_t next_report_ = 0;     ///< the next reduction that this PE closes
  std::uint64_t next_report_up_ = 0;  ///< the next reduction reported to the parent; unused at the root
  owner<state> state_;
};

void fail_reduction_types(local_array& part);
[[noreturn]] void throw_no_peers(const char* what, const chare_header& single);
void fail_empty_reduction(local_array& part, std::uint32_t caller, const reply_address& reply);

}  // namespace imbrex::detail
