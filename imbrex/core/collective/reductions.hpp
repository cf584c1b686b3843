// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include <imbrex/core/collective/exchange_base.hpp>
#include <imbrex/core/message/carried_exception.hpp>
#include <imbrex/core/message/message.hpp>
#include <imbrex/core/message/reply_table.hpp>

namespace imbrex {

struct chare_header;

namespace detail {

class local_array;

/// What the elements of some PEs contributed to one reduction, on its way to the root: how many they are, and
/// a value, in which the PEs on the way combine those from below. The value stands in the message's own type
/// (`partial_message`).
struct partial_result : message {
  const bool of_call;         ///< of what a broadcast entry returns, else of an all_reduce
  bool is_report = false;     ///< of a whole subtree; else of an element that came late
  bool has_elements = false;  ///< the subtree that reports
  std::uint64_t number = 0;
  std::uint64_t count = 0;
  std::int64_t change = 0;
  carried_exception error;  ///< instead of a value

  /// It will be combined here, perhaps when others have come.
  virtual void prepare() = 0;
  /// Combines its value with those of other messages of its kind, which come after it and are left without.
  virtual void merge(std::span<const std::unique_ptr<partial_result, message_deleter>> later) = 0;
  virtual bool has_value() const = 0;
  /// The same without the value, to be sent with an exception if the value cannot be packed; null if it
  /// always can.
  virtual partial_result* spare() const = 0;
  /// Moves the value into a message to those who want it: a `shared_result`, or of a call a reply.
  virtual message& result() = 0;

  void deliver();

 protected:
  explicit partial_result(bool answers_call) : of_call(answers_call) {}
  ~partial_result() = default;

  void serialize_counts(writer& out);
  void serialize_counts(reader& in);
};
using owned_partial = std::unique_ptr<partial_result, message_deleter>;

/// From the root down the tree: what an all_reduce has come to. The value stands in the message's own type.
struct shared_result : message {
  std::uint64_t number = 0;

  virtual shared_result& copy() const = 0;
  virtual const void* content() const = 0;
  /// Gives one of those who wait a copy of the value.
  virtual void give(reply_target& to) const = 0;
  /// True if all PEs have to do something before there is a value: each is told to begin, and when all have
  /// begun to end, if somebody there waits.
  virtual bool is_shared_work() const { return false; }
  virtual void begin_work() {}
  virtual void end_work() {}

  void deliver();

 protected:
  ~shared_result() = default;
};

/// What is being handled left the combination of values.
/// `collection`: over which array; 0 if that is not known.
carried_exception thrown_by_reduction(std::uint64_t collection = 0);

/// Sends what a reduction has come to, or the exception, to the one who asked.
void answer(partial_result& all, std::uint32_t caller, const reply_address& reply,
            const char* what = "a reduction");

/// Sends it to a PE, with the exception in its place if the value cannot be packed.
void dispatch_partial(partial_result& m, int to);
/// Gives it to this PE's part of its array, as what its elements answered to a broadcast.
void answer_from_here(partial_result& m);

/// What the elements of one PE contributed to one all_reduce; knows the types.
class contributions_base {
 public:
  virtual ~contributions_base() = default;

  /// Equal for equal types of value and operation.
  const message_type& kind() const { return whole_->kind(); }
  /// Combines them, in the order of the elements' keys, into a message for the root.
  partial_result& combine();

 protected:
  explicit contributions_base(partial_result& whole) : whole_(&whole) {}
  virtual std::size_t size() const = 0;
  virtual void fold(partial_result& into) = 0;

 private:
  owned_partial whole_;
};

/// What a PE and those below it contributed to one reduction.
class reduction_values {
 public:
  bool empty() const { return parts_.empty(); }
  /// Takes a message. False if it is of other types than those before.
  bool add(partial_result& part);
  /// Combines them, in the order of the PEs.
  owned_partial combine();
  /// The exception that is there instead of some value; none if there is none.
  carried_exception error() const;

 private:
  std::vector<owned_partial> parts_;
};

/// Reductions over an array whose elements migrate, come and go.
///
/// all_reduce: each element counts its calls; its n-th call belongs to reduction n. A PE closes reduction n,
/// once and in order, when all its elements have passed n. When it has closed n and its children in the tree
/// of PEs (`tree_place`) have reported n, it reports n to its parent: the combined value, how many
/// contributed, and by how many the elements that take part changed there through insertion and destruction.
/// An element that arrives after its new PE has closed n contributes directly to the root. The root is done
/// when all have reported and as many have contributed as take part; the result goes down the tree. PEs
/// without elements do not know that a reduction goes on: a PE tells its parent when its subtree becomes
/// empty, and which reduction it will report next; until that report or a later one says that it has elements
/// again, the parent asks it.
///
/// reduce (of what a broadcast entry returns): a PE's part is complete when all elements that were there have
/// answered. The broadcast itself counts who takes part; see broadcast_station.
///
/// Order of combination: by key within a PE, then by PE, in brackets of the tree; what came directly comes
/// after the subtrees of lower PEs. So it is fixed for a given placement.
class reduction_station {
 public:
  reduction_station(local_array& part, std::uint64_t initial_elements);
  ~reduction_station();
  reduction_station(const reduction_station&) = delete;
  reduction_station& operator=(const reduction_station&) = delete;

  // On each PE.

  /// A local element calls all_reduce, for somebody here who wants the result: the reduction that it belongs
  /// to. Throws imbrex::error for a single chare.
  std::uint64_t begin(chare_header& element, const reply_address& who);
  /// Where the element's contribution goes; null if it is the first.
  std::unique_ptr<contributions_base>& contributions(std::uint64_t number);
  /// It has been added there.
  void contributed(std::uint64_t number);
  std::vector<reply_address> take_waiting(std::uint64_t number);
  /// True if this PE has closed it.
  bool has_closed(std::uint64_t number) const { return number < next_report_; }
  /// What goes along with a reduction; null if nothing has begun to here.
  std::unique_ptr<exchange_base>& exchange_with(std::uint64_t number) { return exchanges_[number]; }
  /// What it had sent from here has been taken.
  void exchange_was_taken(std::uint64_t number);
  /// The result of a reduction is there, for those who wait.
  void take_result(const shared_result& result);
  /// What all PEs have to do for it is there. Takes the message.
  void take_work(shared_result& work);
  /// This PE, or the subtree of a child, has begun what it has to do, or has failed.
  void work_has_begun(std::uint64_t number, const carried_exception& error);
  /// All PEs have, or one has failed.
  void end_work(std::uint64_t number, const carried_exception& error);
  void take_failure(std::uint64_t number, const carried_exception& error);

  void element_created(chare_header& element);
  void element_destroyed(const chare_header& element);
  void element_arrived(const chare_header& element);
  void element_left(const chare_header& element);
  /// The parent asks about a reduction, since this subtree may be empty.
  void asked_for(std::uint64_t number);
  /// All elements that the array begins with are there.
  void created();

  /// Takes a report, of a child or this PE, or at the root what came directly from an element.
  void add(std::uint64_t number, int from, std::uint64_t count, std::int64_t change, bool is_report,
           bool has_elements);
  /// The same with a value.
  void add(partial_result& part);
  /// A child has told, when it was to report this reduction next, that its subtree had no elements.
  void became_empty(int child, std::uint64_t next_report);
  /// Of a broadcast whose results are wanted: the elements of this PE, or of a child's subtree, which had
  /// none, have answered.
  void add_no_answers(std::uint64_t broadcast);
  /// Passes a result to the PEs below, with the exception in its place if it cannot be copied or packed.
  void pass_down(const shared_result& result);
  void pass_down(std::uint64_t number, const carried_exception& error);

  // At the root.

  /// A broadcast whose results are wanted has reached all elements, so many. `wants_end_alone`: there is no
  /// value, so that no element is enough.
  void expect_answers(std::uint64_t broadcast, std::uint64_t elements, bool wants_end_alone,
                      std::uint32_t caller, const reply_address& reply);
  /// Exceptions that have come and wait for the answers of other elements.
  std::vector<carried_exception> held_errors() const;
  /// True if no reduction is under way.
  bool all_are_done() const { return totals_.empty() && calls_.empty(); }

  /// The array ends: who waits for a reduction is told so.
  void close();

 private:
  /// One reduction of what a broadcast entry returns.
  struct call {
    int reports = 0;
    std::uint64_t count = 0;
    std::uint64_t expected = ~std::uint64_t{0};  ///< known when the broadcast has been delivered everywhere
    bool wants_end_alone = false;
    std::uint32_t caller = 0;
    reply_address reply;
    reduction_values values;
  };
  struct open_reduction {
    std::size_t passed = 0;  ///< local elements that have contributed to it, here or elsewhere
    bool asked = false;
    std::unique_ptr<contributions_base> contributions;
  };
  struct total {
    int reports = 0;
    std::uint64_t count = 0;
    std::int64_t change = 0;
    reduction_values values;
  };

  /// What all PEs do for a result.
  struct shared_work {
    int begun = 0;  ///< by this PE and the subtrees of children
    carried_exception error;
    std::unique_ptr<shared_result, message_deleter> result;  ///< null until it has come here
  };

  /// What a child has said of its subtree's having elements. Its notices may overtake its reports, and each
  /// other: the newest counts.
  struct emptiness {
    std::int64_t at = -1;             ///< the reduction that it was to report next when it had none
    std::int64_t last_nonempty = -1;  ///< the last that it reported when it had some
    bool is_empty() const { return at > last_nonempty; }
  };

  /// Ends a call when all answers are there, or passes those of this subtree on.
  void check(std::uint64_t broadcast);
  void answer_for_none(const call& done);
  void report_up(std::uint64_t broadcast, call&& done);
  /// The same of an all_reduce.
  void finish(std::uint64_t number);
  void report_up(std::uint64_t number, total&& done);
  void send_to_elements(partial_result& all, std::uint64_t number);
  void send_failure_down(std::uint64_t number, const carried_exception& error, int to);
  /// True if what goes along with it, if anything does, has been taken.
  bool exchange_is_taken(std::uint64_t number);
  void add_error_of_exchange(partial_result& m) const;
  void add_late(std::uint64_t number, std::unique_ptr<contributions_base> alone);
  /// There is such a reduction, of which a PE or a subtree without elements may not know.
  void goes_on(std::uint64_t number);
  void ask_below(std::uint64_t number);
  void ask(std::size_t child, std::uint64_t number);
  bool subtree_is_empty() const;
  open_reduction& open(std::uint64_t number);
  void report_what_is_complete();
  void report_first();
  /// Of the number of elements that take part, up to that reduction, which is reported next.
  std::int64_t change_until(std::uint64_t number);
  void tell_if_empty();
  void tell_parent_if_empty();

  local_array& part_;
  std::uint64_t next_report_ = 0;             ///< that this PE closes
  std::uint64_t next_report_up_ = 0;          ///< that goes to the parent; unused at the root
  std::deque<open_reduction> open_;           ///< from next_report_ on
  std::unique_ptr<contributions_base> late_;  ///< of an element that arrived after the report
  std::map<std::uint64_t, std::vector<reply_address>> waiting_;
  std::map<std::uint64_t, std::unique_ptr<exchange_base>> exchanges_;
  /// Of elements that arrived after the report, until what they sent has been taken.
  std::multimap<std::uint64_t, std::unique_ptr<contributions_base>> late_exchanges_;
  /// Of the number of elements, by the first reduction they concern; those before `next_report_` in one sum.
  std::map<std::uint64_t, std::int64_t> changes_;
  std::int64_t change_so_far_ = 0;

  std::int64_t elements_;  ///< that the array began with
  std::map<std::uint64_t, total> totals_;
  std::map<std::uint64_t, std::vector<bool>> asked_;  ///< which children, by the reductions that go on
  std::vector<emptiness> emptiness_;                  ///< of each child
  std::map<std::uint64_t, call> calls_;
  std::map<std::uint64_t, shared_work> works_;
};

void fail_reduction_types(local_array& part);
[[noreturn]] void throw_no_peers(const char* what, const chare_header& single);
void fail_empty_reduction(local_array& part, std::uint32_t caller, const reply_address& reply);

}  // namespace detail
}  // namespace imbrex
