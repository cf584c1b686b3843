// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include <imbrex/device/device_span.hpp>
#include <imbrex/device/kernel.hpp>
#include <imbrex/device/native_kernels.test.hpp>

/// Kernels of the tests, for every backend.

namespace imbrex::test {

#if !IMBREX_HAS_CUDA
inline constexpr void (*append_on_device)(native_stream, device_span<int>, int, std::int64_t) = nullptr;
inline constexpr void (*add_on_device)(native_stream, device_span<const int>, device_span<int>,
                                       int) = nullptr;
#endif

inline void append_on_host(device_span<int> log, int mark, std::int64_t) {
  const int place = std::atomic_ref(log.data()[0]).fetch_add(1) + 1;
  if (static_cast<std::size_t>(place) < log.size()) std::atomic_ref(log.data()[place]).store(mark);
}

/// Takes `time` nanoseconds, then appends the mark to a log, whose first word is the length.
inline constexpr kernel<device_span<int>, int, std::int64_t> append{
    .name = "append",
    .native = append_on_device,
    .host = append_on_host,
    .work = [](device_span<int>, int, std::int64_t time) { return work_size{.time = nanoseconds(time)}; }};

/// to = from + number.
inline constexpr kernel<device_span<const int>, device_span<int>, int> add{
    .name = "add",
    .native = add_on_device,
    .host =
        [](device_span<const int> from, device_span<int> to, int number) {
          for (std::size_t i = 0; i < to.size(); ++i) to.data()[i] = from.data()[i] + number;
        },
    .work = [](device_span<const int>, device_span<int> to,
               int) { return work_size{.bytes = 2.0 * static_cast<double>(to.size_bytes())}; }};

/// Takes only the time of an access to the device's memory.
inline constexpr kernel<double, std::uint64_t> move_bytes{
    .name = "move_bytes",
    .host = [](double, std::uint64_t) {},
    .work = [](double bytes,
               std::uint64_t threads) { return work_size{.bytes = bytes, .threads = threads}; }};

inline constexpr kernel<int> faulty{
    .name = "faulty", .host = [](int cell) { throw std::out_of_range("cell " + std::to_string(cell)); }};

/// Has the cost that its argument gives.
inline constexpr kernel<work_size> sized{
    .name = "sized", .host = [](work_size) {}, .work = [](work_size size) { return size; }};

inline constexpr kernel<int> nowhere{.name = "nowhere"};

}  // namespace imbrex::test
