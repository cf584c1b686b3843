// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <imbrex/base/owner.hpp>
#include <imbrex/base/standard/sort.hpp>
#include <imbrex/core/array/collection.hpp>
#include <imbrex/core/collective/exchange_part.hpp>
#include <imbrex/core/collective/reduction.hpp>
#include <imbrex/core/message/shown_type.hpp>
#include <imbrex/core/name/key_map.hpp>

namespace imbrex::detail {

/// Values sent to one PE, for members of one exchange there. `From` identifies the sender of each value.
template <class T, class Pattern>
struct exchange_bundle final : exchange_columns {
  std::vector<typename Pattern::from_type> from;
  std::vector<key_type<typename T::index_type>> to;
  /// In a dense pattern the rows of a matrix: for each sender, in turn, a value for each receiver. Otherwise
  /// one value for each pair.
  std::vector<typename Pattern::value_type> values;

  static inline message_type type_record =
      runtime_message_type<exchange_bundle>({"values of an exchange", shown_type<T>::name});
  void serialize(auto& ar) { ar(number, from, to, values); }
  std::size_t size() const override { return to.size(); }
  void deliver();
};

/// A single column, for a member that is not on the PE that the sender expected.
template <class T, class Pattern>
struct exchange_stray final : element_message<key_type<typename T::index_type>> {
  using bundle = exchange_bundle<T, Pattern>;

  owner<bundle, message_deleter> content;

  static inline message_type type_record =
      runtime_message_type<exchange_stray>({"value of an exchange", shown_type<T>::name});
  void serialize(auto& ar) {
    if constexpr (std::remove_cvref_t<decltype(ar)>::reading) content.reset(&make_message<bundle>());
    ar(this->key);
    content->serialize(ar);
  }
  void deliver();
};

/// The exchange of a reduction on this PE, created on first use. Null if members here disagree on its type;
/// then the run fails.
template <class Exchange, class T>
Exchange* exchange_at(collection<T>& part, std::uint64_t number) {
  auto& slot = part.reductions().exchange_with(number);
  if (slot == nullptr) slot = make_owner<Exchange>(part, number);
  auto* const its = dynamic_cast<Exchange*>(slot.get());
  if (its == nullptr) fail_reduction_types(part);
  return its;
}

/// One exchange on one PE. `Pattern` defines the values that members give and get:
/// - `value_type` is sent, with a `from_type` that identifies its sender;
/// - `add(part, key, values)` stores a member's values. A dense pattern (`is_dense`) returns them for sending
///   by `take_rows(part)`: each row is a `from_type` and a value for each member. Other patterns return them
///   by `take_outgoing()`: each is a `from_type`, a receiver and a value;
/// - a `member` gathers received values by `put(member, from, value)`; `finish(part, member)` makes the
///   member's `result_type` from them, once all have been received.
template <class T, class Pattern>
class exchange final : public exchange_part {
 public:
  using key = key_type<typename T::index_type>;
  using result_type = typename Pattern::result_type;
  using bundle = exchange_bundle<T, Pattern>;

  exchange(collection<T>& part, std::uint64_t number) : exchange_part(part, number), part_(part) {}

  /// A member here joins the exchange with its values.
  template <class Argument>
  void join(const key& k, Argument&& values) {
    // An element that has ended may have left an entry.
    if (members_.find(k) != nullptr) members_.erase(k);
    members_.insert(k, joined_.emplace_back(part_, joined_.size()));
    pattern_.add(part_, k, std::forward<Argument>(values));
  }

  void give(std::size_t member, reply_target& to) override {
    try {
      auto result = pattern_.finish(part_, joined_[member]);
      to.accept(0, std::addressof(result));
    } catch (...) {
      to.fail(0, thrown_by_reduction(part_.id()));
    }
  }

 private:
  using member = typename Pattern::member;

  bundle& bundle_in(owned_columns& slot) const {
    if (slot == nullptr) {
      auto& b = make_message<bundle>();
      b.collection = part_.id();
      b.number = number();
      slot.reset(&b);
    }
    return static_cast<bundle&>(*slot);
  }
  static const key& receiver(const exchange_columns& all, std::size_t column) {
    return static_cast<const bundle&>(all).to[column];
  }
  /// The member with this key, if it is here.
  member* member_at(int pe, const key& k) const { return pe == part_.pe().pe() ? members_.find(k) : nullptr; }

  void fill(columns_by_pe& all) override {
    if constexpr (Pattern::is_dense)
      fill_dense(all);
    else
      fill_sparse(all);
  }
  void fill_dense(columns_by_pe& all) {
    auto rows = pattern_.take_rows(part_);
    if (rows.empty()) return;
    std::vector<std::pair<member*, std::size_t>> members_here;
    for (std::uint64_t k = 0; k < rows.front().second.size(); ++k) {
      const int pe = part_.place_of(k);
      if (member* const m = member_at(pe, k))
        members_here.emplace_back(m, static_cast<std::size_t>(k));
      else
        bundle_in(all[pe]).to.push_back(k);
    }
    for (auto& [from, values] : rows)
      for (const auto& [m, k] : members_here) pattern_.put(*m, from, std::move(values[k]));
    for (auto& [pe, slot] : all) {
      bundle& b = bundle_in(slot);
      b.from.reserve(rows.size());
      b.values.reserve(rows.size() * b.to.size());
      for (auto& [from, values] : rows) {
        b.from.push_back(from);
        for (const std::uint64_t k : b.to) b.values.push_back(std::move(values[static_cast<std::size_t>(k)]));
      }
    }
  }
  void fill_sparse(columns_by_pe& all) {
    for (auto& [from, to, value] : pattern_.take_outgoing()) {
      const int pe = part_.place_of(to);
      if (member* const m = member_at(pe, to)) {
        pattern_.put(*m, from, std::move(value));
        continue;
      }
      bundle& b = bundle_in(all[pe]);
      b.from.push_back(from);
      b.to.push_back(to);
      b.values.push_back(std::move(value));
    }
  }
  exchange_member* member_of(const exchange_columns& all, std::size_t column) const override {
    return members_.find(receiver(all, column));
  }
  const chare_header* element_of(const exchange_columns& all, std::size_t column) const override {
    return part_.find(receiver(all, column));
  }
  void give_columns(exchange_columns& all, const std::vector<exchange_member*>& members) override {
    auto& b = static_cast<bundle&>(all);
    if constexpr (Pattern::is_dense) {
      auto value = b.values.begin();
      for (const auto& sender : b.from)
        for (exchange_member* const m : members) {
          if (m != nullptr) pattern_.put(static_cast<member&>(*m), sender, std::move(*value));
          ++value;
        }
    } else {
      for (std::size_t i = 0; i < members.size(); ++i)
        if (members[i] != nullptr)
          pattern_.put(static_cast<member&>(*members[i]), b.from[i], std::move(b.values[i]));
    }
  }
  /// In a dense bundle all columns have the same senders.
  void move_column(exchange_columns& from, std::size_t column, owned_columns& into) override {
    auto& b = static_cast<bundle&>(from);
    bundle& rest = bundle_in(into);
    if constexpr (Pattern::is_dense) {
      std::vector<typename Pattern::value_type> widened;
      auto value = rest.values.begin();
      for (std::size_t row = 0; row < b.from.size(); ++row) {
        for (std::size_t i = 0; i < rest.to.size(); ++i) widened.push_back(std::move(*value++));
        widened.push_back(std::move(b.values[row * b.to.size() + column]));
      }
      rest.values = std::move(widened);
      rest.from = b.from;
    } else {
      rest.from.push_back(b.from[column]);
      rest.values.push_back(std::move(b.values[column]));
    }
    rest.to.push_back(b.to[column]);
  }
  void forward(owned_columns column) override {
    auto& m = make_message<exchange_stray<T, Pattern>>();
    m.content.reset(static_cast<bundle*>(column.release()));
    m.collection = part_.id();
    m.key = m.content->to.front();
    m.origin = m.content->origin;
    m.reply = m.content->reply;
    part_.route(m);
  }

  collection<T>& part_;
  Pattern pattern_;
  key_map<key, member> members_;
  std::deque<member> joined_;  ///< the members that have joined here, in order of joining
};

template <class T, class Pattern>
void exchange_bundle<T, Pattern>::deliver() {
  deliver_to_part_of<T>(*this, [this](auto& part) {
    message_guard guard(*this);
    if (part.is_closed()) return;
    auto* const its = exchange_at<exchange<T, Pattern>>(part, number);
    if (its != nullptr) its->take(guard.release());
  });
}

template <class T, class Pattern>
void exchange_stray<T, Pattern>::deliver() {
  deliver_to_element<T>(*this, [this](chare_header& e) {
    const message_guard guard(*this);
    content->origin = this->origin;
    content->reply = this->reply;
    auto& part = static_cast<detail::collection<T>&>(*e.home);
    auto* const its = exchange_at<exchange<T, Pattern>>(part, content->number);
    if (its != nullptr) its->take(*content.release());
  });
}

/// The empty reduction that accompanies an exchange; its type names the pattern.
template <class Pattern>
struct exchange_operation {
  nothing operator()(const nothing&, const nothing&) const { return {}; }
};

/// Makes an element take part in its next reduction, of values V by Op, and in the accompanying exchange:
/// `join(its)` adds the element to the exchange.
template <class Exchange, class V, class Op, class T, class Join>
auto join_with(T& chare, const char* what, V&& value, Join join) {
  auto& h = element_memory<T>::of(chare);
  auto& part = static_cast<collection<T>&>(*h.home);
  using typed = contributions<V, Op, typename collection<T>::key>;
  pending<typename Exchange::result_type> result(what);
  auto& station = part.reductions();
  const std::uint64_t number = station.begin(h, result.address());
  auto& slot = station.contributions(number);
  if (!slot) slot = make_owner<typed>();
  auto* const its = exchange_at<Exchange>(part, number);
  if (slot->kind().id != typed::whole::type_record.id || its == nullptr) {
    fail_reduction_types(part);
    return result;
  }
  static_cast<typed&>(*slot).add(h.key, std::move(value));
  join(*its, h.key);
  station.contributed(number);
  return result;
}

/// Makes an element take part in its next collective with this pattern.
template <class Pattern, class T, class Argument>
auto join_exchange(T& chare, const char* what, Argument&& values) {
  return join_with<exchange<T, Pattern>, nothing, exchange_operation<Pattern>>(
      chare, what, nothing{},
      [&](auto& its, const auto& key) { its.join(key, std::forward<Argument>(values)); });
}

/// A run of consecutive members of a PE in a scan: the first and last key, and their combined value.
template <class Key, class V>
struct scan_run {
  int pe = 0;
  Key first{};
  Key last{};
  V value{};

  void serialize(auto& ar) { ar(pe, first, last, value); }
};

template <class Key, class V>
struct scan_runs {
  std::vector<scan_run<Key, V>> runs;

  void serialize(auto& ar) { ar(runs); }
};

/// True if no key lies between the two.
template <class Key>
bool follows(const Key& later, const Key& earlier) {
  if constexpr (std::is_integral_v<Key>) {
    return later != Key{} && static_cast<Key>(later - 1) == earlier;
  } else {
    return false;
  }
}

/// Concatenates runs. Consecutive runs of one PE are combined into one, on that PE only.
template <class Op>
struct scan_operation {
  template <class Key, class V>
  void append(scan_runs<Key, V>& to, scan_runs<Key, V>& added) const {
    for (auto& run : added.runs) {
      auto& last = to.runs.back();
      if (last.pe == run.pe && follows(run.first, last.last)) {
        last.value = combined(Op{}, std::move(last.value), std::move(run.value));
        last.last = run.last;
      } else {
        to.runs.push_back(std::move(run));
      }
    }
  }
};

/// The members of a scan on one PE.
template <class T, class V, class Op, bool IsInclusive>
class scan_members final : public exchange_base {
 public:
  using key = key_type<typename T::index_type>;
  using runs = scan_runs<key, V>;
  using result_type = std::conditional_t<IsInclusive, V, std::optional<V>>;

  scan_members(collection<T>& part, std::uint64_t /*number*/) : part_(part) {}

  void join(const key& k, V&& value) {
    keys_.push_back(k);
    values_.push_back(std::move(value));
  }

  void complete(const void* result) override {
    try {
      results_.resize(keys_.size());
      compute(static_cast<const runs*>(result)->runs);
    } catch (...) {
      error_ = thrown_by_reduction(part_.id());
    }
  }
  void give(std::size_t member, reply_target& to) override {
    if (error_) return to.fail(0, error_);
    if constexpr (IsInclusive) {
      to.accept(0, std::addressof(*results_[member]));
    } else {
      to.accept(0, std::addressof(results_[member]));
    }
  }

 private:
  using run = scan_run<key, V>;

  void compute(const std::vector<run>& all) {
    std::vector<const run*> sorted;
    for (const auto& r : all) sorted.push_back(&r);
    std::sort(sorted.begin(), sorted.end(),
              [](const run* a, const run* b) { return key_less(a->first, b->first); });
    auto order = sorted_places(keys_);
    if (order.empty())
      for (std::size_t i = 0; i < keys_.size(); ++i) order.push_back(i);
    std::optional<V> before;  // all runs before
    std::size_t next = 0;     // index of the next member
    for (const run* r : sorted) {
      std::optional<V> so_far = before;
      for (; next < order.size() && !key_less(r->last, keys_[order[next]]); ++next) {
        const std::size_t member = order[next];
        auto with = so_far ? combined(Op{}, V(*so_far), V(values_[member])) : values_[member];
        results_[member] = IsInclusive ? std::optional<V>(with) : std::move(so_far);
        so_far = std::move(with);
      }
      before = before ? combined(Op{}, V(*before), V(r->value)) : r->value;
    }
  }

  collection<T>& part_;
  std::vector<key> keys_;
  std::vector<V> values_;
  std::vector<std::optional<V>> results_;
  carried_exception error_;
};

template <class Op, bool IsInclusive, class T, class V>
auto join_scan(T& chare, V&& value) {
  using members = scan_members<T, V, Op, IsInclusive>;
  const auto& h = element_memory<T>::of(chare);
  typename members::runs own{{{h.home->pe().pe(), h.key, h.key, value}}};
  return join_with<members, typename members::runs, scan_operation<Op>>(
      chare, "the result of a scan", std::move(own),
      [&](auto& its, const auto& key) { its.join(key, std::move(value)); });
}

}  // namespace imbrex::detail
