// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/user_request.hpp>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <imbrex/mpi/object/status.hpp>

namespace imbrex::mpi {

void user_request::start(rank& by) {
  is_active_ = true;
  under_way_ = ref(this);
  done_.tracked = {};
  done_.tracked.finished = &ended;
  done_.owner = this;
  try {
    begin(by);
  } catch (...) {
    is_active_ = false;
    const ref<user_request> last = std::exchange(under_way_, {});
    throw;
  }
}

void user_request::ended(request& tracked) {
  auto& its = *reinterpret_cast<tracked_request*>(&tracked)->owner;
  const ref<user_request> last = std::exchange(its.under_way_, {});
  its.end();
  if (its.on_end != nullptr) its.on_end(its.of_end);
}

int user_request::finish(MPI_Status& status) {
  const int code = outcome(status);
  is_active_ = false;
  return code;
}

address_range user_buffer::extent() const {
  if (count <= 0 || type->size() == 0) return {};
  const std::int64_t others = (count - 1) * type->extent();  // bytes from the first element to the last
  const auto origin = reinterpret_cast<std::uintptr_t>(address);
  const auto first =
      origin + static_cast<std::uintptr_t>(type->true_lower_bound() + std::min<std::int64_t>(others, 0));
  return {reinterpret_cast<const std::byte*>(first),
          static_cast<std::size_t>(std::abs(others) + type->true_extent())};
}

int tell_receive(const request& done, MPI_Status& status) {
  status.MPI_SOURCE = done.source;
  status.MPI_TAG = done.tag;
  status.MPI_ERROR = MPI_SUCCESS;
  set_bytes(status, static_cast<std::int64_t>(done.received));
  set_cancelled(status, done.is_cancelled);
  return done.is_too_long ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

void tell_no_process(MPI_Status& status) {
  set_empty(status);
  status.MPI_SOURCE = MPI_PROC_NULL;
}

}  // namespace imbrex::mpi
