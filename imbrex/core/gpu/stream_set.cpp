// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/stream_set.hpp>

#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/gpu/make_streams.hpp>
#include <imbrex/core/gpu/run_devices.hpp>
#include <imbrex/core/pe/run_services.hpp>

namespace imbrex {

namespace {

/// [policy][kind of work]: index of the stream; kinds in the order of `stream_set`'s functions.
constexpr std::array<std::array<std::size_t, 5>, 4> places{
    {{0, 0, 0, 0, 0}, {0, 1, 1, 1, 1}, {0, 1, 2, 3, 1}, {0, 1, 2, 3, 4}}};

}  // namespace

stream_set::stream_set(const std::string& owner) {
  auto& pe = detail::processor::here();
  const stream_policy policy = pe.run().how().streams;
  place_ = places[static_cast<std::size_t>(policy)];
  device& d = gpu();
  streams_ = policy == stream_policy::five
                 ? pe.run().devices().shared_streams(d)
                 : std::make_shared<std::vector<stream>>(detail::make_streams(d, policy, owner));
}

}  // namespace imbrex
