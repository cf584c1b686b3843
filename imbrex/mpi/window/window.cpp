// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/window/window.hpp>

#include <imbrex/mpi/collective/spread.hpp>
#include <imbrex/mpi/object/handle.hpp>

namespace imbrex::mpi {

namespace {

ref<error_handler> predefined_handler(int of) { return ref(predefined_error_handler(of)); }

}  // namespace

window::window(rank& self, const ref<communicator>& in, const window_memory& of_rank)
    : window_object(0, predefined_handler(MPI_ERRORS_ARE_FATAL)),
      link_(self, in),
      completion_(link_),
      memory(link_, of_rank),
      epochs(link_, completion_, memory),
      accesses(link_, completion_, epochs, memory),
      server_(link_, memory, completion_, epochs) {}

window::~window() { link_.self().accesses.remove(link_.in()->context(purpose::persistent)); }

ref<window> window::make(rank& self, const ref<communicator>& of, context_id context,
                         const window_memory& memory) {
  const user_buffer number = bytes_at(&context, std::int64_t(sizeof context));
  run_schedule(self, of, purpose::window, [&number](schedule& s) { return mpi::broadcast(s, 0, number); });
  const ref<communicator> in(
      new communicator(0, context, of->members(), of->rank(), predefined_handler(MPI_ERRORS_RETURN)));
  const ref<window> result(new window(self, in, memory));
  result->memory.meet(memory, result->server_);
  return result;
}

void window::leave() {
  completion_.finish_all();
  link_.barrier(purpose::end);
  // An `unlock` packet may arrive after the barrier has ended.
  server_.await_releases();
}

std::string window::description() const {
  return (name.empty() ? "window " + text_of_handle(handle()) : name) + link_.description();
}

}  // namespace imbrex::mpi
