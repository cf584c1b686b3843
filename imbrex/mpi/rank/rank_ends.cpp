// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/rank/rank_ends.hpp>

#include <algorithm>

#include <imbrex/core/array/send.hpp>
#include <imbrex/core/extension/load.hpp>
#include <imbrex/core/extension/pe.hpp>
#include <imbrex/core/extension/stop.hpp>
#include <imbrex/mpi/rank/program.hpp>

namespace imbrex::mpi {

namespace {

struct ends_of_pe {
  rank_ends* here = nullptr;
};

}  // namespace

rank_ends::rank_ends() {
  extension::current_pe().local<ends_of_pe>().here = this;
  // The entry `all` waits while ranks stand at balance points.
  extension::stop_here().leave_out(extension::header_of(*this));
}

bool rank_ends::has_addresses(std::uint64_t digest) { return program::current().addresses == digest; }

task<int> rank_ends::all(int ranks) {
  int greatest = 0;
  for (int i = 0; i < ranks; ++i) {
    const int status = co_await statuses.receive();
    greatest = std::max(greatest, status);
  }
  co_return greatest;
}

void rank_ends::tell(int status) {
  imbrex::send<&rank_ends::statuses>(extension::current_pe().local<ends_of_pe>().here->peers()[0], 0,
                                     int{status});
}

}  // namespace imbrex::mpi
