// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <imbrex/device/backend.hpp>
#include <imbrex/device/work_meter.hpp>

namespace imbrex::detail {

/// Estimates the work of operations by the rates of their device. Operations that fill a part of the device
/// count with that part, but at least with their share of the operations that run at once.
class work_estimate {
 public:
  explicit work_estimate(const device_rates& rates) : rates_(rates) {}

  device_work of_kernel(const work_size& size) const;
  device_work of_copy(copy_direction direction, std::size_t bytes) const;
  device_work of_fill(std::size_t bytes) const;

 private:
  device_work at_once(double elapsed, double work, double latency) const;

  const device_rates rates_;
};

/// A stream that passes all operations to another, and reports their work to a meter. Only runs that measure
/// loads have such streams.
std::unique_ptr<stream_backend> make_metered_stream(std::unique_ptr<stream_backend> of,
                                                    const work_estimate& estimate, work_meter& meter);

}  // namespace imbrex::detail
