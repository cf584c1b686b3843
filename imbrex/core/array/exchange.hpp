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
#include <imbrex/core/collective/reduction.hpp>
#include <imbrex/core/message/shown_type.hpp>
#include <imbrex/core/name/key_map.hpp>

namespace imbrex::detail {

/// Values sent to one PE, for members of one exchange there. `From` identifies the sender of each value.
template <class T, class Pattern>
struct exchange_bundle final : message {
  using key = key_type<typename T::index_type>;
  using from_type = typename Pattern::from_type;
  using value_type = typename Pattern::value_type;

  std::uint64_t number = 0;  ///< number of the reduction that belongs to the exchange
  std::vector<from_type> from;
  std::vector<key> to;
  /// In a dense pattern the rows of a matrix: for each sender, in turn, a value for each receiver. Otherwise
  /// one value for each pair.
  std::vector<value_type> values;

  static inline message_type type_record =
      runtime_message_type<exchange_bundle>({"values of an exchange", shown_type<T>::name});
  void serialize(auto& ar) { ar(number, from, to, values); }
  void deliver();
};

/// A single value, for a member that is not on the PE that the sender expected.
template <class T, class Pattern>
struct exchange_value final : element_message<key_type<typename T::index_type>> {
  std::uint64_t number = 0;
  typename Pattern::from_type from{};
  typename Pattern::value_type value{};

  static inline message_type type_record =
      runtime_message_type<exchange_value>({"value of an exchange", shown_type<T>::name});
  void serialize(auto& ar) { ar(this->key, number, from, value); }
  void deliver();

 private:
  void take_at(collection<T>& part);
};

/// The content of a receipt: the number of further receipts, for values that were forwarded singly.
struct exchange_receipt {
  std::int32_t more = 0;

  void serialize(auto& ar) { ar(more); }
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
///
/// The values of members are sent when all members here have joined. Received values wait for that, too, so
/// that they are sorted at once.
template <class T, class Pattern>
class exchange final : public exchange_base, public reply_target {
 public:
  using key = key_type<typename T::index_type>;
  using from_type = typename Pattern::from_type;
  using value_type = typename Pattern::value_type;
  using result_type = typename Pattern::result_type;
  using bundle = exchange_bundle<T, Pattern>;
  using owned_bundle = owner<bundle, message_deleter>;

  exchange(collection<T>& part, std::uint64_t number)
      : part_(part), number_(number), all_have_joined_(part.reductions().has_closed(number)) {
    address_ = part.pe().replies().open(*this);
  }
  exchange(const exchange&) = delete;
  exchange& operator=(const exchange&) = delete;
  ~exchange() override {
    if (!is_abandoned_) part_.pe().replies().close(address_);
  }

  /// A member here joins the exchange with its values.
  template <class Argument>
  void join(const key& k, Argument&& values) {
    if (members_.find(k) != nullptr) members_.erase(k);  // remove the entry of an element that has ended
    members_.insert(k, joined_.emplace_back(part_, joined_.size()));
    pattern_.add(part_, k, std::forward<Argument>(values));
  }

  bool flush() override {
    all_have_joined_ = true;
    send_outgoing();
    sort_out();
    return is_taken();
  }

  /// Takes values received from a PE, which is notified when they have been taken.
  void take(bundle& b) {
    waiting_.push_back({owned_bundle(&b), b.origin, b.reply, 0});
    if (nobody_will_flush()) sort_out();
  }

  carried_exception error() const override { return error_; }
  void complete(const void*) override {}
  void give(std::size_t member, reply_target& to) override {
    try {
      auto result = pattern_.finish(part_, joined_[member]);
      to.accept(0, std::addressof(result));
    } catch (...) {
      to.fail(0, thrown_by_reduction(part_.id()));
    }
  }
  void element_left() override {
    if (nobody_will_flush()) sort_out();
  }

  // The callbacks of replies: a sent value was taken, or cannot be.

  void accept(std::uint32_t ordinal, void* result) override {
    strays_ += static_cast<exchange_receipt*>(result)->more;
    was_taken(ordinal);
  }
  void fail(std::uint32_t ordinal, carried_exception why) override {
    if (!error_) error_ = std::move(why);
    was_taken(ordinal);
  }
  carried_exception held_error() const override { return error_; }
  void abandon() noexcept override { is_abandoned_ = true; }

 private:
  using member = typename Pattern::member;
  /// The ordinal of a reply to a single value; a reply to a bundle has ordinal 0.
  static constexpr std::uint32_t of_stray = 1;

  /// Values for members that may still join, and the sender to notify when all have been taken.
  struct arrival {
    owned_bundle values;
    std::uint32_t sender = 0;
    reply_address reply;
    std::int32_t more = 0;  ///< values that were forwarded singly
  };

  /// True if no member here will flush the values. A PE without elements closes a reduction only on request,
  /// possibly after its senders have closed theirs.
  bool nobody_will_flush() const { return all_have_joined_ || part_.locals().empty(); }

  owned_bundle make_bundle() const {
    owned_bundle b(&make_message<bundle>());
    b->collection = part_.id();
    b->number = number_;
    return b;
  }

  void send_outgoing() {
    bundles bundles;
    try {
      if constexpr (Pattern::is_dense)
        fill_dense(bundles);
      else
        fill_sparse(bundles);
    } catch (...) {  // thrown by an operation
      if (!error_) error_ = thrown_by_reduction(part_.id());
    }
    for (auto& [pe, b] : bundles)
      if (!b->to.empty()) send(*b.release(), pe);
  }
  using bundles = std::map<int, owned_bundle>;
  bundle& bundle_for(bundles& all, int pe) const {
    auto& b = all[pe];
    if (b == nullptr) b = make_bundle();
    return *b;
  }
  void fill_dense(bundles& all) {
    auto rows = pattern_.take_rows(part_);
    if (rows.empty()) return;
    std::vector<std::pair<member*, std::size_t>> members_here;
    for (std::uint64_t k = 0; k < rows.front().second.size(); ++k) {
      const int pe = part_.place_of(k);
      if (member* const m = pe == part_.pe().pe() ? members_.find(k) : nullptr)
        members_here.emplace_back(m, static_cast<std::size_t>(k));
      else
        bundle_for(all, pe).to.push_back(k);
    }
    for (auto& [from, values] : rows)
      for (const auto& [m, k] : members_here) pattern_.put(*m, from, std::move(values[k]));
    for (auto& [pe, b] : all) {
      b->from.reserve(rows.size());
      b->values.reserve(rows.size() * b->to.size());
      for (auto& [from, values] : rows) {
        b->from.push_back(from);
        for (const std::uint64_t k : b->to)
          b->values.push_back(std::move(values[static_cast<std::size_t>(k)]));
      }
    }
  }
  void fill_sparse(bundles& all) {
    for (auto& [from, to, value] : pattern_.take_outgoing()) {
      const int pe = part_.place_of(to);
      if (member* const m = pe == part_.pe().pe() ? members_.find(to) : nullptr) {
        pattern_.put(*m, from, std::move(value));
        continue;
      }
      auto& b = bundle_for(all, pe);
      b.from.push_back(from);
      b.to.push_back(to);
      b.values.push_back(std::move(value));
    }
  }
  void send(bundle& b, int to) {
    b.reply = address_;
    try {
      part_.pe().dispatch(b, to);
      ++bundles_on_the_way_;
    } catch (...) {  // the bundle cannot be packed
      error_ = thrown_by_reduction(part_.id());
    }
  }
  bool is_taken() const { return bundles_on_the_way_ == 0 && strays_ == 0; }
  void was_taken(std::uint32_t ordinal) {
    --(ordinal == of_stray ? strays_ : bundles_on_the_way_);
    if (is_taken()) part_.reductions().exchange_was_taken(number_);
  }

  /// Gives received values to the members that have joined, and forwards values for elements that are not
  /// here. The other values stay in `waiting_`.
  void sort_out() {
    for (auto& a : std::exchange(waiting_, {})) {
      owned_bundle rest;
      sort_out(a, rest);
      if (rest != nullptr)
        waiting_.push_back({std::move(rest), a.sender, a.reply, a.more});
      else
        send_reply(a.sender, a.reply, exchange_receipt{a.more});
    }
  }
  void sort_out(arrival& a, owned_bundle& rest) {
    auto& b = *a.values;
    std::vector<member*> members;
    members.reserve(b.to.size());
    for (std::size_t column = 0; column < b.to.size(); ++column) {
      members.push_back(members_.find(b.to[column]));
      if (members.back() == nullptr) set_aside(a, column, rest);
    }
    if constexpr (Pattern::is_dense) {
      auto value = b.values.begin();
      for (const auto& from : b.from)
        for (member* const m : members) {
          if (m != nullptr) pattern_.put(*m, from, std::move(*value));
          ++value;
        }
    } else {
      for (std::size_t i = 0; i < members.size(); ++i)
        if (members[i] != nullptr) pattern_.put(*members[i], b.from[i], std::move(b.values[i]));
    }
  }
  /// Forwards or keeps the values in a bundle that are for a member that has not joined here.
  void set_aside(arrival& a, std::size_t column, owned_bundle& rest) {
    auto& b = *a.values;
    const auto* const element = part_.find(b.to[column]);
    if (element != nullptr && element->reductions > number_)
      return;  // the member joined on another PE and its result was dropped there
    const auto each = [&](auto visit) {
      if constexpr (Pattern::is_dense)
        for (std::size_t row = 0; row < b.from.size(); ++row)
          visit(b.from[row], b.values[row * b.to.size() + column]);
      else
        visit(b.from[column], b.values[column]);
    };
    if (element == nullptr)
      return each(
          [&](const from_type& from, auto&& value) { send_after(a, from, b.to[column], std::move(value)); });
    if (rest == nullptr) rest = make_bundle();
    add_to_rest(*rest, b, column, each);
  }
  /// In a dense bundle all columns have the same senders; so does the rest.
  void add_to_rest(bundle& rest, const bundle& b, std::size_t column, auto each) {
    if constexpr (Pattern::is_dense) {
      std::vector<value_type> widened;
      auto value = rest.values.begin();
      each([&](const from_type&, auto&& added) {
        for (std::size_t i = 0; i < rest.to.size(); ++i) widened.push_back(std::move(*value++));
        widened.push_back(std::move(added));
      });
      rest.values = std::move(widened);
      rest.from = b.from;
    } else {
      each([&](const from_type& from, auto&& value) {
        rest.from.push_back(from);
        rest.values.push_back(std::move(value));
      });
    }
    rest.to.push_back(b.to[column]);
  }
  void send_after(arrival& a, const from_type& from, const key& to, value_type&& value) {
    ++a.more;
    auto& m = make_message<exchange_value<T, Pattern>>();
    m.collection = part_.id();
    m.key = to;
    m.number = number_;
    m.from = from;
    m.value = std::move(value);
    m.origin = a.sender;
    m.reply = a.reply;
    m.reply.ordinal = of_stray;
    part_.route(m);
  }

  collection<T>& part_;
  const std::uint64_t number_;
  bool all_have_joined_;  ///< true once all elements here have joined; others may still arrive
  Pattern pattern_;
  std::deque<member> joined_;  ///< the members that have joined here, in order of joining
  key_map<key, member> members_;
  std::vector<arrival> waiting_;
  reply_address address_;
  std::int64_t bundles_on_the_way_ = 0;
  std::int64_t strays_ =
      0;  ///< outstanding receipts of single values; may arrive before the receipts of their bundles
  carried_exception error_;
  bool is_abandoned_ = false;
};

template <class T, class Pattern>
void exchange_bundle<T, Pattern>::deliver() {
  deliver_to_part_of<T>(*this, [this](auto& part) {
    message_guard guard(*this);
    if (part.is_closed()) return;
    auto* const its = exchange_at<exchange<T, Pattern>>(part, number);
    if (its == nullptr) return;
    guard.release();
    its->take(*this);
  });
}

template <class T, class Pattern>
void exchange_value<T, Pattern>::deliver() {
  deliver_to_element<T>(*this, [this](chare_header& e) { take_at(static_cast<collection<T>&>(*e.home)); });
}

template <class T, class Pattern>
void exchange_value<T, Pattern>::take_at(collection<T>& part) {
  const message_guard guard(*this);
  auto* const its = exchange_at<exchange<T, Pattern>>(part, number);
  if (its == nullptr) return;
  auto& alone = make_message<exchange_bundle<T, Pattern>>();
  alone.collection = this->collection;
  alone.number = number;
  alone.origin = this->origin;
  alone.reply = this->reply;
  alone.from.push_back(from);
  alone.to.push_back(this->key);
  alone.values.push_back(std::move(value));
  its->take(alone);
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

  bool flush() override { return true; }
  carried_exception error() const override { return {}; }
  void element_left() override {}
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
