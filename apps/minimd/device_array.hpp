// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include <imbrex/gpu.hpp>

namespace minimd {

/// An array in the memory of the PE's device, with a pinned host buffer if it is copied between the two.
/// Buffers only grow; the first `size` elements are used.
template <class T>
struct device_array {
  imbrex::device_buffer<T> on_device;
  std::optional<imbrex::pinned_buffer<T>> on_host;
  std::size_t size = 0;

  void resize_on_device(std::size_t n) {
    size = n;
    if (on_device.size() < n || on_device.size() == 0)
      on_device = imbrex::device_buffer<T>(imbrex::gpu(), n + n / 16 + 1);
  }
  void resize(std::size_t n) {
    resize_on_device(n);
    if (!on_host || on_host->size() < n) on_host.emplace(imbrex::gpu(), on_device.size());
  }
  imbrex::device_span<T> device() { return on_device.span().subspan(0, size); }
  imbrex::device_span<const T> device() const { return on_device.span().subspan(0, size); }
  imbrex::pinned_span<T> host() { return on_host->span().subspan(0, size); }
  imbrex::pinned_span<const T> host() const { return std::as_const(*on_host).span().subspan(0, size); }
};

}  // namespace minimd
