// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <imbrex/base/owner.hpp>
#include <imbrex/core/message/carried_exception.hpp>
#include <imbrex/core/message/message.hpp>
#include <imbrex/core/message/reply_table.hpp>

namespace imbrex::detail {

class local_array;

/// The reductions over which values go to the root of a tree of PEs.
enum class reduction_kind : std::uint8_t {
  all_reduce,  ///< all_reduce over an array
  of_section,  ///< all_reduce over a section
  of_call      ///< results of a broadcast entry
};

/// In place of the number of a section: the reduction is over the whole array.
inline constexpr std::uint64_t no_section = ~std::uint64_t{0};

/// The contributions of the elements of some PEs to one reduction, on the way to the root: their number, and
/// a value. PEs on the way combine the values from below. The value is a member of the derived message
/// (`partial_message`).
struct partial_result : message {
  const reduction_kind of;
  bool is_report = false;     ///< report of a whole subtree; otherwise of a late element
  bool has_elements = false;  ///< true if the reporting subtree has elements
  std::uint64_t section = no_section;
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
  explicit partial_result(reduction_kind kind) : of(kind) {}
  ~partial_result() = default;

  void serialize_counts(writer& out);
  void serialize_counts(reader& in);
};
using owned_partial = owner<partial_result, message_deleter>;

/// Sent from the root down the tree: the result of an all_reduce. The value is a member of the derived
/// message.
struct shared_result : message {
  std::uint64_t section = no_section;
  std::uint64_t number = 0;
  bool is_repeated = false;  ///< this PE has sent the result before, to another PE

  virtual shared_result& copy() const = 0;
  virtual const void* content() const = 0;
  /// Gives one waiter a copy of the value.
  virtual void give(reply_target& to) const = 0;
  /// A reply with a copy of the value; null unless this is the result of a section.
  virtual message* reply_to_member() const { return nullptr; }
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
  /// Combines the contributions to a reduction of this array, in the order of the elements' keys, into a
  /// message for the root.
  partial_result& combine(std::uint64_t collection);

 protected:
  explicit contributions_base(partial_result& whole) : whole_(&whole) {}
  virtual std::size_t size() const = 0;
  virtual void fold(partial_result& into) = 0;

 private:
  owned_partial whole_;
};

/// Values for one reduction.
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

/// The reports that a PE has for one reduction.
struct gathered_reports {
  int reports = 0;
  std::uint64_t count = 0;
  std::int64_t change = 0;
  reduction_values values;

  /// Adds a message. False if its types differ from those of earlier messages.
  bool add(partial_result& part);
};

/// Reductions along a tree of PEs, on one PE. Reports and values go up (`add`). The root sends the result, or
/// an exception in its place, down to the members on all PEs. Derived classes know the members.
class tree_reduction {
 public:
  tree_reduction(const tree_reduction&) = delete;
  tree_reduction& operator=(const tree_reduction&) = delete;

  /// The PE that this one reports to; -1 at the root.
  virtual int parent() const = 0;
  /// The PEs that report to this one.
  virtual const std::vector<int>& children() const = 0;

  /// Adds a report that has a value, of a child or of this PE.
  virtual void add(partial_result& part) = 0;
  /// A result has come down. Takes the message.
  void receive(shared_result& result);
  /// A reduction has failed at the root.
  void receive_failure(std::uint64_t number, const carried_exception& error);
  /// This PE, or the subtree of a child, has begun its work for a result, or has failed.
  virtual void work_has_begun(std::uint64_t /*number*/, const carried_exception& /*error*/) {}
  /// Calls `receive_failure` of a reduction over a part's array, or over a section of it.
  static void fail(local_array& part, std::uint64_t section, std::uint64_t number,
                   const carried_exception& error);

 protected:
  tree_reduction(local_array& part, std::uint64_t section) : part_(part), section_(section) {}
  ~tree_reduction() = default;

  /// The result has arrived for the members here.
  virtual void take_result(const shared_result& result) = 0;
  virtual void take_failure(std::uint64_t number, const carried_exception& error) = 0;
  /// A request for shared work has arrived. Results of sections need none.
  virtual void take_work(owner<shared_result, message_deleter> /*work*/) {}

  bool is_root() const { return parent() < 0; }
  /// Reports the values of this subtree to the parent. There must be values.
  void report_up(std::uint64_t number, gathered_reports&& done, bool has_elements = false);
  /// At the root: sends the result, or the exception, to all members.
  void send_to_members(partial_result& all, std::uint64_t number);

  local_array& part_;

 private:
  void pass_down(const shared_result& result);
  void send_failure_to(int pe, std::uint64_t number, const carried_exception& error) const;

  const std::uint64_t section_;
};

}  // namespace imbrex::detail
