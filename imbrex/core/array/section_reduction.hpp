// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/owner.hpp>
#include <imbrex/base/standard/sort.hpp>
#include <imbrex/core/array/section.hpp>
#include <imbrex/core/message/shown_type.hpp>

namespace imbrex {
namespace detail {

// An all_reduce over a section. Each member's contribution goes to the member's home, wherever the member is.
// The homes are joined by the tree of all PEs (`place_in_tree`) whose root has the section's list. At its
// first contribution, a home requests its place from its parent, which in turn requests its own. The root
// then sends to all homes the homes in their own subtrees. So each home knows the number of its own
// contributions and the subtrees that report to it. A requesting PE without homes in its subtree gets an
// empty list. Values are combined in the order of keys at a home, and then in the order of PEs, bracketed by
// the tree. The result goes down to the homes, which reply to the members. So the result depends on homes
// alone, not on the locations of members. If a constructor's exception left the array without a member, the
// member's home notifies the other homes. Each of them replies to the members' contributions with the
// exception.

/// The parent of PE `of` in the section's tree; -1 for the PE that has the section's list.
int parent_in_section(const processor& pe, int of, std::uint64_t section_id);
/// The child of this PE whose subtree contains PE `towards`.
int child_in_section(const processor& pe, int towards, std::uint64_t section_id);

/// Like `deliver_to_part_of`, for a message of a section's tree. The message is dropped if the array ended
/// while it was in flight.
template <class T, class M, class Deliver>
void deliver_in_tree(M& m, Deliver deliver) {
  if (!processor::here().has_ended(m.collection)) return deliver_to_part_of<T>(m, deliver);
  const message_guard guard(m);
}

/// Contributions to one all_reduce over a section, as received on one PE.
class section_reduction_base {
 public:
  virtual ~section_reduction_base() = default;
  /// Continues once the PE's place in the tree is known, or the section is known to lack a member.
  virtual void check() = 0;
  /// The members and the child PEs that are still missing: "block(2), block(3) and those of PE 5".
  virtual std::string missing() const = 0;
};

/// Joins names as in "a, b and 3 others"; names no more than three.
std::string join_names(const std::vector<std::string>& names);

/// A PE's place in the tree of a section's homes: all that does not depend on the class of the members.
class section_tree_place : public section_place_base {
 public:
  section_tree_place(local_array& part, std::uint64_t id);
  ~section_tree_place() override;

  std::uint64_t id() const { return id_; }
  int parent() const { return parent_in_section(array_.pe(), array_.pe().pe(), id_); }
  bool is_known() const { return is_known_; }
  /// The child PEs that report.
  const std::vector<int>& children() const { return children_; }
  /// A child PE requests its place.
  void request_place(int child);
  /// True if no all_reduce over the section can end, since a member was never created.
  bool lacks_member() const { return lacks_member_; }
  /// PE `from` has reported that a member is missing.
  void lack(int from);
  void describe_missing(std::vector<std::string>& lines, std::size_t most) const final;
  /// Removes a finished reduction.
  owner<section_reduction_base> take(std::uint64_t number);

 protected:
  /// True once: the search for the places of all homes and this PE is to begin.
  bool begins_to_find() { return !is_known_ && !std::exchange(is_requested_, true); }
  /// The child PEs whose requests waited for this PE's own place, each once.
  std::vector<int> take_asking();
  /// This PE knows its place.
  void set_known() { is_known_ = true; }
  void add_child(int child);
  void check_all();
  /// The reduction with this number; null before its first use.
  owner<section_reduction_base>& reduction(std::uint64_t number);

  /// Starts the search for the places of all homes and this PE, unless it has begun.
  virtual void look_for_place() = 0;
  /// Notifies a child that it has no part in the section.
  virtual void tell_none(int child) const = 0;
  virtual void tell_of_lack(int pe) const = 0;
  /// A line for each member at home here that is on no PE. Stops at `most` lines.
  virtual void describe_members(std::vector<std::string>& lines, std::size_t most) const = 0;

 private:
  struct table;

  local_array& array_;
  const std::uint64_t id_;
  bool is_requested_ = false;
  bool is_known_ = false;
  bool lacks_member_ = false;
  std::vector<int> children_;
  owner<table> table_;
};

/// A PE's place in the tree of a section's homes.
template <class T>
class section_place final : public section_tree_place {
 public:
  using key = key_type<typename T::index_type>;
  using branches = std::vector<section_branch<key>>;
  using part_type = detail::collection<T>;

  section_place(part_type& part, std::uint64_t id) : section_tree_place(part, id), part_(part) {}

  static section_place& of(part_type& part, std::uint64_t id) {
    auto& place = part.section_place(id);
    if (!place) place = make_owner<section_place>(part, id);
    return static_cast<section_place&>(*place);
  }

  part_type& part() const { return part_; }
  /// The members whose home this PE is, in key order.
  const std::vector<key>& members() const { return members_; }

  /// Starts the search for the places of all homes and this PE, unless it has begun.
  void find();
  /// Sets the homes in this PE's subtree, with their members.
  void learn(branches homes);

  /// The reduction with this number, made on first use. Fails the run if its types differ.
  template <class Reduction>
  Reduction* reduction_of(std::uint64_t number) {
    auto& slot = this->reduction(number);
    if (!slot) slot = make_owner<Reduction>(*this, number);
    auto* const typed = dynamic_cast<Reduction*>(slot.get());
    if (typed == nullptr) fail_reduction_types(part_);
    return typed;
  }

 private:
  void tell(int child, branches homes) const;
  void look_for_place() override { find(); }
  void tell_none(int child) const override { tell(child, {}); }
  void tell_of_lack(int pe) const override;
  void describe_members(std::vector<std::string>& lines, std::size_t most) const override;

  part_type& part_;
  std::vector<key> members_;
};

/// Sent by a PE to its parent: requests the places of the homes of the section's members.
template <class T>
struct section_question final : message {
  std::uint64_t section_id = 0;

  static inline message_type type_record =
      runtime_message_type<section_question>({"request for a section's location", shown_type<T>::name});
  void serialize(auto& ar) { ar(section_id); }
  void deliver() {
    deliver_in_tree<T>(*this, [this](auto& part) {
      const message_guard guard(*this);
      section_place<T>::of(part, section_id).request_place(static_cast<int>(origin));
    });
  }
};

/// Sent by a PE to a child: the homes of section members in the child's subtree.
template <class T>
struct section_homes final : message {
  std::uint64_t section_id = 0;
  typename section_place<T>::branches homes;

  static inline message_type type_record =
      runtime_message_type<section_homes>({"a section's location", shown_type<T>::name});
  void serialize(auto& ar) { ar(section_id, homes); }
  void deliver() {
    deliver_in_tree<T>(*this, [this](auto& part) {
      const message_guard guard(*this);
      section_place<T>::of(part, section_id).learn(std::move(homes));
    });
  }
};

/// Sent along the tree, up and down: the section lacks a member.
template <class T>
struct section_lack final : message {
  std::uint64_t section_id = 0;
  std::vector<std::byte> why;  ///< as in `local_array::creation_failure`

  static inline message_type type_record =
      runtime_message_type<section_lack>({"reason for a section's missing member", shown_type<T>::name});
  void serialize(auto& ar) { ar(section_id, why); }
  void deliver() {
    deliver_in_tree<T>(*this, [this](auto& part) {
      const message_guard guard(*this);
      if (part.creation_failure.empty()) part.creation_failure = std::move(why);
      section_place<T>::of(part, section_id).lack(static_cast<int>(origin));
    });
  }
};

template <class T>
void section_place<T>::find() {
  if (!begins_to_find()) return;
  auto& pe = part_.pe();
  const int above = parent();
  if (above >= 0) {
    auto& m = make_message<section_question<T>>();
    m.collection = part_.id();
    m.section_id = id();
    return pe.dispatch(m, above);
  }
  std::map<int, std::vector<key>> members_of_home;
  for (const auto& k : section_list<key>::of(part_.id(), id()))
    members_of_home[part_.home_of(k)].push_back(k);
  branches homes;
  for (auto& [home, members] : members_of_home) homes.push_back({home, std::move(members)});
  learn(std::move(homes));
}

template <class T>
void section_place<T>::learn(branches homes) {
  std::map<int, branches> below;
  for (const int child : take_asking()) below[child];
  for (auto& home : homes) {
    if (home.pe == part_.pe().pe())
      members_ = std::move(home.members);
    else
      below[child_in_section(part_.pe(), home.pe, id())].push_back(std::move(home));
  }
  set_known();
  for (auto& [child, its] : below) {
    if (!its.empty()) add_child(child);
    tell(child, std::move(its));
    if (lacks_member()) tell_of_lack(child);
  }
  const auto is_missing = [&](const key& k) { return part_.was_never_created(k); };
  if (std::any_of(members_.begin(), members_.end(), is_missing)) return lack(part_.pe().pe());
  check_all();
}

template <class T>
void section_place<T>::describe_members(std::vector<std::string>& lines, std::size_t most) const {
  for (const auto& k : members_)
    if (lines.size() < most && part_.is_nowhere(k))
      lines.push_back(part_.key_name(k) + " belongs to a section whose members reduce, and " +
                      part_.why_nowhere(k));
}

template <class T>
void section_place<T>::tell(int child, branches homes) const {
  auto& m = make_message<section_homes<T>>();
  m.collection = part_.id();
  m.section_id = id();
  m.homes = std::move(homes);
  part_.pe().dispatch(m, child);
}

template <class T>
void section_place<T>::tell_of_lack(int pe) const {
  auto& m = make_message<section_lack<T>>();
  m.collection = part_.id();
  m.section_id = id();
  m.why = part_.creation_failure;
  part_.pe().dispatch(m, pe);
}

template <class T, class V, class Op>
struct section_partial;
template <class T, class V, class Op>
struct section_result;

/// The contributions to one all_reduce over a section on one PE; knows the types.
template <class T, class V, class Op>
class section_reduction final : public section_reduction_base {
 public:
  using place_type = section_place<T>;
  using key = typename place_type::key;
  using math = reduction<V, Op, key>;
  using partial = std::optional<typename math::partial>;
  using result = typename math::result;

  struct contribution {
    key from;
    V value;
    carried_exception thrown;  ///< in place of the value
    std::uint32_t caller;
    reply_address reply;
  };

  section_reduction(place_type& place, std::uint64_t number) : place_(place), number_(number) {}

  void add(contribution&& c) {
    contributions_.push_back(std::move(c));
    check();
  }
  /// Adds the combined value of a child's subtree, or its exception.
  void add(int child, partial&& value, carried_exception&& thrown) {
    reports_[child] = {std::move(value), std::move(thrown)};
    check();
  }
  void check() override {
    if (place_.lacks_member()) return give_up();
    if (!place_.is_known()) return place_.find();
    refuse_others();
    if (place_.members().empty() && place_.children().empty()) {  // then this PE has no part in the reduction
      place_.take(number_);
      return;
    }
    if (contributions_.size() == place_.members().size() && reports_.size() == place_.children().size())
      report();
  }
  /// Sends the result of all to the children and to the members whose home this PE is. Must be the last call.
  void end(const result& all, const carried_exception& thrown) {
    const auto self = place_.take(number_);
    for (const int child : place_.children()) pass_down(all, thrown, child);
    for (auto& c : contributions_) answer(all, thrown, c);
  }

  std::string missing() const override {
    std::vector<std::string> names;
    for (const auto& k : place_.members())
      if (std::none_of(contributions_.begin(), contributions_.end(),
                       [&](const auto& c) { return c.from == k; }))
        names.push_back(place_.part().key_name(k));
    for (const int child : place_.children())
      if (!reports_.contains(child)) names.push_back("members whose home is PE " + std::to_string(child));
    return names.empty() ? "its result" : join_names(names);
  }

 private:
  struct of_child {
    partial value;
    carried_exception thrown;
  };

  void give_up() {
    const auto self = place_.take(number_);
    for (auto& c : contributions_)
      send_failure(c.caller, c.reply, "a reduction", place_.part().why_missing({}));
  }

  void refuse_others() {
    for (; members_here_ < contributions_.size();) {
      const auto& c = contributions_[members_here_];
      const auto& members = place_.members();
      const auto before = [](const key& a, const key& b) { return key_less(a, b); };
      if (std::binary_search(members.begin(), members.end(), c.from, before)) {
        ++members_here_;
        continue;
      }
      const auto& part = place_.part();
      send_failure(c.caller, c.reply, "all_reduce",
                   carried_exception(std::make_exception_ptr(
                       error(part.key_name(c.from) + " is not a member of that section"))));
      contributions_.erase(contributions_.begin() + static_cast<std::ptrdiff_t>(members_here_));
    }
  }

  void report() {
    partial all;
    carried_exception thrown;
    try {
      combine(all, thrown);
    } catch (...) {
      thrown = thrown_by_reduction(place_.part().id());
    }
    const int above = place_.parent();
    if (above >= 0) return report_to(above, std::move(all), std::move(thrown));
    result whole{};
    try {
      if (!thrown) whole = math::finish(std::move(*all));
    } catch (...) {
      thrown = thrown_by_reduction(place_.part().id());
    }
    end(whole, thrown);
  }

  /// Combines in the order of PEs; the exception is the first in that order.
  void combine(partial& all, carried_exception& thrown) {
    const int own = place_.part().pe().pe();
    auto report = reports_.begin();
    for (; report != reports_.end() && report->first < own; ++report) merge(all, thrown, report->second);
    add_own(all, thrown);
    for (; report != reports_.end(); ++report) merge(all, thrown, report->second);
  }
  static void merge(partial& all, carried_exception& thrown, of_child& report) {
    if (thrown) return;
    if (report.thrown)
      thrown = std::move(report.thrown);
    else
      math::merge(all, std::move(*report.value));
  }
  void add_own(partial& all, carried_exception& thrown) {
    if (thrown) return;
    std::sort(contributions_.begin(), contributions_.end(),
              [](const auto& a, const auto& b) { return key_less(a.from, b.from); });
    const auto failed = std::find_if(contributions_.begin(), contributions_.end(),
                                     [](const auto& c) { return bool(c.thrown); });
    if (failed != contributions_.end()) {
      thrown = std::move(failed->thrown);
      return;
    }
    partial own;
    for (auto& c : contributions_) math::add(own, c.from, std::move(c.value));
    if (own) math::merge(all, std::move(*own));
  }

  template <class M>
  M& message_of() const {
    auto& m = make_message<M>();
    m.collection = place_.part().id();
    m.section_id = place_.id();
    m.number = number_;
    return m;
  }
  void report_to(int above, partial&& all, carried_exception&& thrown) const {
    using report_message = section_partial<T, V, Op>;
    auto& pe = place_.part().pe();
    if (!thrown) {
      try {
        auto& m = message_of<report_message>();
        m.value = std::move(all);
        return pe.dispatch(m, above);
      } catch (...) {  // the message cannot be packed
        thrown = thrown_by_reduction(place_.part().id());
      }
    }
    auto& m = message_of<report_message>();
    m.thrown = std::move(thrown);
    pe.dispatch(m, above);
  }
  void pass_down(const result& all, carried_exception thrown, int child) const {
    using result_message = section_result<T, V, Op>;
    auto& pe = place_.part().pe();
    if (!thrown) {
      try {
        result copy(all);
        auto& m = message_of<result_message>();
        m.value = std::move(copy);
        return pe.dispatch(m, child);
      } catch (...) {
        thrown = thrown_by_reduction(place_.part().id());
      }
    }
    auto& m = message_of<result_message>();
    m.thrown = std::move(thrown);
    pe.dispatch(m, child);
  }
  void answer(const result& all, carried_exception thrown, const contribution& to) const {
    if (!thrown) {
      try {
        return send_reply(to.caller, to.reply, result(all));
      } catch (...) {
        thrown = thrown_by_reduction(place_.part().id());
      }
    }
    send_failure(to.caller, to.reply, "a reduction", std::move(thrown));
  }

  place_type& place_;
  const std::uint64_t number_;
  std::vector<contribution> contributions_;
  std::size_t members_here_ = 0;  ///< number of contributions from known members
  std::map<int, of_child> reports_;
};

/// Sent by a PE to the PE above: the combined value of its subtree.
template <class T, class V, class Op>
struct section_partial final : message {
  using reduction_type = section_reduction<T, V, Op>;

  std::uint64_t section_id = 0;
  std::uint64_t number = 0;
  carried_exception thrown;  ///< in place of the value
  typename reduction_type::partial value;

  section_partial() { this->has_device_memory = carries_device_memory<typename reduction_type::partial>; }

  static inline record_of_parts<section_partial> type_record{
      {"part of a section's all_reduce", shown_type<V>::name, {}, type_name<Op>()}};
  void serialize(auto& ar) {
    ar(section_id, number, thrown);
    process_in_message(ar, value);
  }
  void collect(std::vector<device_part*>& parts)
    requires carries_device_memory<typename reduction_type::partial>
  {
    collect_device_parts(value, parts);
  }
  void deliver() {
    deliver_in_tree<T>(*this, [this](auto& part) {
      const message_guard guard(*this);
      auto& place = section_place<T>::of(part, section_id);
      if (auto* const all = place.template reduction_of<reduction_type>(number))
        all->add(static_cast<int>(origin), std::move(value), std::move(thrown));
    });
  }
};

/// Sent from the root down the tree.
template <class T, class V, class Op>
struct section_result final : message {
  using reduction_type = section_reduction<T, V, Op>;

  std::uint64_t section_id = 0;
  std::uint64_t number = 0;
  carried_exception thrown;  ///< in place of the value
  typename reduction_type::result value{};

  section_result() { this->has_device_memory = carries_device_memory<typename reduction_type::result>; }

  static inline record_of_parts<section_result> type_record{
      {"result of a section's all_reduce", shown_type<V>::name, {}, type_name<Op>()}};
  void serialize(auto& ar) {
    ar(section_id, number, thrown);
    if (!thrown) process_in_message(ar, value);
  }
  void collect(std::vector<device_part*>& parts)
    requires carries_device_memory<typename reduction_type::result>
  {
    collect_device_parts(value, parts);
  }
  void deliver() {
    deliver_in_tree<T>(*this, [this](auto& part) {
      const message_guard guard(*this);
      auto& place = section_place<T>::of(part, section_id);
      if (auto* const all = place.template reduction_of<reduction_type>(number)) all->end(value, thrown);
    });
  }
};

/// A member's contribution, sent to the member's home.
template <class T, class V, class Op>
struct section_contribution final : message {
  using reduction_type = section_reduction<T, V, Op>;

  std::uint64_t section_id = 0;
  std::uint64_t number = 0;
  typename reduction_type::key from{};
  carried_exception thrown;  ///< in place of the value, which could not be packed
  V value{};

  section_contribution() { this->has_device_memory = carries_device_memory<V>; }

  static inline record_of_parts<section_contribution> type_record{
      {"contribution to a section's all_reduce", shown_type<V>::name, {}, type_name<Op>()}};
  void serialize(auto& ar) {
    ar(section_id, number, from, thrown);
    if (!thrown) process_in_message(ar, value);
  }
  void collect(std::vector<device_part*>& parts)
    requires carries_device_memory<V>
  {
    collect_device_parts(value, parts);
  }
  void deliver() {
    deliver_to_part_of<T>(*this, [this](auto& part) {
      const message_guard guard(*this);
      auto& place = section_place<T>::of(part, section_id);
      if (auto* const all = place.template reduction_of<reduction_type>(number))
        all->add({from, std::move(value), std::move(thrown), origin, reply});
    });
  }
};

}  // namespace detail

template <class Derived, class Index>
template <class V, class Op>
auto chare<Derived, Index>::all_reduce(const section<Derived>& over, V value, Op) {
  if constexpr (detail::operation_fits<Op, V>()) {
    using message = detail::section_contribution<Derived, V, Op>;
    auto& h = detail::header_of(*this);
    auto& pe = h.home->pe();
    const auto& part = static_cast<const detail::collection<Derived>&>(*h.home);
    const std::uint64_t collection = pe.number_of(over.collection());
    if (collection != part.id()) {
      pe.check_run(collection, detail::shown_type<Derived>::name);
      throw error(part.key_name(h.key) + " is not a member of that section, which is of another array");
    }
    const int home = part.home_of(h.key);
    const std::uint64_t own_number = h.section_reductions.count(over.id());
    pending<typename message::reduction_type::result> result("the result of all_reduce over a section");
    const auto contribution = [&]() -> message& {
      auto& m = detail::make_message<message>();
      m.collection = collection;
      m.reply = result.address();
      m.section_id = over.id();
      m.number = own_number;
      m.from = h.key;
      return m;
    };
    auto& m = contribution();
    m.value = std::move(value);
    detail::carried_exception thrown;
    try {
      pe.dispatch(m, home);
      return result;
    } catch (...) {  // the value cannot be packed, but the other members wait for it
      thrown = detail::thrown_by_reduction();
    }
    auto& instead = contribution();
    instead.thrown = std::move(thrown);
    pe.dispatch(instead, home);
    return result;
  }
}

}  // namespace imbrex
