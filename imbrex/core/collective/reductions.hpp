// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include <imbrex/core/message/carried_exception.hpp>
#include <imbrex/core/message/message.hpp>
#include <imbrex/core/message/reply_table.hpp>

namespace imbrex {

struct chare_header;

namespace detail {

class local_array;

/// What some elements contributed to one reduction, on its way to the root: how many they are, and a value, in
/// which the root combines those of all PEs. The value stands in the message's own type (`partial_message`).
struct partial_result : message {
  const bool of_call;  ///< of what a broadcast entry returns, else of an all_reduce
  bool is_report = false;
  bool has_elements = false;  ///< the PE that reports
  std::uint64_t number = 0;
  std::uint64_t count = 0;
  std::int64_t change = 0;
  carried_exception error;  ///< instead of a value

  /// Combines its value with that of another message of its kind, which comes after it and is left without.
  virtual void merge(partial_result& later) = 0;
  virtual bool has_value() const = 0;
  /// The same without the value, to be sent with an exception if the value cannot be packed; null if it always can.
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

/// From the root to a PE: what an all_reduce has come to. The value stands in the message's own type.
struct shared_result : message {
  std::uint64_t number = 0;

  virtual shared_result& copy() const = 0;
  /// Gives one of those who wait a copy of the value.
  virtual void give(reply_target& to) const = 0;

  void deliver();

 protected:
  ~shared_result() = default;
};

/// What is being handled left the combination of values.
/// `collection`: over which array; 0 if that is not known.
carried_exception thrown_by_reduction(std::uint64_t collection = 0);

/// Sends what a reduction has come to, or the exception, to the one who asked.
void answer(partial_result& all, std::uint32_t caller, const reply_address& reply);

/// Sends it to the array's root, with the exception in its place if the value cannot be packed.
void dispatch_to_root(partial_result& m);

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

/// What all PEs contributed to one reduction; at the root.
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
/// all_reduce: each element counts its calls; its n-th call belongs to reduction n. A PE reports reduction n
/// to the root, once and in order, when all its elements have passed n: the combined value, how many
/// contributed, and by how many the elements that take part changed here through insertion and destruction.
/// An element that arrives after its new PE has reported n contributes directly to the root. The root is done
/// when all PEs have reported and as many have contributed as take part. A PE without elements does not know
/// that a reduction goes on: it tells the root when it becomes empty, and which reduction it will report next; until that
/// report or a later one says that it has elements again, the root asks it.
///
/// reduce (of what a broadcast entry returns): the broadcast itself counts who takes part; see
/// broadcast_station.
///
/// Order of combination: by key within a PE, then by PE. So it is fixed for a given placement.
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

  void element_created(chare_header& element);
  void element_destroyed(const chare_header& element);
  void element_arrived(const chare_header& element);
  void element_left(const chare_header& element);
  /// The root asks this PE, which may be empty, about a reduction.
  void asked_for(std::uint64_t number);
  /// All elements that the array begins with are there.
  void created();

  // At the root.

  /// Takes a report (`is_report`) or a straggler's contribution.
  void add(std::uint64_t number, int from, std::uint64_t count, std::int64_t change, bool is_report,
           bool has_elements);
  /// Takes what came from another PE.
  void add(partial_result& part);
  /// A PE has told, when it was to report this reduction next, that it had no elements.
  void became_empty(int pe, std::uint64_t next_report);
  /// A broadcast whose results are wanted has reached all elements, so many.
  void expect_answers(std::uint64_t broadcast, std::uint64_t elements, std::uint32_t caller,
                      const reply_address& reply);
  /// Exceptions that have come and wait for the answers of other elements.
  std::vector<carried_exception> held_errors() const;
  /// True if no reduction is under way.
  bool all_are_done() const { return totals_.empty() && calls_.empty(); }

  /// The array ends: who waits for a reduction is told so.
  void close();

 private:
  /// One reduction of what a broadcast entry returns.
  struct call {
    std::uint64_t count = 0;
    std::uint64_t expected = ~std::uint64_t{0};  ///< known when the broadcast has been delivered everywhere
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

  /// What a PE has said of having elements. Its notices may overtake its reports, and each other: the newest counts.
  struct emptiness {
    std::int64_t at = -1;             ///< the reduction that it was to report next when it had none
    std::int64_t last_nonempty = -1;  ///< the last that it reported when it had some
    bool is_empty() const { return at > last_nonempty; }
  };

  bool has_reported(std::uint64_t number) const { return number < next_report_; }
  /// Ends a call when all answers are there.
  void check(std::uint64_t broadcast);
  void send_to_elements(partial_result& all, std::uint64_t number);
  open_reduction& open(std::uint64_t number);
  void report_what_is_complete();
  void report_first();
  /// Of the number of elements that take part, up to that reduction, which is reported next.
  std::int64_t change_until(std::uint64_t number);
  void tell_if_empty();

  local_array& part_;
  std::uint64_t next_report_ = 0;
  std::deque<open_reduction> open_;           ///< from next_report_ on
  std::unique_ptr<contributions_base> late_;  ///< of an element that arrived after the report
  std::map<std::uint64_t, std::vector<reply_address>> waiting_;
  /// Of the number of elements, by the first reduction they concern; those before `next_report_` in one sum.
  std::map<std::uint64_t, std::int64_t> changes_;
  std::int64_t change_so_far_ = 0;

  std::int64_t elements_;  ///< that the array began with
  std::map<std::uint64_t, total> totals_;
  std::map<std::uint64_t, std::vector<bool>> asked_;
  std::vector<emptiness> emptiness_;  ///< of each PE
  std::map<std::uint64_t, call> calls_;
};

void fail_reduction_types(local_array& part);
[[noreturn]] void throw_no_peers(const char* what, const chare_header& single);
void fail_empty_reduction(local_array& part, std::uint32_t caller, const reply_address& reply);

}  // namespace detail
}  // namespace imbrex
