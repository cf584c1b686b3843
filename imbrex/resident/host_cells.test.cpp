// SPDX-License-Identifier: Apache-2.0
// Stubs for the kernels of programs that only the host's machine runs.
#include <imbrex/resident/host_cells.test.hpp>

#include <cstdint>

#include <imbrex/base/error.hpp>
#include <imbrex/resident/native.hpp>

namespace imbrex::resident {

template <class... Chare>
void native<Chare...>::launch(native_stream, detail::machine) {
  throw error("this program of a test has no kernel");
}
template <class... Chare>
std::uint32_t native<Chare...>::most_pes(std::uint32_t) {
  return 0;
}

template struct native<test::beacon>;
template struct native<test::lockstep>;
template struct native<test::circus>;
template struct native<test::hint<true>>;
template struct native<test::hint<false>>;
template struct native<test::stranger>;

}  // namespace imbrex::resident
