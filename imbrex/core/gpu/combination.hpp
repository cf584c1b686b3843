// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>

#include <imbrex/base/type_name.hpp>
#include <imbrex/core/gpu/combined_arrays.hpp>
#include <imbrex/core/name/operations.hpp>
#include <imbrex/device/device_span.hpp>
#include <imbrex/device/kernel.hpp>
#include <imbrex/device/stream.hpp>

namespace imbrex {

/// Combines arrays with a kernel of the program: see `by_kernel`.
template <const auto& Kernel>
struct kernel_operation {};

/// A reduction of `device_buffer<T>`s by a user's kernel, for devices that cannot compile the operation. The
/// kernel is a `kernel<device_span<T>, device_span<const T>>`. It combines `to[i]` with `from[i]`, in this
/// order, and stores the result in `to[i]`.
///
///     const auto forces = co_await all_reduce(std::move(own), imbrex::by_kernel<add_vectors>);
template <const auto& Kernel>
inline constexpr kernel_operation<Kernel> by_kernel{};

namespace detail {

template <class T>
using combining_kernel = kernel<device_span<T>, device_span<const T>>;

template <const auto& Kernel, class T>
inline constexpr bool combines_elsewhere<kernel_operation<Kernel>, T> =
    std::is_same_v<std::remove_cvref_t<decltype(Kernel)>, combining_kernel<T>>;

template <class T>
using native_combination = void (*)(native_stream, device_span<T>, combined_arrays<T>);

/// Device kernels compiled into the library, by operation; null if it was built without the device's
/// compiler.
template <class T>
struct known_combinations {
  static const native_combination<T> sum, product, min, max;
};

extern template struct known_combinations<int>;
extern template struct known_combinations<unsigned>;
extern template struct known_combinations<long>;
extern template struct known_combinations<unsigned long>;
extern template struct known_combinations<long long>;
extern template struct known_combinations<unsigned long long>;
extern template struct known_combinations<float>;
extern template struct known_combinations<double>;

template <class T>
inline constexpr bool is_known_number =
    std::is_same_v<T, int> || std::is_same_v<T, unsigned> || std::is_same_v<T, long> ||
    std::is_same_v<T, unsigned long> || std::is_same_v<T, long long> ||
    std::is_same_v<T, unsigned long long> || std::is_same_v<T, float> || std::is_same_v<T, double>;

template <class Op, class T>
native_combination<T> native_combination_of() {
  if constexpr (is_known_number<T>) {
    if constexpr (std::is_same_v<Op, sum_operation>) return known_combinations<T>::sum;
    if constexpr (std::is_same_v<Op, product_operation>) return known_combinations<T>::product;
    if constexpr (std::is_same_v<Op, min_operation>) return known_combinations<T>::min;
    if constexpr (std::is_same_v<Op, max_operation>) return known_combinations<T>::max;
  }
  return nullptr;
}

/// Combines on the host, for emulated devices.
template <class Op, class T>
void combine_on_host(device_span<T> to, combined_arrays<T> from) {
  for (std::size_t i = 0; i < to.size(); ++i)
    for (int a = 0; a < from.count; ++a)
      to.data()[i] = static_cast<T>(Op{}(static_cast<const T&>(to.data()[i]), from.of[a][i]));
}
/// The cost in the device model: each array is read once, and the result also written once.
template <class T>
work_size work_of_combination(device_span<T> to, combined_arrays<T> from) {
  return {.bytes = (2.0 + from.count) * static_cast<double>(to.size_bytes()),
          .flops = static_cast<double>(to.size()) * from.count,
          .threads = to.size()};
}

/// Combines arrays of elements T on a device, in their order, with as few kernels as possible.
template <class Op, class T>
struct combination {
  static void launch(stream& order, device_span<T> to, std::span<const device_span<const T>> from) {
    static const kernel<device_span<T>, combined_arrays<T>> combine{.name = short_name(type_name<Op>()),
                                                                    .native = native_combination_of<Op, T>(),
                                                                    .host = &combine_on_host<Op, T>,
                                                                    .work = &work_of_combination<T>};
    while (!from.empty()) {
      combined_arrays<T> some;
      for (; some.count < combined_arrays<T>::most && !from.empty(); from = from.subspan(1))
        some.of[some.count++] = from.front().data();
      order.launch(combine, to, some);
    }
  }
};
template <const auto& Kernel, class T>
struct combination<kernel_operation<Kernel>, T> {
  static void launch(stream& order, device_span<T> to, std::span<const device_span<const T>> from) {
    for (const auto& each : from) order.launch(Kernel, to, each);
  }
};

}  // namespace detail
}  // namespace imbrex
