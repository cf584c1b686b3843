// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/base/owner.hpp>
#include <imbrex/core/collective/key_blocks.hpp>
#include <imbrex/core/collective/reductions.hpp>
#include <imbrex/core/message/record_of_parts.hpp>
#include <imbrex/core/message/shown_type.hpp>
#include <imbrex/core/name/key.hpp>
#include <imbrex/core/name/operations.hpp>
#include <imbrex/core/pe/local_array.hpp>
#include <imbrex/core/pe/pending.hpp>

namespace imbrex::detail {

/// Values with the keys of the contributing elements; the result type of `gather`.
template <class V, class Key>
struct keyed_values {
  std::vector<Key> keys;
  std::vector<V> values;

  void add(const Key& key, V&& value) {
    keys.push_back(key);
    values.push_back(std::move(value));
  }
  /// Visits all values, in key order.
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
  static constexpr bool needs_keys = gathers;
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
};

/// The arithmetic of a reduction by key. Values must be added in key order.
template <class V, class Op, class Key>
struct reduction<V, by_key_operation<Op>, Key> {
  static constexpr bool needs_keys = true;
  using partial = std::conditional_t<std::is_same_v<Key, std::uint64_t>, key_blocks<V>, keyed_values<V, Key>>;
  using result = V;

  static void add(std::optional<partial>& into, const Key& key, V&& value) {
    if (!into) into.emplace();
    if constexpr (std::is_same_v<Key, std::uint64_t>)
      into->template add<Op>(key, std::move(value));
    else
      into->add(key, std::move(value));
  }
  static void merge(std::optional<partial>& into, partial&& other) {
    if (!into) {
      into.emplace(std::move(other));
    } else if constexpr (std::is_same_v<Key, std::uint64_t>) {
      into->template merge<Op>(std::move(other));
    } else {
      other.visit([&](const Key& key, V&& value) { into->add(key, std::move(value)); });
    }
  }
  static result finish(partial&& all) {
    if constexpr (std::is_same_v<Key, std::uint64_t>) {
      return all.template finish<Op>();
    } else {
      key_blocks<V> numbered;
      std::uint64_t number = 0;
      all.visit([&](const Key&, V&& value) { numbered.template add<Op>(number++, std::move(value)); });
      return numbered.template finish<Op>();
    }
  }
};

/// A reply that may have attachments, which land before the caller gets it.
template <class R>
  requires carries_attachments<R>
struct reply_message<R> : message {
  R result{};

  reply_message() { has_attachments = true; }
  explicit reply_message(R&& r) : result(std::move(r)) { has_attachments = holds_attachments(result); }

  static inline record_of_parts<reply_message> type_record{
      {.what = "reply", .of = shown_type<R>::name, .answers = true}};
  void serialize(auto& ar) { process_in_message(ar, result); }
  void collect(std::vector<attachment*>& parts) { collect_attachments(result, parts); }
  void deliver() {
    const message_guard guard(*this);
    auto* const target = processor::running_here().replies().find(reply);
    if (target == nullptr) return;
    carried_exception thrown;
    try {
      land_attachments(result);
    } catch (...) {
      thrown = carried_exception(std::current_exception());
    }
    if (thrown) return target->fail(reply.ordinal, std::move(thrown));
    target->accept(reply.ordinal, std::addressof(result));
  }
};

/// Sent by the root to a PE: the result of an all_reduce over an array, or over a section.
template <class Result, reduction_kind Kind>
struct reduction_result final : shared_result {
  static constexpr bool is_of_section = Kind == reduction_kind::of_section;
  Result value{};

  reduction_result() { has_attachments = carries_attachments<Result>; }
  explicit reduction_result(const Result& v) : value(v) { has_attachments = carries_attachments<Result>; }
  explicit reduction_result(Result&& v) : value(std::move(v)) {
    has_attachments = carries_attachments<Result>;
  }

  static inline record_of_parts<reduction_result> type_record{
      {is_of_section ? "result of a section's all_reduce" : "result of an all_reduce",
       shown_type<Result>::name},
      attachment_use::collective};
  void serialize(auto& ar) {
    if constexpr (is_of_section) ar(section);
    ar(number);
    process_in_message(ar, value);
  }
  void collect(std::vector<attachment*>& parts)
    requires carries_attachments<Result>
  {
    collect_attachments(value, parts);
  }
  const void* content() const override { return std::addressof(value); }
  shared_result& copy() const override {
    if constexpr (requires { value.passed_on(); })
      return make_message<reduction_result>(value.passed_on());
    else
      return make_message<reduction_result>(value);
  }
  void give(reply_target& to) const override {
    Result own_copy(value);
    to.accept(0, std::addressof(own_copy));
  }
  message* reply_to_member() const override {
    if constexpr (is_of_section)
      return &make_message<reply_message<Result>>(Result(value));
    else
      return nullptr;
  }
};

/// The contributions of the elements of some PEs, or of one late element, to an all_reduce; or their replies
/// to a broadcast.
template <class V, class Op, class Key, reduction_kind Kind>
struct partial_message final : partial_result {
  using math = reduction<V, Op, Key>;
  using result_type = typename math::result;
  /// True if long arrays are only listed, and combined in pieces when all are known.
  static constexpr bool is_in_pieces = Kind == reduction_kind::all_reduce;

  /// Empty if there is an error, or if all called elements had ended.
  std::optional<typename math::partial> value;

  partial_message() : partial_result(Kind) { has_attachments = carries_attachments<typename math::partial>; }

  static inline record_of_parts<partial_message> type_record{
      {Kind == reduction_kind::of_call      ? "part of a reduction"
       : Kind == reduction_kind::of_section ? "part of a section's all_reduce"
                                            : "part of an all_reduce",
       shown_type<V>::name,
       {},
       type_name<Op>()},
      attachment_use::collective};
  void serialize(auto& ar) {
    if constexpr (Kind == reduction_kind::of_section) ar(section);
    serialize_counts(ar);
    process_in_message(ar, value);
  }
  void collect(std::vector<attachment*>& parts)
    requires carries_attachments<typename math::partial>
  {
    collect_attachments(value, parts);
  }
  void prepare() override {
    if constexpr (requires { math::prepare(*value); })
      if (value) math::prepare(*value);
  }
  void merge(std::span<const owned_partial> later) override {
    if constexpr (requires { math::merge_all(value, {}); }) {
      std::vector<typename math::partial> others;
      for (const owned_partial& each : later)
        if (auto& other = static_cast<partial_message&>(*each).value) others.push_back(std::move(*other));
      is_in_pieces ? math::join_all(value, std::move(others)) : math::merge_all(value, std::move(others));
    } else {
      for (const owned_partial& each : later)
        if (auto& other = static_cast<partial_message&>(*each).value) math::merge(value, std::move(*other));
    }
  }
  bool has_value() const override { return value.has_value(); }
  partial_result* spare() const override {
    if constexpr (bitwise<typename math::partial>) return nullptr;
    auto& m = make_message<partial_message>();
    m.collection = collection;
    m.section = section;
    m.is_report = is_report;
    m.has_elements = has_elements;
    m.number = number;
    m.count = count;
    m.change = change;
    return &m;
  }
  message& result() override {
    if constexpr (is_in_pieces && requires { math::divide(*value); })
      if (message* const in_pieces = math::divide(*value)) return *in_pieces;
    using message_to_many = reduction_result<result_type, Kind>;
    using message_to_one = reply_message<result_type>;
    return make_message<std::conditional_t<Kind == reduction_kind::of_call, message_to_one, message_to_many>>(
        math::finish(std::move(*value)));
  }
};

/// The contributions of one PE's elements to one all_reduce: each value with its element's key.
template <class V, class Op, class Key, reduction_kind Kind = reduction_kind::all_reduce>
class contributions final : public contributions_base {
 public:
  using whole = partial_message<V, Op, Key, Kind>;

  contributions() : contributions_base(make_message<whole>()) {}

  void add(const Key& key, V&& value) { values_.add(key, std::move(value)); }

 private:
  std::size_t size() const override { return values_.keys.size(); }
  void fold(partial_result& into) override {
    auto& all = static_cast<whole&>(into).value;
    values_.visit([&](const Key& key, V&& value) { reduction<V, Op, Key>::add(all, key, std::move(value)); });
  }

  keyed_values<V, Key> values_;
};

/// Contributes an element's value to its next all_reduce.
template <class V, class Op, class Key>
auto contribute(chare_header& element, const Key& key, V&& value) {
  using typed = contributions<V, Op, Key>;
  pending<typename reduction<V, Op, Key>::result> result("the result of all_reduce");
  auto& station = element.home->reductions();
  const std::uint64_t number = station.begin(element, result.address());
  auto& slot = station.contributions(number);
  if (!slot) slot = make_owner<typed>();
  if (slot->kind().id == typed::whole::type_record.id) {
    static_cast<typed&>(*slot).add(key, std::move(value));
    station.contributed(number);
  } else {
    fail_reduction_types(*element.home);
  }
  return result;
}

/// Gathers, on one PE, the replies of several elements to one request, and passes on the combination: to this
/// PE's part of their array, to the array's root, or to the caller.
class collector_base : public reply_target {
 public:
  /// Sets the receiver of the combination; call one of these before the first reply.
  void give_to_part(const local_array& part, std::uint64_t broadcast);
  void send_to_root(const local_array& part, std::uint64_t broadcast);
  /// `what` names the request in error texts; the pointer is kept.
  void send_to_caller(std::uint32_t caller, const reply_address& reply, const char* what = "a reduction");
  /// Sends the combination to another collector, as a message made by `report`.
  void report_to(std::uint32_t parent, const reply_address& reply);

  void fail(std::uint32_t, carried_exception why) final;
  carried_exception held_error() const final { return whole_->error; }
  void abandon() noexcept final { delete this; }

 protected:
  collector_base(partial_result& whole, std::size_t expected);
  virtual ~collector_base();
  collector_base(const collector_base&) = delete;
  collector_base& operator=(const collector_base&) = delete;

  const reply_address& address() const { return address_; }
  /// Counts one more reply. The last one makes the collector send the combination and end.
  void answered() {
    tell_part(this, 0);
    if (--missing_ == 0) complete();
  }
  virtual void fold(partial_result& into) = 0;
  /// The message to another collector. Not called unless `report_to` was.
  virtual message& report(partial_result& of) const;

 private:
  void complete();
  void send_report();

  owned_partial whole_;
  std::size_t missing_;
  reply_address address_;
  enum class destination : std::uint8_t { caller, part, root, parent } to_ = destination::caller;
  std::uint32_t caller_ = 0;
  reply_address reply_;
  const char* what_ = "a reduction";
};

/// Collects the replies, in the order of the called elements.
template <class V, class Op, class Key>
class collector final : public collector_base {
 public:
  explicit collector(std::size_t expected)
      : collector_base(make_message<whole>(), expected),
        expected_(expected),
        values_(new std::optional<V>[expected]) {
    if constexpr (math::needs_keys) keys_.resize(expected);
  }

  /// The reply address for the element with this ordinal.
  reply_address expect(std::size_t ordinal, const Key& key) {
    if constexpr (math::needs_keys) keys_[ordinal] = key;
    auto a = address();
    a.ordinal = static_cast<std::uint32_t>(ordinal);
    return a;
  }
  void add(std::size_t ordinal, V&& value) {
    values_[ordinal].emplace(std::move(value));
    answered();
  }
  void accept(std::uint32_t ordinal, void* result) override {
    add(ordinal, std::move(*static_cast<V*>(result)));
  }
  void found_none([[maybe_unused]] std::uint32_t ordinal) override {
    if constexpr (std::is_same_v<V, nothing>)  // only the end of the call matters
      add(ordinal, nothing{});
    else
      answered();
  }

 private:
  using math = reduction<V, Op, Key>;
  using whole = partial_message<V, Op, Key, reduction_kind::of_call>;

  void fold(partial_result& into) override {
    auto& all = static_cast<whole&>(into).value;
    if constexpr (math::needs_keys) {
      keyed_values<V, Key> values;
      for (std::size_t i = 0; i < expected_; ++i)
        if (values_[i]) values.add(keys_[i], std::move(*values_[i]));
      values.visit([&](const Key& key, V&& value) { math::add(all, key, std::move(value)); });
    } else {
      for (std::size_t i = 0; i < expected_; ++i)
        if (values_[i]) math::merge(all, std::move(*values_[i]));
    }
  }

  std::size_t expected_;
  owner<std::optional<V>, delete_array> values_;
  std::vector<Key> keys_;
};

}  // namespace imbrex::detail
