// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/rank/balancing.hpp>

#include <imbrex/core/extension/load.hpp>
#include <imbrex/mpi/rank/rank.hpp>

namespace imbrex::mpi {

void pass_balance_point(rank& running, bool can_move) {
  rank_chare& own = chare_of(running);
  extension::count_balance_point(own);
  if (!extension::is_leaving(own)) return;
  if (!can_move) return extension::refuse_departure(own);
  running.move_to(extension::header_of(own).destination);
}

void pause_load(rank& running, bool is_paused) { extension::pause_load(chare_of(running), is_paused); }

}  // namespace imbrex::mpi
