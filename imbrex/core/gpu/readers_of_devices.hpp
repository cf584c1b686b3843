// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <imbrex/net/bootstrap/bootstrap.hpp>

namespace imbrex {

class device;

namespace detail {

/// Which processes of a job read memory of these devices by its keys, as they have tried: each all of its own
/// `used` devices with all of the others'. That is not known otherwise: GPUs may be no peers, or a container
/// may hide a process. `near`: the numbers of the other processes of this host. Collective; returns numbers,
/// ascending.
std::vector<int> readers_of_devices(bootstrap& job, std::span<const int> near, std::span<device* const> used);

}  // namespace detail
}  // namespace imbrex
