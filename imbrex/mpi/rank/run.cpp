// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/rank/run.hpp>

#include <imbrex/balance/driver/enable.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/mpi/rank/rank.hpp>

namespace imbrex::mpi {

task<int> ranks_of(const program& what) {
  const auto ranks = make_array<rank_chare>(index<1>{what.ranks});
  co_return co_await ranks.reduce<&rank_chare::run>(max);
}

int run(const options& settings, const program& what) {
  balance::enable();
  const program_selection selection(what);
  return imbrex::run(settings, [&what] { return ranks_of(what); });
}

}  // namespace imbrex::mpi
