// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <imbrex/net/bootstrap/bootstrap.hpp>

namespace imbrex {

class device;

namespace detail {

/// Finds the processes of a job that can read memory of these devices by keys. Each process tries all of its
/// own `used` devices with all devices of the others. Only a trial shows this: GPUs may not be peers, or a
/// container may hide a process. `near`: the numbers of the other processes of this host. Collective; returns
/// process numbers in ascending order.
std::vector<int> readers_of_devices(bootstrap& job, std::span<const int> near, std::span<device* const> used);

}  // namespace detail
}  // namespace imbrex
