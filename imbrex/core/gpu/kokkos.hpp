// SPDX-License-Identifier: Apache-2.0
#pragma once
// Waits for work of Kokkos. A program that includes this header has Kokkos, and initialises it.

#include <Kokkos_Core.hpp>

#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/gpu/pe_device.hpp>
#include <imbrex/coro/task.hpp>
#include <imbrex/device/native_stream.hpp>
#include <imbrex/device/stream.hpp>

namespace imbrex {
namespace detail {

/// The stream of an execution space on a GPU.
template <class Space>
native_stream stream_of_kokkos(const Space& space)
  requires requires { space.cuda_stream(); }
{
  return {space.cuda_stream()};
}
template <class Space>
native_stream stream_of_kokkos(const Space& space)
  requires requires { space.hip_stream(); }
{
  return {space.hip_stream()};
}

template <class Space>
concept kokkos_on_gpu = requires(const Space& space) { stream_of_kokkos(space); };

}  // namespace detail

/// Waits until all work that was submitted to an instance of an execution space of Kokkos is done:
///
///     Kokkos::parallel_for(Kokkos::RangePolicy<space>(work, 0, n), loop);
///     co_await imbrex::done(work);
///
/// On a GPU the PE runs other chares meanwhile; the space's device is the PE's (`gpu()`), else it is a
/// `device_error`. Spaces of the host run their loops on the calling thread, so nothing but a fence is left.
template <class Space>
  requires(Kokkos::is_execution_space<Space>::value)
task<> done(Space space) {
  if constexpr (detail::kokkos_on_gpu<Space>) {
    stream marker(gpu(), stream_priority::normal, "a wait for Kokkos");
    marker.wait(detail::stream_of_kokkos(space));
    co_await marker.done();
  } else {
    space.fence();
    co_return;
  }
}

}  // namespace imbrex
