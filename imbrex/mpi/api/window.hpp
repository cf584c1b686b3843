// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/state.hpp>
#include <imbrex/mpi/window/window.hpp>

namespace imbrex::mpi {

/// Names a window and the rank that it waits for; "window 0xa0000000" if the program has not named it.
std::string describe_window(const void* which);

/// Like `call`, with a window whose error handler gets the errors: body(data, window).
template <typename Body>
int call_on_window(const char* function, MPI_Win handle, Body&& body) {
  rank_data& data = rank_data::here();
  error_target* owner = data.objects().world;
  ref<window_object> object;  // keeps the window alive until errors are handled
  return run_call(data.objects(), function, owner, [&] {
    data.require_running(function);
    object = data.windows.share(handle);
    window& of = static_cast<window&>(*object);
    owner = &of;
    const call_frame frame(data.self(), {function, &describe_window, &of});
    body(data, of);
  });
}

}  // namespace imbrex::mpi
