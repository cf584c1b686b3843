// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/coro/task.hpp>
#include <imbrex/device/stream.hpp>

namespace imbrex {

/// Work for a device as Charm++ had it before chares had streams (Choi 2022, table 2.1 and section 2.2). It
/// consists of copies to the device, kernels, and copies back. The runtime submits them to three streams of
/// the device, one for each kind, shared by all chares. So kernels of different requests never run at once,
/// and priorities have no effect. Work requests serve comparisons: `--completion work-request` selects it in
/// programs that have both. A request is not ordered after work in other streams.
///
///     imbrex::work_request work;
///     work.copy(on_device.span(), on_host.span());
///     work.launch(square, on_device.span());
///     work.copy(on_host.span(), on_device.span());
///     co_await imbrex::offload(std::move(work));
///
/// The memory of the spans must live until the request is complete.
class work_request {
 public:
  /// The number of kinds of work, and so of streams.
  static constexpr std::size_t stages = 3;

  /// Adds a copy to the device. Copies run before all kernels, in the order of the calls. Sizes and devices
  /// are checked at submission.
  template <class T>
  void copy(device_span<T> to, pinned_span<const std::type_identity_t<T>> from) {
    add(stage::to_device, [to, from](stream& in) { in.copy(to, from); });
  }
  /// Adds a kernel. Kernels run in the order of the calls. A kernel must live until then, as constants do.
  template <class... Args>
  void launch(const kernel<Args...>& what, const std::type_identity_t<Args>&... arguments) {
    add(stage::kernels, [&what, arguments...](stream& in) { in.launch(what, arguments...); });
  }
  template <class... Args>
  void launch(const kernel<Args...>&& temporary, const std::type_identity_t<Args>&... arguments) = delete;
  /// Adds a copy from the device. Such copies run after all kernels.
  template <class T>
  void copy(pinned_span<T> to, device_span<const std::type_identity_t<T>> from) {
    add(stage::from_device, [to, from](stream& in) { in.copy(to, from); });
  }

  bool empty() const noexcept;

 private:
  friend task<> offload(work_request work);

  enum class stage : std::size_t { to_device, kernels, from_device };

  void add(stage of, std::function<void(stream&)> submit) {
    operations_[static_cast<std::size_t>(of)].push_back(std::move(submit));
  }

  std::array<std::vector<std::function<void(stream&)>>, stages> operations_;
};

/// Runs the request on this PE's device. The scheduler submits each stage when the previous one is complete.
/// Throws the exceptions of the device's operations, and imbrex::error if the run has no device.
task<> offload(work_request work);

}  // namespace imbrex
