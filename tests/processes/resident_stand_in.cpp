// SPDX-License-Identifier: Apache-2.0
// The kernels of resident_worker.cpp with a stand-in for CUDA: functions in its streams, with threads as PEs.
#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>

#include <imbrex/resident/cells.test.hpp>
#include <imbrex/resident/program.hpp>

namespace imbrex::resident {

template <class... Chare>
void native<Chare...>::launch(native_stream on, detail::machine m) {
  const auto run = [](void* argument) {
    const std::unique_ptr<detail::machine> its(static_cast<detail::machine*>(argument));
    detail::run_on_host<chares<Chare...>>(*its);
  };
  cudaLaunchHostFunc(static_cast<cudaStream_t>(on.handle), run, new detail::machine(m));
}

/// Unused: all programs of the worker set their number of PEs.
template <class... Chare>
std::uint32_t native<Chare...>::most_pes(std::uint32_t) {
  return 0;
}

template struct native<test::storm>;
template struct native<test::cube>;
template struct native<test::caller>;
template struct native<test::teller>;
template struct native<test::ring>;
template struct native<test::culprit>;
template struct native<test::fleet>;

}  // namespace imbrex::resident
