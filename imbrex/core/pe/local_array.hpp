// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/base/host/signal_text.hpp>
#include <imbrex/base/owner.hpp>
#include <imbrex/core/pe/array_listener.hpp>
#include <imbrex/core/pe/chare_header.hpp>
#include <imbrex/core/pe/pe_tree.hpp>
#include <imbrex/core/pe/processor.hpp>

namespace imbrex::detail {

/// A PE's place in the tree of PEs that combine the contributions of a section's members to an all_reduce.
class section_place_base {
 public:
  virtual ~section_place_base() = default;
  /// Describes the missing parts of all_reduces, in at most `most` lines. There is a line for each member at
  /// home here that is on no PE, and for each all_reduce that lacks values.
  virtual void describe_missing(std::vector<std::string>& lines, std::size_t most) const = 0;
};

class broadcast_station;
class end_station;
class reduction_station;
class tree_reduction;

/// One PE's part of an array, a group or the single chares of a class: its elements, without their types.
class local_array : public collection_part {
 public:
  ~local_array() override;

  processor& pe() const { return pe_; }
  bool is_of_singles() const { return (id() & singles_bit) != 0; }
  /// The PE that numbers the array's broadcasts and ends its reductions.
  int root() const { return root_of(id(), pe_.num_pes()); }
  bool is_root() const { return root() == pe_.pe(); }
  /// This PE's place in the tree along which the array's collectives go.
  const tree_place& tree() const { return tree_; }

  /// The elements on this PE, in the order of their keys if `sort_locals` was called since the last change.
  const std::vector<chare_header*>& locals() const { return locals_; }
  void sort_locals();
  /// Elements stay on this PE from now on, as those of groups do.
  void pin() { pinned_ = true; }
  bool is_pinned() const { return pinned_; }
  /// True if elements may leave this PE.
  virtual bool can_migrate() const = 0;
  /// "block(1, 2)"
  virtual std::string element_name(const chare_header& element) const = 0;
  /// The name of a port of an element; empty if the program never sends to it by name.
  virtual std::string_view port_name(const chare_header& element, const void* port) const;
  /// Writes "block(1, 2)"; callable in a signal handler.
  virtual void write_name(const chare_header& element, signal_text& out) const noexcept = 0;
  /// Writes the element that a message is for, or that has this linear number; callable in a signal handler.
  virtual void write_addressee(const message& m, signal_text& out) const noexcept = 0;
  virtual void write_name(std::uint64_t linear, signal_text& out) const noexcept = 0;
  virtual const void* object(const chare_header& element) const = 0;
  /// True if the address lies in the element's object.
  virtual bool is_member(const chare_header& element, const void* address) const = 0;
  /// Moves an element of this PE to another, as its `migrate_to` does: after the current item, or at the next
  /// balance point. The element stays if another of its entries is suspended there. Throws imbrex::error if
  /// there is no such PE or the element cannot migrate.
  virtual void move(chare_header& element, int to) = 0;
  /// The number of an element in traces (`key_number`).
  virtual std::uint64_t number_of(const chare_header& element) const = 0;

  array_listeners& listeners() { return listeners_; }
  broadcast_station& broadcasts() const { return broadcasts_; }
  reduction_station& reductions() const { return reductions_; }
  end_station& ending() const { return ending_; }
  /// The station of this type, or this part as the derived class `Of`.
  template <class Of>
  Of& as() {
    if constexpr (std::is_same_v<Of, broadcast_station>)
      return broadcasts_;
    else if constexpr (std::is_same_v<Of, reduction_station>)
      return reductions_;
    else if constexpr (std::is_same_v<Of, end_station>)
      return ending_;
    else
      return static_cast<Of&>(*this);
  }
  /// The reductions over a section, which has a place here; over this array for `no_section`.
  virtual tree_reduction& reduction_over(std::uint64_t section) = 0;
  /// Called when the part has lost its last element. `next_report`: the reduction that the part reports next,
  /// if the root needs that, too.
  virtual void became_empty(std::optional<std::uint64_t> next_report) = 0;

  /// Describes the messages held here for elements that do not exist (yet): one line each, at most `most`.
  /// With `also_migrating` it includes those for elements that have just left.
  virtual void describe_held(std::vector<std::string>& lines, std::size_t most,
                             bool also_migrating) const = 0;
  /// The number of held messages, without those for elements that have just left.
  virtual std::size_t count_held() const = 0;
  /// True if messages are held, including those for elements whose location is not settled.
  virtual bool holds_messages() const = 0;
  /// Ends the array: destroys its elements here at once and accepts no others. Held messages are refused.
  virtual void close() = 0;
  bool is_closed() const { return closed_; }

  /// On the PE that made the array: the maker, or an awaiter of the creation, gets the exception of a
  /// failure.
  bool is_failure_reported = false;
  /// Elements here stop at their next balance points (`point_stop`).
  bool stops_elements = false;
  /// The reason why this part lacks elements: the packed exception of a constructor. Empty if no element is
  /// missing.
  std::vector<std::byte> creation_failure;
  /// The error for a request to a missing element: the creation's exception, or that the element has been
  /// destroyed.
  carried_exception why_missing(const std::string& element) const;
  /// The place for all_reduce over a section; null before its first use here.
  owner<section_place_base>& section_place(std::uint64_t id);
  /// Calls `describe_missing` of all places for sections.
  void describe_missing_in_sections(std::vector<std::string>& lines, std::size_t most) const;

 protected:
  /// References to the stations of the part.
  struct stations {
    broadcast_station& broadcasts;
    reduction_station& reductions;
    end_station& ending;
  };
  local_array(processor& pe, std::uint64_t id, const class_names& of, const stations& its);

  virtual bool before(const chare_header& a, const chare_header& b) const = 0;
  void add_local(chare_header& element);
  void remove_local(chare_header& element);
  void shut() { closed_ = true; }

 private:
  [[gnu::noinline]] void remove_observed(chare_header& element);
  void drop_local(chare_header& element);

  processor& pe_;
  array_listeners listeners_;
  broadcast_station& broadcasts_;
  reduction_station& reductions_;
  end_station& ending_;
  std::vector<chare_header*> locals_;
  bool sorted_ = true;
  bool pinned_ = false;
  bool closed_ = false;
  tree_place tree_;
  struct section_place_table;
  owner<section_place_table> section_places_;  ///< null if no section has a place here
};

/// The destination of an element that is to stay: its own PE if it stops at its next balance point, else -1.
inline int place_to_stay(const local_array& of) { return of.stops_elements ? of.pe().pe() : -1; }

/// This PE's part of an array; null if it is not here.
inline local_array* array_at(const processor& pe, std::uint64_t id) {
  return static_cast<local_array*>(pe.collection(id));
}

/// Called when a movable body waits again: lets the chare leave if a requested departure had to wait.
void retry_departure(const scope& entry);

/// Visits this PE's parts of all arrays.
template <class Visitor>
void for_each_array(const processor& pe, Visitor visit) {
  pe.for_each_collection([&](const collection_part& part) { visit(static_cast<const local_array&>(part)); });
}

}  // namespace imbrex::detail
