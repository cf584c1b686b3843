// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <iterator>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/base/owner.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/core/collective/section_table.hpp>
#include <imbrex/core/message/shown_type.hpp>
#include <imbrex/core/name/indices.hpp>

namespace imbrex {
namespace detail {

/// Members of a section whose last known location is one PE.
template <class Key>
struct section_branch {
  int pe = 0;
  std::vector<Key> members;  ///< in key order

  void serialize(auto& ar) { ar(pe, members); }
};

/// Splits a list of PEs among a PE's children: returns the ends of the parts, behind and before the PE's own
/// position in the list. At most `tree_place::arity` parts, none empty. O(parts).
std::vector<std::size_t> section_parts(std::size_t before, std::size_t behind);

/// Gathers, on one PE of a section's tree, the replies of its own members and the combined values of the PEs
/// below. Sends the combination to the PE above, or to the caller. Values are combined in the order of keys
/// on a PE, and then in the order of PEs.
template <class V, class Op, class Key>
class section_collector final : public collector_base {
 public:
  using math = reduction<V, Op, Key>;
  using partial = std::optional<typename math::partial>;

  /// `own`: this PE's members. `parts_before` is the number of parts whose values precede theirs.
  section_collector(const std::vector<Key>& own, std::size_t parts_before, std::size_t parts)
      : collector_base(make_message<whole>(), own.size() + parts),
        keys_(own),
        own_(new std::optional<V>[own.size()]),
        parts_(parts),
        parts_before_(parts_before) {}

  reply_address address_of_member(std::size_t i) const { return address_of(i); }
  reply_address address_of_part(std::size_t i) const { return address_of(keys_.size() + i); }

  void accept(std::uint32_t ordinal, void* result) override {
    if (ordinal < keys_.size())
      own_[ordinal].emplace(std::move(*static_cast<V*>(result)));
    else
      parts_.at(ordinal - keys_.size()) = std::move(*static_cast<partial*>(result));
    answered();
  }
  void found_none(std::uint32_t) override { answered(); }

 private:
  using whole = partial_message<V, Op, Key, reduction_kind::of_call>;

  reply_address address_of(std::size_t ordinal) const {
    auto a = address();
    a.ordinal = static_cast<std::uint32_t>(ordinal);
    return a;
  }
  void fold(partial_result& into) override {
    auto& all = static_cast<whole&>(into).value;
    for (std::size_t p = 0; p < parts_before_; ++p) merge(all, parts_[p]);
    partial local_share;
    for (std::size_t i = 0; i < keys_.size(); ++i)
      if (own_[i]) math::add(local_share, keys_[i], std::move(*own_[i]));
    merge(all, local_share);
    for (std::size_t p = parts_before_; p < parts_.size(); ++p) merge(all, parts_[p]);
  }
  static void merge(partial& into, partial& part) {
    if (part) math::merge(into, std::move(*part));
  }
  message& report(partial_result& of) const override {
    return make_message<reply_message<partial>>(std::move(static_cast<whole&>(of).value));
  }

  const std::vector<Key> keys_;
  owner<std::optional<V>, delete_array> own_;
  std::vector<partial> parts_;
  const std::size_t parts_before_;
};

/// Calls entry M of the section members on some PEs, which form a subtree of the section's tree. The message
/// goes to the first of these PEs, which forwards it to the others. Each PE knows only the list in the
/// message, so the tree may differ from one message to the next.
template <class T, auto M, class Op>
struct section_share final : message {
  static constexpr bool reduces = !std::is_same_v<Op, no_operation>;
  using content_type = entry_message<T, M>;
  using value = storable<typename traits_of<M>::result>;
  using key = key_type<typename T::index_type>;
  using branches = std::vector<section_branch<key>>;
  using owned_content = owner<content_type, message_deleter>;

  branches below;  ///< by PE, ascending; the addressee first
  owned_content content;

  section_share() { this->has_attachments = entry_carries<T, M>(); }
  section_share(branches b, content_type& c) : below(std::move(b)), content(&c) {
    this->has_attachments = entry_carries<T, M>();
  }

  static inline record_of_parts<section_share> type_record{
      {"share of a section's broadcast", shown_type<T>::name, member_name<M>()}};
  const message_type* named_kind() const
    requires takes_name<M>
  {
    return content ? content->kind().named(*content) : nullptr;
  }
  void serialize(auto& ar) {
    if constexpr (std::remove_cvref_t<decltype(ar)>::reading) content.reset(&make_message<content_type>());
    ar(below);
    content->serialize(ar);
  }
  void collect(std::vector<attachment*>& parts)
    requires(entry_carries<T, M>())
  {
    content->kind().collect_attachments(*content, parts);
  }
  void deliver() {
    if (processor::here().has_ended(this->collection)) return refuse();
    deliver_to_part_of<T>(*this, [this](auto& part) {
      const message_guard guard(*this);
      spread(part, std::move(below), 0, *this, content);
    });
  }

  /// Forwards the members on other PEs, and calls the members here: those in `all[own]`, or none if `own` is
  /// out of range. `request` has the address for the combination of all.
  static void spread(detail::collection<T>& part, branches all, std::size_t own, const message& request,
                     owned_content& content) {
    const bool has_own = own < all.size() && all[own].pe == part.pe().pe();
    std::vector<key> local_share;
    if (has_own) local_share = std::move(all[own].members);
    const std::size_t behind = own + (has_own ? 1 : 0);
    const auto ends = section_parts(own, all.size() - behind);
    const auto before = static_cast<std::size_t>(
        std::count_if(ends.begin(), ends.end(), [&](std::size_t end) { return end <= own; }));
    [[maybe_unused]] auto* const results = collector_for(request, local_share, before, ends.size());
    std::size_t begin = 0;
    for (std::size_t p = 0; p < ends.size(); ++p) {
      if (p == before) begin = behind;
      const std::size_t end = p < before ? ends[p] : ends[p] + behind - own;
      branches some(std::make_move_iterator(all.begin() + static_cast<std::ptrdiff_t>(begin)),
                    std::make_move_iterator(all.begin() + static_cast<std::ptrdiff_t>(end)));
      begin = end;
      const int to = some.front().pe;
      const bool is_last_use = local_share.empty() && p + 1 == ends.size();
      auto& m =
          make_message<section_share>(std::move(some), is_last_use ? *content.release() : content->copy());
      m.collection = part.id();
      m.priority = request.priority;
      if constexpr (reduces) m.reply = results->address_of_part(p);
      part.pe().dispatch(m, to);
    }
    element_work turns(part.pe());
    for (std::size_t i = 0; i < local_share.size(); ++i) {
      content->collection = part.id();
      content->key = local_share[i];
      content->priority = request.priority;
      content->origin = static_cast<std::uint32_t>(part.pe().pe());
      if constexpr (reduces) content->reply = results->address_of_member(i);
      give(part, *content, turns, request);
    }
  }

 private:
  using collector_type = std::conditional_t<reduces, section_collector<value, Op, key>, nothing>;

  static collector_type* collector_for([[maybe_unused]] const message& request,
                                       [[maybe_unused]] const std::vector<key>& local_share,
                                       [[maybe_unused]] std::size_t before,
                                       [[maybe_unused]] std::size_t parts) {
    if constexpr (reduces) {
      auto* const results = new collector_type(local_share, before, parts);
      if (request.kind().id == type_record.id)
        results->report_to(request.origin, request.reply);
      else
        results->send_to_caller(request.origin, request.reply);
      return results;
    } else {
      return nullptr;
    }
  }
  static void give(detail::collection<T>& part, content_type& content, element_work& turns,
                   const message& request) {
    auto* const e = part.find(content.key);
    if (e == nullptr) return part.route(addressed_copy(content));
    auto& pe = part.pe();
    if (pe.separates_broadcasts()) return pe.dispatch(addressed_copy(content), pe.pe());
    const message_type& kind = content.shown_kind();
    turns.begin(*e, &kind);
    const element_turn turn(pe, kind, part, *e, request);
    if constexpr (content_type::is_shareable)
      content.call(*e);
    else
      addressed_copy(content).run_on(*e);
  }
  static content_type& addressed_copy(const content_type& content) {
    auto& m = content.copy();
    m.collection = content.collection;
    m.key = content.key;
    m.priority = content.priority;
    m.reply = content.reply;
    return m;
  }
  /// Refuses for all members at once: a waiting caller expects one reply from the whole subtree.
  void refuse() {
    const message_guard guard(*this);
    auto& m = content->copy();
    m.collection = this->collection;
    m.key = below.front().members.front();
    m.origin = this->origin;
    m.reply = this->reply;
    refuse_ended(m, shown_type<T>::name);
  }
};

/// Calls entry M of every member of a section. The message goes to the PE that has the member list.
template <class T, auto M, class Op>
struct section_broadcast final : message {
  using share = section_share<T, M, Op>;
  using content_type = entry_message<T, M>;
  using key = key_type<typename T::index_type>;

  std::uint64_t section_id = 0;
  owner<content_type, message_deleter> content;

  section_broadcast() { this->has_attachments = entry_carries<T, M>(); }
  section_broadcast(std::uint64_t id, content_type& c) : section_id(id), content(&c) {
    this->has_attachments = entry_carries<T, M>();
  }

  static inline record_of_parts<section_broadcast> type_record{
      {"section's broadcast", shown_type<T>::name, member_name<M>()}};
  const message_type* named_kind() const
    requires takes_name<M>
  {
    return content ? content->kind().named(*content) : nullptr;
  }
  void serialize(auto& ar) {
    if constexpr (std::remove_cvref_t<decltype(ar)>::reading) content.reset(&make_message<content_type>());
    ar(section_id);
    content->serialize(ar);
  }
  void collect(std::vector<attachment*>& parts)
    requires(entry_carries<T, M>())
  {
    content->kind().collect_attachments(*content, parts);
  }
  void deliver() {
    deliver_to_part_of<T>(*this, [this](auto& part) { spread(part); });
  }

 private:
  void spread(detail::collection<T>& part) {
    const message_guard guard(*this);
    const auto& members = section_table<key>::members(processor::here(), this->collection, section_id);
    if constexpr (share::reduces)
      if (members.empty()) return answer_of_none(part);
    std::map<int, std::vector<key>> members_of_pe;
    for (const auto& k : members) members_of_pe[part.place_of(k)].push_back(k);
    typename share::branches all;
    all.reserve(members_of_pe.size());
    std::size_t own = 0;  // this PE's index in `all`
    for (auto& [pe, of_pe] : members_of_pe) {
      if (pe < part.pe().pe()) ++own;
      all.push_back({pe, std::move(of_pe)});
    }
    share::spread(part, std::move(all), own, *this, content);
  }
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
  if (pe.collection(number) == nullptr) check_run<T, M>(pe, number, arguments...);
  const int root = root_of_section(pe, to.id());
  auto& content = make_sent_message<T, M>(pe, std::forward<A>(arguments)...);
  auto& m = make_message<section_broadcast<T, M, Op>>(to.id(), content);
  m.collection = number;
  m.priority = to.priority();
  m.reply = reply;
  pe.dispatch(m, root);
}

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

namespace detail {

/// Makes a section on this PE.
template <class T>
section<T> section_of(const array<T>& all, std::vector<typename element<T>::key> members) {
  auto& pe = processor::here();
  const std::uint64_t number = pe.number_of(all.collection());
  if (auto* part = pe.collection(number))
    checked<T>(*part);
  else
    pe.check_run(number, shown_type<T>::name);
  const std::uint64_t id = section_table<typename element<T>::key>::add(pe, number, std::move(members));
  return {all.collection(), id, all.priority()};
}

}  // namespace detail

template <class T>
imbrex::section<T> array<T>::section(std::vector<index_type> members) const {
  std::vector<typename element<T>::key> keys;
  keys.reserve(members.size());
  for (const auto& i : members) keys.push_back((*this)[i].key_value());
  return detail::section_of(*this, std::move(keys));
}

template <class T>
template <detail::slice... S>
  requires(detail::is_index<typename array<T>::index_type> &&
           sizeof...(S) == detail::dimensions_of<typename array<T>::index_type>)
imbrex::section<T> array<T>::section(S... slices) const {
  index_type origin;
  index_type extents;
  index_type strides;
  int d = 0;
  const auto take = [&](const auto& slice) {
    const auto range = detail::range_of(slice, shape_[d]);
    detail::check_slice(range, d, shape_[d], detail::shown_type<T>::name);
    origin[d] = static_cast<int>(range.first);
    extents[d] = range.count();
    strides[d] = static_cast<int>(range.stride);
    ++d;
  };
  (take(slices), ...);
  std::vector<typename element<T>::key> keys;
  keys.reserve(static_cast<std::size_t>(detail::volume(extents)));
  for (auto at : indices(extents)) {
    for (int e = 0; e < d; ++e) at[e] = origin[e] + at[e] * strides[e];
    keys.push_back(detail::linear(shape_, at));
  }
  return detail::section_of(*this, std::move(keys));
}

}  // namespace imbrex
