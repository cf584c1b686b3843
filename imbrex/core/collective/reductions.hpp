// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include <imbrex/base/owner.hpp>
#include <imbrex/core/collective/exchange_base.hpp>
#include <imbrex/core/message/carried_exception.hpp>
#include <imbrex/core/message/message.hpp>
#include <imbrex/core/message/reply_table.hpp>
#include <imbrex/core/pe/array_listener.hpp>

namespace imbrex::detail {

class local_array;
struct requester;

/// The contributions of the elements of some PEs to one reduction, on the way to the root: their number, and
/// a value. PEs on the way combine the values from below. The value is a member of the derived message
/// (`partial_message`).
struct partial_result : message {
  const bool of_call;         ///< results of a broadcast entry; otherwise contributions to an all_reduce
  bool is_report = false;     ///< report of a whole subtree; otherwise of a late element
  bool has_elements = false;  ///< true if the reporting subtree has elements
  std::uint64_t number = 0;
  std::uint64_t count = 0;
  std::int64_t change = 0;
  carried_exception error;  ///< in place of a value

  /// Prepares the message for combination here, possibly after others have arrived.
  virtual void prepare() = 0;
  /// Combines the value with those of other messages of this kind. The others come later in the order and
  /// lose their values.
  virtual void merge(std::span<const owner<partial_result, message_deleter>> later) = 0;
  virtual bool has_value() const = 0;
  /// A copy of the message without its value, for an exception if the value cannot be packed. Null if it can
  /// always be packed.
  virtual partial_result* spare() const = 0;
  /// Moves the value into a message to the receivers: a `shared_result`, or a reply for a call.
  virtual message& result() = 0;

  void deliver();

 protected:
  explicit partial_result(bool answers_call) : of_call(answers_call) {}
  ~partial_result() = default;

  void serialize_counts(writer& out);
  void serialize_counts(reader& in);
};
using owned_partial = owner<partial_result, message_deleter>;

/// Sent from the root down the tree: the result of an all_reduce. The value is a member of the derived
/// message.
struct shared_result : message {
  std::uint64_t number = 0;

  virtual shared_result& copy() const = 0;
  virtual const void* content() const = 0;
  /// Gives one waiter a copy of the value.
  virtual void give(reply_target& to) const = 0;
  /// True if all PEs have to do some work before there is a value. Each PE gets a request to begin. When all
  /// have begun, each PE with waiters gets a request to end.
  virtual bool is_shared_work() const { return false; }
  virtual void begin_work() {}
  virtual void end_work() {}

  void deliver();

 protected:
  ~shared_result() = default;
};

/// Describes the current exception, which left the combination of values. `collection`: the array's number; 0
/// if unknown.
carried_exception thrown_by_reduction(std::uint64_t collection = 0);

/// Sends the result of a reduction, or the exception, to the caller.
void answer(partial_result& all, std::uint32_t caller, const reply_address& reply,
            const char* what = "a reduction");

/// Sends a partial result to a PE, with an exception instead if the value cannot be packed.
void dispatch_partial(partial_result& m, int to);
/// Gives a partial result to this PE's part of its array, as the replies of its elements to a broadcast.
void answer_from_here(partial_result& m);

/// The contributions of one PE's elements to one all_reduce; derived classes know the types.
class contributions_base {
 public:
  virtual ~contributions_base() = default;

  /// Equal for equal types of value and operation.
  const message_type& kind() const { return whole_->kind(); }
  /// Combines the contributions, in the order of the elements' keys, into a message for the root.
  partial_result& combine();

 protected:
  explicit contributions_base(partial_result& whole) : whole_(&whole) {}
  virtual std::size_t size() const = 0;
  virtual void fold(partial_result& into) = 0;

 private:
  owned_partial whole_;
};

/// The contributions of a PE and its subtree to one reduction.
class reduction_values {
 public:
  bool empty() const { return parts_.empty(); }
  /// Adds a message. False if its types differ from those of earlier messages.
  bool add(partial_result& part);
  /// Combines the values, in the order of the PEs.
  owned_partial combine();
  /// The exception that takes the place of a value; empty if there is none.
  carried_exception error() const;

 private:
  std::vector<owned_partial> parts_;
};

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
class reduction_station final : public array_listener {
 public:
  reduction_station(local_array& part, std::uint64_t initial_elements);
  ~reduction_station();
  reduction_station(const reduction_station&) = delete;
  reduction_station& operator=(const reduction_station&) = delete;

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
  /// The result of a reduction has arrived for the waiters.
  void take_result(const shared_result& result);
  /// A work request to all PEs has arrived. Takes the message.
  void take_work(shared_result& work);
  /// This PE, or the subtree of a child, has begun its work, or has failed.
  void work_has_begun(std::uint64_t number, const carried_exception& error);
  /// All PEs have begun the work, or one has failed.
  void end_work(std::uint64_t number, const carried_exception& error);
  void take_failure(std::uint64_t number, const carried_exception& error);
  /// A reduction has failed at the root; passes that down.
  void fail(std::uint64_t number, const carried_exception& error);

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
  /// Adds a report that has a value.
  void add(partial_result& part);
  /// A child has notified that its subtree had no elements when it was to report this reduction next.
  void became_empty(const requester& child, std::uint64_t next_report);
  /// A broadcast with results: this PE's elements, or a child's subtree without elements, have answered.
  void add_no_answers(std::uint64_t broadcast);
  /// Passes a result to the PEs below, or the exception if the result cannot be copied or packed.
  void pass_down(const shared_result& result);
  void pass_down(std::uint64_t number, const carried_exception& error);

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
  struct total;
  struct state;

  /// Ends a call when all replies have arrived, or passes those of this subtree up.
  void check(std::uint64_t broadcast);
  void answer_for_none(const call& done);
  void report_up(std::uint64_t broadcast, call&& done);
  /// The counterparts of `check` and `report_up` for an all_reduce.
  void finish(std::uint64_t number);
  void report_up(std::uint64_t number, total&& done);
  /// Adds a report, of a child or this PE, or at the root a direct contribution of an element.
  void add(std::uint64_t number, int from, std::uint64_t count, std::int64_t change, bool is_report,
           bool has_elements);
  void send_to_elements(partial_result& all, std::uint64_t number);
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

  local_array& part_;
  std::uint64_t next_report_ = 0;     ///< the next reduction that this PE closes
  std::uint64_t next_report_up_ = 0;  ///< the next reduction reported to the parent; unused at the root
  owner<state> state_;
};

void fail_reduction_types(local_array& part);
[[noreturn]] void throw_no_peers(const char* what, const chare_header& single);
void fail_empty_reduction(local_array& part, std::uint32_t caller, const reply_address& reply);

}  // namespace imbrex::detail
