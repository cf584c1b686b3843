// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <imbrex/core/options/options.hpp>
#include <imbrex/device/stream.hpp>

namespace imbrex::detail {

/// The streams of a policy; the computing stream comes first.
std::vector<stream> make_streams(device& of, stream_policy policy, const std::string& owner);

}  // namespace imbrex::detail
