// SPDX-License-Identifier: Apache-2.0
// Location and migration of ranks; an extension of MPI.
#include <string>

#include <imbrex/core/extension/pe.hpp>
#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

namespace {

/// A range of consecutive PEs of this process.
struct pe_block {
  int first = 0;
  int count = 0;
};

pe_block pes_of_process() {
  const extension::current_pe here;
  pe_block its{here.number(), 1};
  while (its.first > 0 && here.run().holds(its.first - 1)) --its.first;
  while (its.first + its.count < here.count() && here.run().holds(its.first + its.count)) ++its.count;
  return its;
}

void move(rank_data& data, int to) {
  const pe_block its = pes_of_process();
  if (to < its.first || to >= its.first + its.count)
    throw error(MPI_ERR_ARG, "PE " + std::to_string(to) + " is none of this process, which has the PEs " +
                                 std::to_string(its.first) + " to " +
                                 std::to_string(its.first + its.count - 1) +
                                 "; ranks do not move to other processes");
  data.requests.for_each([](int, const user_request& q) {
    if (q.is_active())
      throw error(MPI_ERR_REQUEST,
                  "a request of this rank is under way; complete it, as by MPI_Wait, before the rank moves");
  });
  if (to != extension::current_pe().number()) data.self().move_to(to);
}

}  // namespace

IMBREX_MPIX_DEFINE(int, Get_pe, (int* pe, int* first, int* count)) {
  return call_running("MPIX_Get_pe", [&](rank_data&) {
    const pe_block its = pes_of_process();
    *pe = extension::current_pe().number();
    *first = its.first;
    *count = its.count;
  });
}

IMBREX_MPIX_DEFINE(int, Migrate, (int pe)) {
  return call_running("MPIX_Migrate", [&](rank_data& data) { move(data, pe); });
}

}  // namespace imbrex::mpi
