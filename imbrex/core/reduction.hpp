// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/core/collection_base.hpp>
#include <imbrex/core/key.hpp>
#include <imbrex/core/operations.hpp>
#include <imbrex/core/pending.hpp>

namespace imbrex::detail {

/// Values with the keys of the elements that they come from; what `gather` combines.
template <class V, class Key>
struct keyed_values {
  std::vector<Key> keys;
  std::vector<V> values;

  void add(const Key& key, V&& value) {
    keys.push_back(key);
    values.push_back(std::move(value));
  }
  /// Visits all, in the order of their keys.
  template <class Visitor>
  void visit(Visitor visitor) {
    const auto places = sorted_places(keys);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::size_t at = places.empty() ? i : places[i];
      visitor(keys[at], V(std::move(values[at])));
    }
  }
  void serialize(auto& ar) { ar(keys, values); }
};

/// The arithmetic of a reduction of values V by an operation over elements named by Key.
template <class V, class Op, class Key>
struct reduction {
  static constexpr bool gathers = std::is_same_v<Op, gather_operation>;
  using partial = std::conditional_t<gathers, keyed_values<V, Key>, V>;
  using result = std::conditional_t<gathers, std::vector<V>, V>;

  static void add(std::optional<partial>& into, const Key& key, V&& value) {
    if constexpr (gathers) {
      if (!into) into.emplace();
      into->add(key, std::move(value));
    } else {
      merge(into, std::move(value));
    }
  }
  static void merge(std::optional<partial>& into, partial&& other) {
    if (!into) {
      into.emplace(std::move(other));
    } else if constexpr (gathers) {
      other.visit([&](const Key& key, V&& value) { into->add(key, std::move(value)); });
    } else {
      *into = combined(Op{}, std::move(*into), std::move(other));
    }
  }
  static result finish(partial&& all) {
    if constexpr (gathers) {
      result values;
      values.reserve(all.keys.size());
      all.visit([&](const Key&, V&& value) { values.push_back(std::move(value)); });
      return values;
    } else {
      return std::move(all);
    }
  }

  /// Its address names the three types.
  static inline const char types = 0;
};

/// What a reduction has come to: a value or an exception, or neither if nobody has contributed.
template <class Partial>
struct outcome {
  std::optional<Partial> value;
  carried_exception error;

  void serialize(auto& ar) { ar(value, error); }
};

void fail_reduction_types(collection_base& part);
[[noreturn]] void throw_no_peers(const chare_header& single);
void fail_empty_reduction(collection_base& part, std::uint32_t caller, const reply_address& reply);

template <class V, class Op, class Key>
class reduction_values final : public reduction_values_base {
 public:
  using math = reduction<V, Op, Key>;
  using partial = typename math::partial;
  using result = typename math::result;

  reduction_values() : reduction_values_base(&math::types) {}

  /// The values that `slot` holds, made if there are none yet; null, and the run ends, if they are of other
  /// types.
  static reduction_values* of(std::unique_ptr<reduction_values_base>& slot, collection_base& part) {
    if (!slot) slot = std::make_unique<reduction_values>();
    if (slot->types != &math::types) {
      fail_reduction_types(part);
      return nullptr;
    }
    return static_cast<reduction_values*>(slot.get());
  }

  void add(int from, outcome<partial>&& o) {
    auto at = parts_.end();
    while (at != parts_.begin() && std::prev(at)->first > from) --at;
    parts_.emplace(at, from, std::move(o));
  }

  void send_to_elements(collection_base& part, std::uint32_t number) override;
  void send_to_caller(collection_base&, std::uint32_t caller, const reply_address& reply) override {
    auto all = combine();
    if (all.error) return send_failure(caller, reply, "a reduction", all.error.take());
    send_reply(caller, reply, std::move(*all.value));
  }

 private:
  outcome<result> combine() {
    outcome<result> all;
    std::optional<partial> sum;
    try {
      for (auto& [from, o] : parts_) {
        if (o.error) return {{}, std::move(o.error)};
        if (o.value) math::merge(sum, std::move(*o.value));
      }
      all.value.emplace(math::finish(std::move(*sum)));
    } catch (...) {
      all.error = carried_exception(std::current_exception());
    }
    return all;
  }

  std::vector<std::pair<int, outcome<partial>>> parts_;  ///< in the order of the PEs
};

/// From the root to a PE: what an all_reduce has come to.
template <class Result>
struct reduction_result : message {
  std::uint32_t number = 0;
  outcome<Result> all;

  static inline message_type type_record = runtime_message_type<reduction_result>();
  void serialize(auto& ar) { ar(number, all); }
  void deliver() {
    const message_guard mine(*this);
    auto& pe = processor::here();
    for (const auto& who : pe.collection(collection)->reductions.take_waiting(number)) {
      auto* target = pe.replies().find(who);
      if (target == nullptr) continue;
      if (all.error) {
        target->fail(0, all.error.get());
      } else {
        static_cast<result_target<Result>*>(target)->accept(0, Result(*all.value));
      }
    }
  }
};

template <class V, class Op, class Key>
void reduction_values<V, Op, Key>::send_to_elements(collection_base& part, std::uint32_t number) {
  const auto all = combine();
  for (int p = 0; p < part.pe().num_pes(); ++p) {
    auto& m = make_message<reduction_result<result>>();
    m.collection = part.id();
    m.number = number;
    m.all = all;
    part.pe().dispatch(m, p);
  }
}

/// From a PE to the root: what its elements, or one of them that came late, contributed.
template <class V, class Op, class Key>
struct partial_message : message {
  using values = reduction_values<V, Op, Key>;

  std::uint32_t number = 0;
  std::uint64_t count = 0;
  std::int64_t change = 0;
  bool of_call = false;  ///< of what a broadcast entry returns, else of an all_reduce
  bool is_report = false;
  outcome<typename values::partial> contribution;

  static inline message_type type_record = runtime_message_type<partial_message>();
  void serialize(auto& ar) { ar(number, count, change, of_call, is_report, contribution); }
  void deliver() {
    auto& pe = processor::here();
    auto* part = pe.collection(collection);
    if (part == nullptr) return pe.hold(*this);
    const message_guard mine(*this);
    auto& at_root = part->reductions;
    auto& slot = of_call ? at_root.call_of(number).values : at_root.values(number);
    auto* all = values::of(slot, *part);
    if (all == nullptr) return;
    all->add(static_cast<int>(origin), std::move(contribution));
    if (!of_call) return at_root.add(number, static_cast<int>(origin), count, change, is_report);
    at_root.call_of(number).count += count;
    at_root.check(number);
  }
};

template <class V, class Op, class Key>
class contributions final : public contributions_base {
 public:
  using math = reduction<V, Op, Key>;

  contributions() : contributions_base(&math::types) {}

  void add(const Key& key, V&& value) { values_.add(key, std::move(value)); }

  partial_message<V, Op, Key>& fold() {
    auto& m = make_message<partial_message<V, Op, Key>>();
    m.count = values_.keys.size();
    try {
      values_.visit(
          [&](const Key& key, V&& value) { math::add(m.contribution.value, key, std::move(value)); });
    } catch (...) {
      m.contribution.error = carried_exception(std::current_exception());
    }
    return m;
  }

  message& fold(std::uint32_t number, std::int64_t change) override {
    auto& m = fold();
    m.collection = collection_;
    m.number = number;
    m.change = change;
    m.is_report = true;
    return m;
  }
  void set_collection(std::uint32_t id) { collection_ = id; }

 private:
  std::uint32_t collection_ = 0;
  keyed_values<V, Key> values_;
};

/// Contributes an element's value to its next all_reduce.
template <class V, class Op, class Key>
auto contribute(chare_header& element, const Key& key, V&& value) {
  using typed = contributions<V, Op, Key>;
  pending<typename reduction<V, Op, Key>::result> result("the result of all_reduce");
  auto& part = *element.home;
  if ((part.id() & singles_bit) != 0) throw_no_peers(element);
  auto& station = part.reductions;
  const std::uint32_t number = reduction_station::next_of(element);
  station.await(number, result.address());
  if (station.has_reported(number)) {
    typed alone;
    alone.add(key, std::move(value));
    auto& m = alone.fold();
    m.collection = part.id();
    m.number = number;
    part.pe().dispatch(m, part.root());
    return result;
  }
  auto& slot = station.contributions(number);
  if (!slot) {
    auto made = std::make_unique<typed>();
    made->set_collection(part.id());
    slot = std::move(made);
  }
  if (slot->types != &reduction<V, Op, Key>::types) {
    fail_reduction_types(part);
    return result;
  }
  static_cast<typed&>(*slot).add(key, std::move(value));
  station.contributed(number);
  return result;
}

/// Gathers, on one PE, what several elements answer to one request, and hands over the combination.
template <class V, class Op, class Key>
class collector : public result_target<V> {
 public:
  using math = reduction<V, Op, Key>;

  explicit collector(std::size_t expected) : values_(expected), missing_(expected) {
    address_ = processor::here().replies().open(*this);
  }
  virtual ~collector() { processor::here().replies().close(address_); }
  collector(const collector&) = delete;
  collector& operator=(const collector&) = delete;

  /// The reply address for the element of that ordinal; only `gather` needs keys.
  reply_address expect(std::size_t ordinal, const Key& key) {
    if constexpr (math::gathers) {
      keys_.resize(values_.size());
      keys_[ordinal] = key;
    }
    auto a = address_;
    a.ordinal = static_cast<std::uint32_t>(ordinal);
    return a;
  }

  void accept(std::uint32_t ordinal, V&& value) override {
    values_[ordinal].emplace(std::move(value));
    one_less();
  }
  void fail(std::uint32_t, std::exception_ptr why) override {
    if (!error_) error_ = carried_exception(std::move(why));
    one_less();
  }
  void abandon() noexcept override { delete this; }

 protected:
  virtual void complete(outcome<typename math::partial>&& all, std::size_t count) = 0;

 private:
  void one_less() {
    tell_part(this, 0);
    if (--missing_ > 0) return;
    tell_complete(this, 0);
    outcome<typename math::partial> all;
    all.error = std::move(error_);
    try {
      for (std::size_t i = 0; i < values_.size() && !all.error; ++i) {
        if constexpr (math::gathers) {
          math::add(all.value, keys_[i], std::move(*values_[i]));
        } else {
          math::merge(all.value, std::move(*values_[i]));
        }
      }
    } catch (...) {
      all.error = carried_exception(std::current_exception());
    }
    complete(std::move(all), values_.size());
    delete this;
  }

  std::vector<std::optional<V>> values_;
  std::vector<Key> keys_;
  std::size_t missing_;
  carried_exception error_;
  reply_address address_;
};

/// Sends its part of a reduction over a whole array to the array's root.
template <class V, class Op, class Key>
class collector_for_root final : public collector<V, Op, Key> {
 public:
  collector_for_root(std::size_t expected, collection_base& part, std::uint32_t broadcast)
      : collector<V, Op, Key>(expected), part_(part), broadcast_(broadcast) {}

 private:
  void complete(outcome<typename reduction<V, Op, Key>::partial>&& all, std::size_t count) override {
    auto& m = make_message<partial_message<V, Op, Key>>();
    m.collection = part_.id();
    m.number = broadcast_;
    m.count = count;
    m.of_call = true;
    m.contribution = std::move(all);
    part_.pe().dispatch(m, part_.root());
  }

  collection_base& part_;
  std::uint32_t broadcast_;
};

/// Sends the result of a reduction to the one who asked.
template <class V, class Op, class Key>
class collector_for_caller final : public collector<V, Op, Key> {
 public:
  collector_for_caller(std::size_t expected, std::uint32_t caller, const reply_address& reply)
      : collector<V, Op, Key>(expected), caller_(caller), reply_(reply) {}

 private:
  using math = reduction<V, Op, Key>;
  void complete(outcome<typename math::partial>&& all, std::size_t) override {
    if (all.error) return send_failure(caller_, reply_, "a reduction", all.error.take());
    send_reply(caller_, reply_, math::finish(std::move(*all.value)));
  }

  std::uint32_t caller_;
  reply_address reply_;
};

}  // namespace imbrex::detail
