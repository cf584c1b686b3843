// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/mpi_ranks.test.hpp>

namespace imbrex::mpi {

enum class form { blocking, nonblocking, persistent };

#define CALL(name, name_of_nonblocking, ...)                                                    \
  [=](form how, MPI_Request* request) {                                                         \
    if (how == form::blocking) return MPI_##name(__VA_ARGS__, comm);                            \
    if (how == form::nonblocking) return MPI_##name_of_nonblocking(__VA_ARGS__, comm, request); \
    return MPI_##name##_init(__VA_ARGS__, comm, MPI_INFO_NULL, request);                        \
  }

inline void start(MPI_Request handle) {
  rank_data& data = rank_data::here();
  data.requests.at(handle).start(data.self());
}
inline void wait(MPI_Request handle) {
  rank_data& data = rank_data::here();
  user_request& q = data.requests.at(handle);
  data.self().await(q.awaited());
  MPI_Status status;
  ASSERT_EQ(q.finish(status), MPI_SUCCESS);
}

/// The value of memory that a call must not write.
constexpr int untouched = -77;

inline ref<communicator> make_communicator(context_id number, const group& members) {
  rank_data& data = rank_data::here();
  return ref(new communicator(0, number * contexts_each, members, members.rank_of(data.self().number()),
                              data.objects().handler(MPI_ERRORS_RETURN)));
}

}  // namespace imbrex::mpi
