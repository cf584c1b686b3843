// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/work_request.hpp>

#include <algorithm>

#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/gpu/run_devices.hpp>
#include <imbrex/core/pe/run_services.hpp>

namespace imbrex {

bool work_request::empty() const noexcept {
  return std::ranges::all_of(operations_, [](const auto& stage) { return stage.empty(); });
}

task<> offload(work_request work) {
  static_assert(work_request::stages == detail::stages_of_requests);
  auto& devices = detail::processor::here().run().devices();
  auto& streams = devices.request_streams(gpu());
  for (std::size_t s = 0; s < work_request::stages; ++s) {
    if (work.operations_[s].empty()) continue;
    for (const auto& submit : work.operations_[s]) submit(streams[s]);
    co_await streams[s].done();
  }
}

}  // namespace imbrex
