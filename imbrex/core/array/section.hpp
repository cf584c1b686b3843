// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <imbrex/core/array/send.hpp>

namespace imbrex {
namespace detail {

/// The keys of a section's members, in their order, each once.
template <class Key>
class section_list final : public section_base {
 public:
  section_list(std::uint64_t of, std::vector<Key> keys) : section_base(of), keys_(std::move(keys)) {
    std::sort(keys_.begin(), keys_.end(), [](const Key& a, const Key& b) { return key_less(a, b); });
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  }

  /// The keys of a section that was made on this PE.
  static const std::vector<Key>& of(std::uint64_t collection, std::uint64_t id) {
    return static_cast<const section_list&>(processor::here().section(collection, id)).keys_;
  }

 private:
  std::vector<Key> keys_;
};

/// Calls entry M of some members of a section. It goes to the PE where they were last known to be.
template <class T, auto M>
struct section_share final : message {
  using content_type = entry_message<T, M>;
  using key = key_type<typename T::index_type>;

  std::vector<std::pair<key, std::uint32_t>> members;  ///< with the ordinals of their answers
  std::unique_ptr<content_type, message_deleter> content;

  section_share() = default;
  explicit section_share(content_type& c) : content(&c) {}

  static inline message_type type_record = runtime_message_type<section_share>(
      {"share of a section's broadcast", type_name<T>(), member_name<M>()});
  void serialize(auto& ar) {
    if constexpr (std::remove_cvref_t<decltype(ar)>::reading) content.reset(&make_message<content_type>());
    ar(members);
    content->serialize(ar);
  }
  void deliver() {
    if (processor::here().has_ended(this->collection)) return refuse();
    auto* part = part_for<T>(*this);
    if (part == nullptr) return;
    const message_guard guard(*this);
    element_work turns(part->pe());
    for (const auto& [k, ordinal] : members) {
      this->reply.ordinal = ordinal;
      give(*part, k, turns);
    }
  }

 private:
  /// Refuses the call of each member by itself, because an answer from each is expected.
  void refuse() {
    const message_guard guard(*this);
    for (const auto& [k, ordinal] : members) {
      this->reply.ordinal = ordinal;
      refuse_ended(addressed(content->copy(), k), type_name<T>());
    }
  }
  void give(detail::collection<T>& part, const key& k, element_work& turns) {
    auto* const e = part.find(k);
    if (e == nullptr) return part.route(addressed(content->copy(), k));
    auto& pe = part.pe();
    if (pe.separates_broadcasts()) return pe.dispatch(addressed(content->copy(), k), pe.pe());
    const message_type& kind = content->shown_kind();
    turns.begin(*e, &kind);
    const element_turn turn(pe, kind, part, *e, *this);
    if constexpr (content_type::is_shareable) {
      addressed(*content, k).call(*e);
    } else {
      addressed(content->copy(), k).run_on(*e);
    }
  }
  content_type& addressed(content_type& m, const key& k) const {
    m.collection = this->collection;
    m.key = k;
    m.priority = this->priority;
    m.origin = this->origin;
    m.reply = this->reply;
    return m;
  }
};

/// Calls entry M of every member of a section. It goes to the PE that has the list.
template <class T, auto M, class Op>
struct section_broadcast final : message {
  static constexpr bool reduces = !std::is_same_v<Op, no_operation>;
  using content_type = entry_message<T, M>;
  using value = storable<typename traits_of<M>::result>;
  using key = key_type<typename T::index_type>;

  std::uint64_t section_id = 0;
  std::unique_ptr<content_type, message_deleter> content;

  section_broadcast() = default;
  section_broadcast(std::uint64_t id, content_type& c) : section_id(id), content(&c) {}

  static inline message_type type_record =
      runtime_message_type<section_broadcast>({"section's broadcast", type_name<T>(), member_name<M>()});
  void serialize(auto& ar) {
    if constexpr (std::remove_cvref_t<decltype(ar)>::reading) content.reset(&make_message<content_type>());
    ar(section_id);
    content->serialize(ar);
  }
  void deliver() {
    auto& pe = processor::here();
    auto* part = part_for<T>(*this);
    if (part == nullptr) return;
    const message_guard guard(*this);
    const auto& members = section_list<key>::of(this->collection, section_id);
    if constexpr (reduces)
      if (members.empty()) return answer_of_none(*part);
    std::map<int, std::vector<std::uint32_t>> members_of_pe;
    for (std::uint32_t i = 0; i < members.size(); ++i) members_of_pe[part->place_of(members[i])].push_back(i);
    reply_address answer;
    if constexpr (reduces) {
      auto* results = new collector<value, Op, key>(members.size());
      results->send_to_caller(this->origin, this->reply);
      for (std::size_t i = 0; i < members.size(); ++i) answer = results->expect(i, members[i]);
    }
    for (auto& [to, ordinals] : members_of_pe) {
      const bool is_last = to == members_of_pe.rbegin()->first;
      auto& m = make_message<section_share<T, M>>(is_last ? *content.release() : content->copy());
      m.collection = this->collection;
      m.priority = this->priority;
      m.reply = answer;
      m.members.reserve(ordinals.size());
      for (const auto i : ordinals) m.members.emplace_back(members[i], i);
      pe.dispatch(m, to);
    }
  }

 private:
  void answer_of_none(local_array& part) {
    if constexpr (std::is_same_v<Op, completion_operation>)
      send_end(this->origin, this->reply);
    else
      fail_empty_reduction(part, this->origin, this->reply);
  }
};

template <class T, auto M, class Op, class... A>
void post_to_section(const section<T>& to, const reply_address& reply, A&&... arguments) {
  auto& pe = processor::here();
  const std::uint64_t number = pe.number_of(to.collection());
  if (pe.collection(number) == nullptr) pe.check_run(number, type_name<T>(), member_name<M>());
  const int root = pe.root_of_section(to.id());
  auto& content = make_sent_message<T, M>(pe, std::forward<A>(arguments)...);
  auto& m = make_message<section_broadcast<T, M, Op>>(to.id(), content);
  m.collection = number;
  m.priority = to.priority();
  m.reply = reply;
  pe.dispatch(m, root);
}

template <class V, class Op, class Key>
class section_reduction final : public section_reduction_base {
 public:
  using math = reduction<V, Op, Key>;
  struct part {
    Key key;
    V value;
    carried_exception thrown;  ///< instead of the value
    std::uint32_t caller;
    reply_address reply;
  };

  void add(part&& p) { parts_.push_back(std::move(p)); }
  std::size_t size() const { return parts_.size(); }

  void answer() {
    std::sort(parts_.begin(), parts_.end(), [](auto& a, auto& b) { return key_less(a.key, b.key); });
    const auto failed = std::ranges::find_if(parts_, [](const part& p) { return bool(p.thrown); });
    if (failed != parts_.end()) return fail(carried_exception(failed->thrown));
    std::optional<typename math::partial> all;
    carried_exception thrown;
    try {
      for (auto& p : parts_) math::add(all, p.key, std::move(p.value));
      const auto result = math::finish(std::move(*all));
      for (auto& p : parts_) send_reply(p.caller, p.reply, typename math::result(result));
    } catch (...) {
      thrown = thrown_by_reduction();
    }
    if (thrown) fail(thrown);
  }

 private:
  void fail(const carried_exception& why) {
    for (auto& p : parts_) send_failure(p.caller, p.reply, "a reduction", why);
  }

  std::vector<part> parts_;
};

/// A member's contribution to an all_reduce over a section. It goes to the PE that has the list.
template <class T, class V, class Op>
struct section_contribution final : message {
  using key = key_type<typename T::index_type>;
  using values = section_reduction<V, Op, key>;

  std::uint64_t section_id = 0;
  std::uint64_t number = 0;
  key from{};
  carried_exception thrown;  ///< instead of the value, which could not be packed
  V value{};

  static inline message_type type_record = runtime_message_type<section_contribution>(
      {"part of a section's all_reduce", type_name<V>(), {}, type_name<Op>()});
  void serialize(auto& ar) {
    ar(section_id, number, from, thrown);
    if (!thrown) ar(value);
  }
  void deliver() {
    auto* part = part_for<T>(*this);
    if (part == nullptr) return;
    const message_guard guard(*this);
    const auto& members = section_list<key>::of(this->collection, section_id);
    if (!std::binary_search(members.begin(), members.end(), from,
                            [](const key& a, const key& b) { return key_less(a, b); }))
      return send_failure(
          this->origin, this->reply, "all_reduce",
          carried_exception(std::make_exception_ptr(
              error(part->key_name(from, part->chare_name()) + " is not a member of that section"))));
    const std::pair which(section_id, number);
    auto& slot = part->section_reductions[which];
    if (!slot) slot = std::make_unique<values>();
    auto* all = dynamic_cast<values*>(slot.get());
    if (all == nullptr) return fail_reduction_types(*part);
    all->add({from, std::move(value), std::move(thrown), this->origin, this->reply});
    if (all->size() < members.size()) return;
    const auto complete = std::move(slot);
    part->section_reductions.erase(which);
    all->answer();
  }
};

}  // namespace detail

/// Sends to every member of a section.
template <auto M, class T, class... A>
void send(const section<T>& to, A&&... arguments) {
  if constexpr (detail::broadcast_fits<T, M, A&&...>())
    detail::post_to_section<T, M, detail::no_operation>(to, {}, std::forward<A>(arguments)...);
}

template <class T>
template <auto M, class Op, class... A>
auto section<T>::reduce(Op, A&&... arguments) const
    -> pending<typename detail::reduction_of<T, M, Op>::result> {
  using result_type = pending<typename detail::reduction_of<T, M, Op>::result>;
  if constexpr (detail::reduction_fits<T, M, Op, A&&...>()) {
    result_type result("the reduction of", &detail::shown_kind_of<T, M>(arguments...));
    detail::post_to_section<T, M, Op>(*this, result.address(), std::forward<A>(arguments)...);
    return result;
  } else {
    return result_type("nothing");
  }
}

template <class T>
template <auto M, class... A>
pending<void> section<T>::call(A&&... arguments) const {
  if constexpr (detail::call_of_all_fits<T, M, A&&...>()) {
    pending<void> result("the end of all", &detail::shown_kind_of<T, M>(arguments...));
    detail::post_to_section<T, M, detail::completion_operation>(*this, result.address(),
                                                                std::forward<A>(arguments)...);
    return result;
  } else {
    return pending<void>("nothing");
  }
}

template <class T>
imbrex::section<T> array<T>::section(std::vector<index_type> members) const {
  auto& pe = detail::processor::here();
  const std::uint64_t number = pe.number_of(collection_);
  if (auto* part = pe.collection(number))
    detail::checked<T>(*part);
  else
    pe.check_run(number, type_name<T>());
  using key = typename element<T>::key;
  std::vector<key> keys;
  keys.reserve(members.size());
  for (const auto& i : members) keys.push_back((*this)[i].key_value());
  return {collection_, pe.add_section(std::make_unique<detail::section_list<key>>(number, std::move(keys))),
          priority_};
}

template <class Derived, class Index>
template <class V, class Op>
auto chare<Derived, Index>::all_reduce(const section<Derived>& over, V value, Op) {
  if constexpr (detail::operation_fits<Op, V>()) {
    using message = detail::section_contribution<Derived, V, Op>;
    auto& h = detail::header_of(*this);
    auto& pe = h.home->pe();
    const std::uint64_t collection = pe.number_of(over.collection());
    if (pe.collection(collection) == nullptr) pe.check_run(collection, type_name<Derived>());
    const int root = pe.root_of_section(over.id());
    if (!h.section_reductions)
      h.section_reductions = std::make_unique<std::vector<std::pair<std::uint64_t, std::uint64_t>>>();
    auto& counts = *h.section_reductions;
    auto at = std::find_if(counts.begin(), counts.end(), [&](auto& c) { return c.first == over.id(); });
    if (at == counts.end()) at = counts.insert(counts.end(), {over.id(), 0});
    pending<typename message::values::math::result> result("the result of all_reduce over a section");
    const auto contribution = [&, number = at->second++]() -> message& {
      auto& m = detail::make_message<message>();
      m.collection = collection;
      m.reply = result.address();
      m.section_id = over.id();
      m.number = number;
      m.from = h.key;
      return m;
    };
    auto& m = contribution();
    m.value = std::move(value);
    detail::carried_exception thrown;
    try {
      pe.dispatch(m, root);
      return result;
    } catch (...) {  // it cannot be packed, and the others wait for it
      thrown = detail::thrown_by_reduction();
    }
    auto& instead = contribution();
    instead.thrown = std::move(thrown);
    pe.dispatch(instead, root);
    return result;
  }
}

}  // namespace imbrex
