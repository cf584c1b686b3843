// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/owner.hpp>
#include <imbrex/base/standard/sort.hpp>
#include <imbrex/core/array/section.hpp>
#include <imbrex/core/collective/section_tree.hpp>
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

/// A PE's place in the tree of a section's homes, for keys of one index type.
template <class Index>
class section_place final : public section_tree {
 public:
  using key = key_type<Index>;
  using branches = std::vector<section_branch<key>>;
  using part_type = element_map<Index>;
  struct contribution : section_contribution {
    key from{};

   protected:
    ~contribution() = default;
  };

  section_place(part_type& part, std::uint64_t id) : section_tree(part, id), array_(part) {}

  static section_place& of(part_type& part, std::uint64_t id) {
    auto& place = part.section_place(id);
    if (!place) place = make_owner<section_place>(part, id);
    return static_cast<section_place&>(*place);
  }

  // Requests of other PEs of the tree.

  /// A child requests the homes of the section's members.
  static void find(part_type& part, const requester& child, std::uint64_t id) {
    of(part, id).request_place(child.pe);
  }
  /// The parent names the homes in this PE's subtree, with their members.
  static void learn(part_type& part, std::uint64_t id, branches homes) {
    of(part, id).set_homes(std::move(homes));
  }
  /// The section lacks a member; `why` is as in `local_array::creation_failure`.
  static void lack_member(part_type& part, const requester& from, std::uint64_t id,
                          std::vector<std::byte> why) {
    if (part.creation_failure.empty()) part.creation_failure = std::move(why);
    of(part, id).lack(from.pe);
  }

 private:
  using question = request_to_part<&section_place::find, "request for a section's location">;
  using answer = request_to_part<&section_place::learn, "a section's location">;
  using news_of_lack = request_to_part<&section_place::lack_member, "reason for a section's missing member">;

  void set_homes(branches homes);
  void look_for_place() override;
  void tell_none(int child) const override { send_request<answer>(array_, child, id(), branches()); }
  void tell_of_lack(int pe) const override {
    send_request<news_of_lack>(array_, pe, id(), array_.creation_failure);
  }
  void describe_members(std::vector<std::string>& lines, std::size_t most) const override;
  std::size_t members_here() const override { return members_.size(); }
  bool is_member(const section_contribution& m) const override {
    return std::binary_search(members_.begin(), members_.end(), key_of(m),
                              [](const key& a, const key& b) { return key_less(a, b); });
  }
  std::string member_name(const section_contribution& m) const override { return array_.key_name(key_of(m)); }
  bool precedes(const section_contribution& a, const section_contribution& b) const override {
    return key_less(key_of(a), key_of(b));
  }
  std::vector<std::string> names_missing(const std::vector<owned_contribution>& from) const override;
  static const key& key_of(const section_contribution& m) { return static_cast<const contribution&>(m).from; }

  part_type& array_;
  std::vector<key> members_;  ///< at home here, in key order
};

template <class Index>
void section_place<Index>::look_for_place() {
  if (!begins_to_find()) return;
  if (!is_root()) return send_request<question>(array_, parent(), id());
  std::map<int, std::vector<key>> members_of_home;
  for (const auto& k : section_table<key>::members(array_.pe(), array_.id(), id()))
    members_of_home[array_.home_of(k)].push_back(k);
  branches homes;
  for (auto& [home, members] : members_of_home) homes.push_back({home, std::move(members)});
  set_homes(std::move(homes));
}

template <class Index>
void section_place<Index>::set_homes(branches homes) {
  const auto& pe = array_.pe();
  std::map<int, branches> below;
  for (const int child : take_asking()) below[child];
  for (auto& home : homes) {
    if (home.pe == pe.pe())
      members_ = std::move(home.members);
    else
      below[child_in_section(pe, home.pe, id())].push_back(std::move(home));
  }
  std::vector<int> reporters;
  for (auto& [child, its] : below)
    if (!its.empty()) reporters.push_back(child);
  set_known(std::move(reporters));
  for (auto& [child, its] : below) {
    send_request<answer>(array_, child, id(), std::move(its));
    if (lacks_member()) tell_of_lack(child);
  }
  const auto is_missing = [&](const key& k) { return array_.was_never_created(k); };
  if (std::any_of(members_.begin(), members_.end(), is_missing)) return lack(pe.pe());
  check_all();
}

template <class Index>
void section_place<Index>::describe_members(std::vector<std::string>& lines, std::size_t most) const {
  for (const auto& k : members_)
    if (lines.size() < most && array_.is_nowhere(k))
      lines.push_back(array_.key_name(k) + " belongs to a section whose members reduce, and " +
                      array_.why_nowhere(k));
}

template <class Index>
std::vector<std::string> section_place<Index>::names_missing(
    const std::vector<owned_contribution>& from) const {
  std::vector<std::string> names;
  for (const auto& k : members_)
    if (std::none_of(from.begin(), from.end(), [&](const auto& c) { return key_of(*c) == k; }))
      names.push_back(array_.key_name(k));
  return names;
}

template <class T, class V, class Op>
struct member_contribution final : section_place<typename T::index_type>::contribution {
  using place = section_place<typename T::index_type>;
  using values = contributions<V, Op, typename place::key, reduction_kind::of_section>;

  V value{};

  member_contribution() { this->has_attachments = carries_attachments<V>; }

  static inline record_of_parts<member_contribution> type_record{
      {"contribution to a section's all_reduce", shown_type<V>::name, {}, type_name<Op>()}};
  void serialize(auto& ar) {
    ar(this->section, this->number, this->from, this->thrown);
    if (!this->thrown) process_in_message(ar, value);
  }
  void collect(std::vector<attachment*>& parts)
    requires carries_attachments<V>
  {
    collect_attachments(value, parts);
  }
  void deliver() {
    deliver_to_part_of<T>(*this, [this](auto& part) {
      message_guard guard(*this);
      auto& home = place::of(part, this->section);
      home.contribute(guard.release());
    });
  }
  void add_to(owner<contributions_base>& all) override {
    if (!all) all = make_owner<values>();
    if (!this->thrown) static_cast<values&>(*all).add(this->from, std::move(value));
  }
};

}  // namespace detail

template <class Derived, class Index>
template <class V, class Op>
auto chare<Derived, Index>::all_reduce(const section<Derived>& over, V value, Op) {
  if constexpr (detail::operation_fits<Op, V>()) {
    using message = detail::member_contribution<Derived, V, Op>;
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
    pending<typename detail::reduction<V, Op, typename message::place::key>::result> result(
        "the result of all_reduce over a section");
    const auto contribution = [&]() -> message& {
      auto& m = detail::make_message<message>();
      m.collection = collection;
      m.reply = result.address();
      m.section = over.id();
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
