// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <imbrex/core/array/collection.hpp>
#include <imbrex/core/collective/reduction.hpp>

namespace imbrex::detail {

/// Values on their way to one PE, for members of one exchange there. `From` says who sent each.
template <class T, class Pattern>
struct exchange_bundle final : message {
  using key = key_type<typename T::index_type>;
  using from_type = typename Pattern::from_type;
  using value_type = typename Pattern::value_type;

  std::uint64_t number = 0;  ///< of the reduction that the exchange goes along with
  std::vector<from_type> from;
  std::vector<key> to;
  std::vector<value_type> values;

  static inline message_type type_record = runtime_message_type<exchange_bundle>();
  void serialize(auto& ar) { ar(number, from, to, values); }
  void deliver();
};

/// A value by itself, for a member that is not where the sender believed.
template <class T, class Pattern>
struct exchange_value final : element_message<key_type<typename T::index_type>> {
  std::uint64_t number = 0;
  typename Pattern::from_type from{};
  typename Pattern::value_type value{};

  static inline message_type type_record = runtime_message_type<exchange_value>();
  void serialize(auto& ar) { ar(this->key, number, from, value); }
  void deliver();
};

/// What a receipt says: how many more receipts come, for values that went on by themselves.
struct exchange_receipt {
  std::int32_t more = 0;

  void serialize(auto& ar) { ar(more); }
};

/// Waits, on the PE that took a bundle, until the members that it is for have joined or left; then the sender hears so.
struct open_receipt {
  std::uint32_t sender = 0;
  reply_address reply;
  int missing = 0;
  std::int32_t more = 0;

  void settle() {
    if (missing == 0) send_reply(sender, reply, exchange_receipt{more});
  }
};

/// What goes along with a reduction on this PE, made if nothing does yet. Null, and the run fails, if others here take it
/// for something else.
template <class Exchange, class T>
Exchange* exchange_at(collection<T>& part, std::uint64_t number) {
  auto& slot = part.reductions().exchange_with(number);
  if (slot == nullptr) slot = std::make_unique<Exchange>(part, number);
  auto* const its = dynamic_cast<Exchange*>(slot.get());
  if (its == nullptr) fail_reduction_types(part);
  return its;
}

/// One exchange on one PE. `Pattern` says what members give and get:
/// - `value_type` travels, with a `from_type` by which the receiver orders what it gets;
/// - `given_type` is what a member joins with; `send(exchange, from key, given)` sends its values at once, or keeps it for
///   `flush(exchange)`;
/// - `result_type finish(part, received)` makes a member's result, of values in the order of their senders.
template <class T, class Pattern>
class exchange final : public exchange_base, public reply_target {
 public:
  using key = key_type<typename T::index_type>;
  using from_type = typename Pattern::from_type;
  using value_type = typename Pattern::value_type;
  using result_type = typename Pattern::result_type;
  using received_values = std::vector<std::pair<from_type, value_type>>;

  exchange(collection<T>& part, std::uint64_t number) : part_(part), number_(number) {
    address_ = part.pe().replies().open(*this);
  }
  exchange(const exchange&) = delete;
  exchange& operator=(const exchange&) = delete;
  ~exchange() override {
    if (!is_abandoned_) part_.pe().replies().close(address_);
  }

  collection<T>& part() const { return part_; }

  /// A member here takes part, and gives that.
  void join(const key& k, typename Pattern::given_type&& given) {
    const std::size_t member = received_.size();
    received_.emplace_back();
    members_.emplace(k, member);
    if (const auto at = early_.find(k); at != early_.end()) {
      for (auto& e : at->second) {
        received_[member].emplace_back(std::move(e.from), std::move(e.value));
        --e.receipt->missing;
        e.receipt->settle();
      }
      early_.erase(at);
    }
    pattern_.send(*this, k, std::move(given));
  }

  /// A value for a member.
  void send(const from_type& from, const key& to, value_type&& value, int pe_of_member) {
    if (pe_of_member == part_.pe().pe()) {
      if (const auto at = members_.find(to); at != members_.end()) {
        received_[at->second].emplace_back(from, std::move(value));
        return;
      }
    }
    auto& bundle = bundles_[pe_of_member];
    if (bundle == nullptr) {
      bundle.reset(&make_message<exchange_bundle<T, Pattern>>());
      bundle->collection = part_.id();
      bundle->number = number_;
    }
    bundle->from.push_back(from);
    bundle->to.push_back(to);
    bundle->values.push_back(std::move(value));
  }
  void send(const from_type& from, const key& to, value_type&& value) {
    send(from, to, std::move(value), part_.place_of(to));
  }

  bool flush() override {
    pattern_.flush(*this);
    for (auto& [pe, bundle] : std::exchange(bundles_, {})) send(*bundle.release(), pe);
    return is_taken();
  }

  /// Values that have come from a PE, which hears when they have been taken.
  void take(exchange_bundle<T, Pattern>& bundle) {
    const auto receipt = std::make_shared<open_receipt>(open_receipt{bundle.origin, bundle.reply, 0, 0});
    for (std::size_t i = 0; i < bundle.to.size(); ++i)
      take(bundle.from[i], bundle.to[i], std::move(bundle.values[i]), receipt);
    receipt->settle();
  }

  carried_exception error() const override { return error_; }
  void complete(const void*) override {}
  void give(std::size_t member, reply_target& to) override {
    auto& values = received_[member];
    const auto by_sender = [](const auto& a, const auto& b) { return key_less(a.first, b.first); };
    if (!std::is_sorted(values.begin(), values.end(), by_sender))
      std::sort(values.begin(), values.end(), by_sender);
    try {
      auto result = pattern_.finish(part_, std::move(values));
      to.accept(0, std::addressof(result));
    } catch (...) {
      to.fail(0, thrown_by_reduction(part_.id()));
    }
  }
  void element_left(const chare_header& element) override {
    const auto at = early_.find(static_cast<const typename collection<T>::header&>(element).key);
    if (at == early_.end()) return;
    for (auto& e : at->second) {
      --e.receipt->missing;
      send_after(e.from, at->first, std::move(e.value), *e.receipt);
      e.receipt->settle();
    }
    early_.erase(at);
  }

  // What was sent from here is taken, or cannot be.

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
  /// The ordinal of a reply to a value by itself; that to a bundle has none.
  static constexpr std::uint32_t of_stray = 1;

  struct early_value {
    from_type from;
    value_type value;
    std::shared_ptr<open_receipt> receipt;
  };

  void send(exchange_bundle<T, Pattern>& bundle, int to) {
    bundle.reply = address_;
    try {
      part_.pe().dispatch(bundle, to);
      ++bundles_on_the_way_;
    } catch (...) {  // it cannot be packed
      error_ = thrown_by_reduction(part_.id());
    }
  }
  bool is_taken() const { return bundles_on_the_way_ == 0 && strays_ == 0; }
  void was_taken(std::uint32_t ordinal) {
    --(ordinal == of_stray ? strays_ : bundles_on_the_way_);
    if (is_taken()) part_.reductions().exchange_was_taken(number_);
  }
  void take(const from_type& from, const key& to, value_type&& value,
            const std::shared_ptr<open_receipt>& receipt) {
    if (const auto at = members_.find(to); at != members_.end()) {
      received_[at->second].emplace_back(from, std::move(value));
      return;
    }
    const auto* const element = part_.find(to);
    if (element == nullptr) return send_after(from, to, std::move(value), *receipt);
    if (element->reductions > number_) return;  // it joined elsewhere, and has left its result behind
    ++receipt->missing;
    early_[to].push_back({from, std::move(value), receipt});
  }
  void send_after(const from_type& from, const key& to, value_type&& value, open_receipt& receipt) {
    ++receipt.more;
    auto& m = make_message<exchange_value<T, Pattern>>();
    m.collection = part_.id();
    m.key = to;
    m.number = number_;
    m.from = from;
    m.value = std::move(value);
    m.origin = receipt.sender;
    m.reply = receipt.reply;
    m.reply.ordinal = of_stray;
    part_.route(m);
  }

  collection<T>& part_;
  const std::uint64_t number_;
  Pattern pattern_;
  std::unordered_map<key, std::size_t, key_hasher<key>> members_;  ///< that have joined here
  std::deque<received_values> received_;                           ///< by each of them
  std::unordered_map<key, std::vector<early_value>, key_hasher<key>> early_;
  std::map<int, std::unique_ptr<exchange_bundle<T, Pattern>, message_deleter>> bundles_;
  reply_address address_;
  std::int64_t bundles_on_the_way_ = 0;
  std::int64_t strays_ =
      0;  ///< receipts of single values that are to come; they may overtake those of their bundles
  carried_exception error_;
  bool is_abandoned_ = false;
};

template <class T, class Pattern>
void exchange_bundle<T, Pattern>::deliver() {
  auto* const part = part_for<T>(*this);
  if (part == nullptr) return;
  const message_guard mine(*this);
  if (part->is_closed()) return;
  if (auto* const its = exchange_at<exchange<T, Pattern>>(*part, number)) its->take(*this);
}

template <class T, class Pattern>
void exchange_value<T, Pattern>::deliver() {
  auto* const part = part_for<T>(*this);
  if (part == nullptr) return;
  if (part->is_closed()) return part->route(*this);
  if (part->find(this->key) == nullptr) return part->route(*this);
  const message_guard mine(*this);
  auto* const its = exchange_at<exchange<T, Pattern>>(*part, number);
  if (its == nullptr) return;
  exchange_bundle<T, Pattern> alone;
  alone.origin = this->origin;
  alone.reply = this->reply;
  alone.from.push_back(from);
  alone.to.push_back(this->key);
  alone.values.push_back(std::move(value));
  its->take(alone);
}

/// Takes nothing and gives nothing: what is reduced beside an exchange, whose pattern it names.
template <class Pattern>
struct exchange_operation {
  nothing operator()(const nothing&, const nothing&) const { return {}; }
};

/// An element takes part in its next reduction, of values V by Op, with what goes along with it: `join(its)` adds the
/// element there.
template <class Exchange, class V, class Op, class T, class Join>
auto join_with(T& chare, const char* what, V&& value, Join join) {
  auto& h = element_memory<T>::of(chare);
  auto& part = static_cast<collection<T>&>(*h.home);
  using typed = contributions<V, Op, typename collection<T>::key>;
  pending<typename Exchange::result_type> result(what);
  auto& station = part.reductions();
  const std::uint64_t number = station.begin(h, result.address());
  auto& slot = station.contributions(number);
  if (!slot) slot = std::make_unique<typed>();
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

/// An element takes part in its next collective by that pattern.
template <class Pattern, class T>
auto join_exchange(T& chare, const char* what, typename Pattern::given_type&& given) {
  return join_with<exchange<T, Pattern>, nothing, exchange_operation<Pattern>>(
      chare, what, nothing{}, [&](auto& its, const auto& key) { its.join(key, std::move(given)); });
}

/// Consecutive members of a PE in a scan: the first and the last key, and what their values come to.
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

/// No key lies between.
template <class Key>
bool follows(const Key& later, const Key& earlier) {
  if constexpr (std::is_integral_v<Key>) {
    return later != Key{} && static_cast<Key>(later - 1) == earlier;
  } else {
    return false;
  }
}

/// Puts runs side by side; those of one PE that follow each other become one, and only on that PE are they added so.
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
  void element_left(const chare_header&) override {}
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
    std::size_t next = 0;     // of the members
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
