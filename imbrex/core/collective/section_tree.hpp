// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/owner.hpp>
#include <imbrex/core/collective/tree_reduction.hpp>
#include <imbrex/core/pe/local_array.hpp>

namespace imbrex::detail {

/// A member's contribution to an all_reduce over a section, sent to the member's home. The derived message
/// has the value.
struct section_contribution : message {
  std::uint64_t section = 0;
  std::uint64_t number = 0;
  carried_exception thrown;  ///< in place of the value, which could not be packed

  /// Moves the value, if there is one, to the others of this PE, which have the same type.
  virtual void add_to(owner<contributions_base>& all) = 0;

 protected:
  ~section_contribution() = default;
};
using owned_contribution = owner<section_contribution, message_deleter>;

/// The child of this PE whose subtree contains PE `towards`.
int child_in_section(const processor& pe, int towards, std::uint64_t section_id);

/// A PE's place in the tree of a section's homes, and the all_reduces over the section: all that does not
/// depend on the members' keys. `core/array/section_reduction.hpp` describes the tree.
class section_tree : public section_place_base, public tree_reduction {
 public:
  section_tree(local_array& part, std::uint64_t id);
  ~section_tree() override;

  int parent() const final { return parent_; }
  const std::vector<int>& children() const final { return children_; }

  /// A child PE requests its place.
  void request_place(int child);
  /// PE `from` has reported that a member is missing. Then no all_reduce over the section can end.
  void lack(int from);
  /// Adds a member's contribution. Takes the message.
  void contribute(section_contribution& m);
  void add(partial_result& part) final;
  void describe_missing(std::vector<std::string>& lines, std::size_t most) const final;

 protected:
  std::uint64_t id() const { return id_; }
  /// True once: the search for the places of all homes and this PE is to begin.
  bool begins_to_find() { return !is_known_ && !std::exchange(is_requested_, true); }
  /// The child PEs whose requests waited for this PE's own place, each once.
  std::vector<int> take_asking();
  /// This PE knows its place. `children`: those that report.
  void set_known(std::vector<int> children);
  bool lacks_member() const { return lacks_member_; }
  void check_all();

  /// Starts the search for the places of all homes and this PE, unless it has begun.
  virtual void look_for_place() = 0;
  /// Notifies a child that it has no part in the section.
  virtual void tell_none(int child) const = 0;
  virtual void tell_of_lack(int pe) const = 0;
  /// A line for each member at home here that is on no PE. Stops at `most` lines.
  virtual void describe_members(std::vector<std::string>& lines, std::size_t most) const = 0;
  /// The number of members at home here.
  virtual std::size_t members_here() const = 0;
  virtual bool is_member(const section_contribution& m) const = 0;
  virtual std::string member_name(const section_contribution& m) const = 0;
  /// True if the one member precedes the other in the order of keys.
  virtual bool precedes(const section_contribution& a, const section_contribution& b) const = 0;
  /// The names of members at home here that have not contributed.
  virtual std::vector<std::string> names_missing(const std::vector<owned_contribution>& from) const = 0;

 private:
  struct open_reduction;
  struct table;

  void take_result(const shared_result& result) final;
  void take_failure(std::uint64_t number, const carried_exception& error) final;
  /// Continues a reduction once the PE's place is known, or the section is known to lack a member.
  void check(std::uint64_t number);
  void refuse_others(open_reduction& of);
  void report(std::uint64_t number, open_reduction& of);
  /// Adds the combined value of the members here.
  bool add_own(open_reduction& of);
  std::string missing(const open_reduction& of) const;

  const std::uint64_t id_;
  const int parent_;
  bool is_requested_ = false;
  bool is_known_ = false;
  bool lacks_member_ = false;
  std::vector<int> children_;
  owner<table> table_;
};

}  // namespace imbrex::detail
