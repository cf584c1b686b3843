// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <imbrex/base/signal_text.hpp>
#include <imbrex/core/array_end.hpp>
#include <imbrex/core/broadcasts.hpp>
#include <imbrex/core/processor.hpp>
#include <imbrex/core/reductions.hpp>

namespace imbrex {

/// What the runtime keeps for each chare, directly before the object. Its PE's.
struct chare_header {
  chare_header();
  ~chare_header();
  chare_header(const chare_header&) = delete;
  chare_header& operator=(const chare_header&) = delete;

  detail::collection_base* home = nullptr;  ///< this PE's part of the array
  scope* entries = nullptr;                 ///< begun and not ended
  static constexpr std::uint32_t no_slot = 0xffffffff;
  std::uint32_t slot = no_slot;   ///< in `home`'s list of local elements; none while it is constructed
  std::int32_t destination = -1;  ///< PE to migrate to at the next opportunity; -1 for none
  std::uint64_t reductions = 0;   ///< all_reduce calls so far
  std::uint64_t broadcasts = 0;   ///< number of the last broadcast received
  std::uint64_t epoch = 1;        ///< how often elements of its key have migrated, ended and been inserted
  std::uint64_t born = 1;         ///< the epoch at which this one was inserted
  bool dying = false;
  bool departure_queued = false;
  bool travels =
      false;  ///< between its departure and its arrival, when its class may run, but not move or end it
  /// Calls of all_reduce by section.
  std::unique_ptr<std::vector<std::pair<std::uint64_t, std::uint64_t>>> section_reductions;
};

namespace detail {

/// What the members of a section have contributed to one all_reduce over it.
class section_reduction_base {
 public:
  virtual ~section_reduction_base() = default;
};

/// One PE's part of an array, a group or the single chares of a class: what does not depend on their types.
class collection_base {
 public:
  collection_base(processor& pe, std::uint64_t id, std::string_view chare_name,
                  std::uint64_t initial_elements);
  collection_base(const collection_base&) = delete;
  collection_base& operator=(const collection_base&) = delete;
  virtual ~collection_base();

  processor& pe() const { return pe_; }
  std::uint64_t id() const { return id_; }
  bool is_of_singles() const { return (id_ & singles_bit) != 0; }
  /// The spelled name of the chare class.
  std::string_view chare_name() const { return chare_name_; }
  /// True if it is one of the class of that name. Equal names mostly lie in one place.
  bool is_of(std::string_view chare_name) const {
    return chare_name.data() == chare_name_.data() || chare_name == chare_name_;
  }
  /// The PE that numbers the array's broadcasts and ends its reductions.
  int root() const { return root_of(id_, pe_.num_pes()); }
  bool is_root() const { return root() == pe_.pe(); }

  /// The elements on this PE, in the order of their keys if `sort_locals` was called since the last change.
  const std::vector<chare_header*>& locals() const { return locals_; }
  void sort_locals();
  /// From now on elements stay on this PE, as those of groups do.
  void pin() { pinned_ = true; }
  bool is_pinned() const { return pinned_; }
  /// True if elements may leave this PE.
  virtual bool can_migrate() const = 0;
  /// "block(1, 2)"
  virtual std::string element_name(const chare_header& element) const = 0;
  /// The same in a handler of a signal.
  virtual void write_name(const chare_header& element, signal_text& out) const noexcept = 0;
  /// The element that a message is for, or the one that has that linear number, in a handler of a signal.
  virtual void write_addressee(const message& m, signal_text& out) const noexcept = 0;
  virtual void write_name(std::uint64_t linear, signal_text& out) const noexcept = 0;
  virtual const void* object(const chare_header& element) const = 0;
  /// What traces know an element by (`key_number`).
  virtual std::uint64_t number_of(const chare_header& element) const = 0;
  /// "(8, 8, 4)" if these numbers count the elements of an array of that shape; else empty.
  virtual std::string shape_text() const = 0;

  /// Ends all entries of an element; whoever awaits their results gets an error with that text.
  void end_entries(chare_header& element, const std::string& why);
  /// Messages that wait here for elements that do not exist (yet), or have just left: a line for each, at most `most`
  /// lines.
  virtual void describe_held(std::vector<std::string>& lines, std::size_t most,
                             bool also_migrating) const = 0;
  /// Without those for elements that have just left.
  virtual std::size_t count_held() const = 0;
  /// True if any wait, those too for elements whose place is not settled.
  virtual bool holds_messages() const = 0;
  /// The array ends: its elements here do, now, and no others come. What waits for others is refused.
  virtual void close() = 0;
  bool is_closed() const { return closed_; }
  /// Destroys all elements and held messages; the run is over.
  virtual void clear() noexcept = 0;

 protected:
  virtual bool before(const chare_header& a, const chare_header& b) const = 0;
  void add_local(chare_header& element);
  void remove_local(chare_header& element);
  void shut() { closed_ = true; }

 private:
  processor& pe_;
  const std::uint64_t id_;
  const std::string_view chare_name_;
  std::vector<chare_header*> locals_;
  bool sorted_ = true;
  bool pinned_ = false;
  bool closed_ = false;

 public:
  broadcast_station broadcasts;
  reduction_station reductions;
  end_station ending;
  /// Over sections whose list of members is here: by section and number.
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::unique_ptr<section_reduction_base>>
      section_reductions;
};

/// A proxy names the part as one of another class.
[[noreturn]] void throw_another_class(std::string_view chare_name, const collection_base& part);
/// A message names single chares that are not of its class.
[[noreturn]] void throw_no_such_singles(std::string_view chare_name, std::uint64_t number);
/// A message is for an array that has ended: its sender is told so.
void refuse_ended(message& m, std::string_view chare_name);
[[noreturn]] void throw_pinned(const chare_header& element);
/// An element that travels was asked to move or to end.
[[noreturn]] void throw_travelling(const char* what, const chare_header& element);
/// What an element's class did threw while the element travels: "the default constructor".
[[noreturn]] void rethrow_travel_failure(const char* doing, const chare_header& element);

/// Says to the run's owner that an exception left something that has nobody to tell: the run ends.
void fail_run(processor& pe, const std::string& text);
std::string describe_current_exception();

/// Answers the sender of a message with an exception; without an addressee the run ends.
void fail_request(message& request, const std::string& who, carried_exception why);

/// Tells the sender of a message, if it wants an answer, that the element has ended and so was passed over.
void answer_none_found(const message& request);

/// "block(1, 2), entry run, on PE 3"
std::string describe_entry(const chare_header& element, const message_type& entry);
/// An exception left that entry: it threw it, unless it was given it by who did.
carried_exception thrown_by_entry(const chare_header& element, const message_type& entry,
                                  std::exception_ptr why, const scope* begun = nullptr);
/// An exception left the entry of an element that a message calls, which may have `begun` to wait: `fail_request` with
/// its description. It may be for want of memory: then there may be none to tell of it, and the run ends by itself.
void fail_entry(message& request, const chare_header& element, std::exception_ptr why,
                const scope* begun = nullptr) noexcept;
/// The same of an entry whose result nobody awaits.
void fail_unanswered(const chare_header& element, const message_type& entry, std::exception_ptr why) noexcept;

}  // namespace detail
}  // namespace imbrex
