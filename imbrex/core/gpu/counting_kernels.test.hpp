// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <imbrex/base/clock.hpp>
#include <imbrex/device/device_span.hpp>
#include <imbrex/device/kernel.hpp>

namespace imbrex::test {

/// Sets cell i to first + i.
inline constexpr kernel<device_span<std::int64_t>, std::int64_t> count_from{
    .name = "count_from",
    .host =
        [](device_span<std::int64_t> to, std::int64_t first) {
          for (std::size_t i = 0; i < to.size(); ++i) to.data()[i] = first + static_cast<std::int64_t>(i);
        },
    .work =
        [](device_span<std::int64_t> to, std::int64_t first) {
          return work_size{.time = nanoseconds(700 * ((to.size() + std::size_t(first)) % 5))};
        }};
/// Counts cells with other values.
inline constexpr kernel<device_span<const std::int64_t>, std::int64_t, device_span<std::int64_t>> compare{
    .name = "compare",
    .host =
        [](device_span<const std::int64_t> cells, std::int64_t first, device_span<std::int64_t> wrong) {
          for (std::size_t i = 0; i < cells.size(); ++i)
            if (cells.data()[i] != first + static_cast<std::int64_t>(i)) ++wrong.data()[0];
        },
    .work =
        [](device_span<const std::int64_t> cells, std::int64_t first, device_span<std::int64_t>) {
          return work_size{.time = nanoseconds(900 * ((cells.size() + std::size_t(first)) % 3))};
        }};

/// First value of an array that a chare sends in a round.
inline std::int64_t first_of(int from, int round) { return 1'000'003LL * from + 7919LL * round; }

}  // namespace imbrex::test
