// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <string>

#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/state.hpp>
#include <imbrex/mpi/window/window.hpp>

namespace imbrex::mpi {

/// "window 0xa0000000", or how the program has named it, and whom its rank waits for.
std::string describe_window(const void* which);

/// As `call`, of a window, whose error handler is told: body(data, window).
template <typename Body>
int call_on_window(const char* function, MPI_Win handle, Body&& body) {
  rank_data& data = rank_data::here();
  error_target* told = data.objects().world;
  try {
    data.require_running(function);
    const ref<window_object> object = data.windows.share(handle);
    window& of = static_cast<window&>(*object);
    told = &of;
    data.self().doing = {function, &describe_window, &of};
    body(data, of);
    return MPI_SUCCESS;
  } catch (const error& thrown) {
    return data.objects().raise(thrown, function, told);
  } catch (const std::bad_alloc&) {
    return data.objects().raise(error(MPI_ERR_NO_MEM, "out of memory"), function, told);
  }
}

}  // namespace imbrex::mpi
