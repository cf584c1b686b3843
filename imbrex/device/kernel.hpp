// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <tuple>
#include <type_traits>

#include <imbrex/base/clock.hpp>
#include <imbrex/device/native_stream.hpp>

namespace imbrex {

/// The cost of a kernel, for devices whose time is modelled. No value may be negative.
struct work_size {
  double bytes = 0;           ///< bytes read and written in device memory
  double flops = 0;           ///< floating-point operations
  std::uint64_t threads = 0;  ///< threads of the launch; 0: enough to fill the device
  nanoseconds time{0};        ///< the shortest duration on any device
};

/// A kernel for all backends. A backend refuses a kernel whose function for that backend is null.
///
///     inline constexpr kernel<device_span<double>, double> scale{
///         .name = "scale", .native = scale_on_device, .host = scale_on_host, .work = scale_work};
///
/// `Args` are copied when the kernel is launched, and must be trivially copyable.
template <class... Args>
struct kernel {
  static_assert((std::is_trivially_copyable_v<Args> && ...),
                "imbrex: a kernel's arguments must be trivially copyable");
  static_assert((!std::is_reference_v<Args> && ...), "imbrex: a kernel's arguments cannot be references");

  std::string_view name;  ///< for errors; must outlive all launches, as a literal does
  /// Launches the kernel on the stream. Defined in a file that the device's compiler compiles.
  void (*native)(native_stream, Args...) = nullptr;
  /// Does the kernel's work on the host, for the emulated device. An exception counts as a failure of the
  /// device.
  void (*host)(Args...) = nullptr;
  /// The cost, for modelled durations; null: the kernel takes no time.
  work_size (*work)(Args...) = nullptr;
};

/// A launch in the form for a backend, without the types of the arguments. Valid only during the call.
struct kernel_launch {
  std::string_view name;            ///< name of the kernel in traces and errors
  const void* arguments = nullptr;  ///< arguments as the kernel's function takes them
  void (*native)(const void* arguments, native_stream) = nullptr;  ///< null: the kernel has no such function
  std::function<void()> (*host)(const void* arguments) = nullptr;  ///< a copy to run later; null: the kernel
                                                                   ///< has no such function
  work_size (*work)(const void* arguments) = nullptr;              ///< null: no cost
};

namespace detail {

/// True if a kernel with the parameters in the tuple can be launched with these arguments.
template <class Parameters, class... Values>
inline constexpr bool kernel_takes = false;
template <class... Args, class... Values>
  requires(sizeof...(Args) == sizeof...(Values))
inline constexpr bool kernel_takes<std::tuple<Args...>, Values...> =
    (std::is_convertible_v<const Values&, Args> && ...);

/// A kernel and its arguments during a launch.
template <class... Args>
struct bound_kernel {
  const kernel<Args...>& function;
  std::tuple<Args...> arguments;

  static const bound_kernel& from(const void* p) { return *static_cast<const bound_kernel*>(p); }

  kernel_launch launch() const {
    kernel_launch call{.name = function.name, .arguments = this};
    if (function.native != nullptr)
      call.native = [](const void* p, native_stream on) {
        const bound_kernel& b = from(p);
        std::apply([&](const Args&... a) { b.function.native(on, a...); }, b.arguments);
      };
    if (function.host != nullptr)
      call.host = [](const void* p) -> std::function<void()> {
        const bound_kernel& b = from(p);
        return [run = b.function.host, copied = b.arguments] { std::apply(run, copied); };
      };
    if (function.work != nullptr)
      call.work = [](const void* p) {
        const bound_kernel& b = from(p);
        return std::apply(b.function.work, b.arguments);
      };
    return call;
  }
};

}  // namespace detail
}  // namespace imbrex
