// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <imbrex/core/collective/reduction.hpp>
#include <imbrex/core/gpu/combination.hpp>
#include <imbrex/core/gpu/device_pieces.hpp>
#include <imbrex/core/gpu/device_transfers.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/gpu/shared_device_buffer.hpp>

/// Reductions of arrays in device memory: `all_reduce` and `reduce` of `device_buffer<T>`s. They use the
/// trees and the order of reductions of values. Kernels combine arrays element by element. Contributed
/// contents are complete when ready (`device_buffer::ready_after`). The host waits only where data cross to
/// another process. All receive the result as a `shared_device_buffer<T>`, and streams wait for its
/// `ready()`.
///
///     device_buffer<double> own(gpu(), n);
///     work_.launch(fill, own.span());
///     const auto all = co_await all_reduce(std::move(own).ready_after(work_), imbrex::sum);
///     work_.wait(all.ready());
///     work_.launch(use, all.span());

namespace imbrex::detail {

template <class T>
struct combined_elsewhere<device_buffer<T>> {
  using type = T;

  template <bool is_ordered>
  static consteval void check_order() {
    static_assert(!is_ordered,
                  "imbrex: `gather` and `by_key` are not for memory of devices: copy it to a std::vector, or "
                  "combine it by the operation itself");
  }
  template <class Op>
  static consteval void refuse() {
    static_assert(std::is_void_v<Op>, "imbrex: memory of devices is combined by all_reduce and reduce alone");
  }
};

/// The contribution of several elements on its path to the root. Either one combined array, or the list of
/// long arrays, which are combined when all are known.
template <class T>
class reduced_buffer {
 public:
  reduced_buffer() noexcept = default;
  reduced_buffer(device_buffer<T>&& one) noexcept : terms_(std::move(*one.part())) {}

  device_terms& terms() noexcept { return terms_; }
  /// The part to serialise for another process; there, always one combined array.
  attachment* part() noexcept { return &terms_.one(); }

  /// True if the array arrived on a PE that will combine it, and is copied to its device in the order of the
  /// combining stream.
  bool is_in_order = false;

 private:
  device_terms terms_;
};

template <class T>
inline constexpr bool stays_with_device<reduced_buffer<T>> = true;
template <class T>
inline constexpr bool is_attachment<reduced_buffer<T>> = true;

/// Throws imbrex::error unless the arrays have equal lengths.
void check_lengths(const device_terms& first, const device_terms& other);

/// Brings an array to this PE's device, if it is elsewhere. True if the copy is in the order of the combining
/// stream.
bool land_to_be_combined(attachment& part);
/// Brings an array to this PE's device if needed. Returns the combining stream, ordered after the array.
stream& bring_to_be_combined(attachment& part, bool is_in_order);

/// Sent by the root to a PE: the result of an all_reduce, once all devices have combined their pieces.
template <class T>
struct result_in_pieces final : shared_result {
  std::shared_ptr<device_pieces> pieces;
  shared_device_buffer<T> whole;

  result_in_pieces() {
    is_object = true;
    has_attachments = true;
  }
  static inline record_of_parts<result_in_pieces> type_record{
      {"result of an all_reduce, in pieces", type_name<T>()}, attachment_use::collective};
  void serialize(auto&) {}                    // never leaves its process
  void collect(std::vector<attachment*>&) {}  // refers to device memory without containing it
  shared_result& copy() const override {
    auto& m = make_message<result_in_pieces>();
    m.pieces = pieces;
    return m;
  }
  const void* content() const override { return nullptr; }
  bool is_shared_work() const override { return true; }
  void begin_work() override { pieces->order_here(); }
  void end_work() override { whole = shared_device_buffer<T>(pieces->whole_here()); }
  void give(reply_target& to) const override {
    shared_device_buffer<T> own_copy(whole);
    to.accept(0, std::addressof(own_copy));
  }
};

template <class T, class Op, class Key>
  requires(!is_by_key<Op>)
struct reduction<device_buffer<T>, Op, Key> {
  static constexpr bool needs_keys = false;
  using partial = reduced_buffer<T>;
  using result = shared_device_buffer<T>;

  static void prepare(partial& came) {
    if (came.terms().is_one() && !is_reduced_in_pieces(came.part()->bytes()))
      came.is_in_order = land_to_be_combined(*came.part());
  }
  static void add(std::optional<partial>& into, const Key&, device_buffer<T>&& value) {
    merge(into, partial(std::move(value)));
  }
  static void merge(std::optional<partial>& into, partial&& other) {
    std::vector<partial> others;
    others.push_back(std::move(other));
    merge_all(into, std::move(others));
  }
  /// Combines from left to right, one after the other.
  static void merge_all(std::optional<partial>& into, std::vector<partial>&& others) {
    auto first = others.begin();
    if (!into && first != others.end()) into.emplace(std::move(*first++));
    if (first == others.end()) return;
    for (auto each = first; each != others.end(); ++each) check_lengths(into->terms(), each->terms());
    attachment& all = *into->part();
    if (all.count() == 0) return;
    stream& order = bring_to_be_combined(all, into->is_in_order);
    std::vector<const void*> added;
    for (auto each = first; each != others.end(); ++each) {
      bring_to_be_combined(*each->part(), each->is_in_order);
      added.push_back(each->part()->address());
    }
    combine(order, all.address(), added, all.count(), all.device());
    all.ready_after(order);
    into->is_in_order = false;
  }
  /// Combines the arrays, or, if they are long, only lists them for combination in pieces.
  static void join_all(std::optional<partial>& into, std::vector<partial>&& others) {
    if (!into || !is_reduced_in_pieces(into->terms().count() * sizeof(T)))
      return merge_all(into, std::move(others));
    for (partial& each : others) {
      check_lengths(into->terms(), each.terms());
      into->terms().append(std::move(each.terms()));
    }
  }
  /// A message with the listed terms; null if the array is combined already.
  static message* divide(partial& all) {
    if (all.terms().is_one()) return nullptr;
    auto& m = make_message<result_in_pieces<T>>();
    m.pieces = std::make_shared<device_pieces>(std::move(all.terms()), &combine);
    return &m;
  }
  static result finish(partial&& all) {
    land_attachment(*all.part());
    return result(shared_memory(std::move(*all.part())));
  }

 private:
  static void combine(stream& order, void* into, std::span<const void* const> added, std::size_t count,
                      const void* device) {
    std::vector<device_span<const T>> arrays;
    for (const void* const each : added) arrays.emplace_back(static_cast<const T*>(each), count, device);
    combination<Op, T>::launch(order, {static_cast<T*>(into), count, device}, arrays);
  }
};

}  // namespace imbrex::detail

template <class T>
struct imbrex::serializer<imbrex::detail::reduced_buffer<T>> {
  static void serialize(writer& out, detail::reduced_buffer<T>& b) { b.part()->serialize(out); }
  static void serialize(reader& in, detail::reduced_buffer<T>& b) {
    detail::read_attachment(in, *b.part(), sizeof(T));
  }
};
