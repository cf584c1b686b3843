// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/work_request.hpp>

#include <algorithm>

#include <imbrex/core/device_work.hpp>

namespace imbrex {

bool work_request::empty() const noexcept {
  return std::ranges::all_of(operations_, [](const auto& stage) { return stage.empty(); });
}

task<> offload(work_request work) {
  auto& streams = detail::completions_here().request_streams();
  for (std::size_t s = 0; s < work_request::stages; ++s) {
    if (work.operations_[s].empty()) continue;
    for (const auto& submit : work.operations_[s]) submit(streams[s]);
    co_await streams[s].done();
  }
}

}  // namespace imbrex
