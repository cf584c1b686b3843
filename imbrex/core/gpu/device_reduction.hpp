// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <imbrex/core/collective/reduction.hpp>
#include <imbrex/core/gpu/combination.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/gpu/shared_device_buffer.hpp>

/// Reductions of arrays in devices' memory: `all_reduce` and `reduce` of `device_buffer<T>`s, by the trees
/// and in the order of those of values. Kernels combine them element by element. What is contributed is there
/// when it is ready (`device_buffer::ready_after`). Nothing waits on the host but where it crosses to another
/// process. All get the one result as a `shared_device_buffer<T>`, whose `ready()` streams wait for.
///
///     device_buffer<double> mine(gpu(), n);
///     work_.launch(fill, mine.span());
///     const auto all = co_await all_reduce(std::move(mine).ready_after(work_), imbrex::sum);
///     work_.wait(all.ready());
///     work_.launch(use, all.span());

namespace imbrex::detail {

template <class T>
struct combined_elsewhere<device_buffer<T>> {
  using type = T;
};

/// Begins to bring a value to this PE's device, side by side with others.
void land_to_be_combined(device_part& part);

/// Brings all to this PE's device. Returns the stream in whose order they are combined, after all are there;
/// null if there is nothing to combine. Throws imbrex::error if they are not equally long.
stream* order_combination(device_part& into, std::span<device_part* const> others);

template <class T, class Op, class Key>
  requires(!is_by_key<Op>)
struct reduction<device_buffer<T>, Op, Key> {
  static constexpr bool needs_keys = false;
  using partial = device_buffer<T>;
  using result = shared_device_buffer<T>;

  static void prepare(partial& came) { land_to_be_combined(*came.part()); }
  static void add(std::optional<partial>& into, const Key&, device_buffer<T>&& value) {
    merge(into, std::move(value));
  }
  static void merge(std::optional<partial>& into, partial&& other) {
    std::vector<partial> others;
    others.push_back(std::move(other));
    merge_all(into, std::move(others));
  }
  /// In the order and brackets of one after the other.
  static void merge_all(std::optional<partial>& into, std::vector<partial>&& others) {
    auto first = others.begin();
    if (!into && first != others.end()) into.emplace(std::move(*first++));
    if (first == others.end()) return;
    std::vector<device_part*> parts;
    for (auto each = first; each != others.end(); ++each) parts.push_back(each->part());
    stream* const order = order_combination(*into->part(), parts);
    if (order == nullptr) return;
    std::vector<device_span<const T>> added;
    for (auto each = first; each != others.end(); ++each) added.push_back(std::as_const(*each).span());
    combination<Op, T>::launch(*order, into->span(), added);
    into->ready_after(*order);
  }
  static result finish(partial&& all) {
    land_device_part(*all.part());
    return result(std::move(all));
  }
};

}  // namespace imbrex::detail
