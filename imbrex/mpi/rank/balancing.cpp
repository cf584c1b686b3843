// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/rank/balancing.hpp>

#include <imbrex/core/extension/load.hpp>
#include <imbrex/core/extension/pe.hpp>
#include <imbrex/core/extension/run.hpp>
#include <imbrex/core/extension/stop.hpp>
#include <imbrex/mpi/rank/rank.hpp>

namespace imbrex::mpi {

namespace {

/// A rank that waits for the end of a stop.
struct stopped_rank {
  rank& self;
  request end;

  static void go_on(void* object) {
    auto& stopped = *static_cast<stopped_rank*>(object);
    stopped.self.complete(stopped.end);
  }
};

void wait_for_end_of_stop(rank& running) {
  stopped_rank stopped{running, {}};
  extension::stop_entry(chare_of(running), waiter(&stopped_rank::go_on, &stopped));
  running.await(stopped.end);
}

}  // namespace

bool has_balance_points(rank& of) {
  return extension::is_measured(chare_of(of)) || has_folder_of_checkpoints();
}

void obey_balancer(rank& running) {
  if (extension::must_stop(chare_of(running))) {
    if (running.way.ask_to_stand()) return;
    wait_for_end_of_stop(running);
  }
  go_to_destination(running);
}

void go_to_destination(rank& running) {
  rank_chare& own = chare_of(running);
  if (!extension::is_leaving(own)) return;
  const int to = extension::header_of(own).destination;
  if (extension::current_pe().run().holds(to)) return running.move_to(to);
  if (running.way.obstacle().empty())
    running.way.ask(to);
  else
    extension::refuse_departure(own);
}

void pass_balance_point(rank& running, bool can_move) {
  rank_chare& own = chare_of(running);
  extension::count_balance_point(own);
  if (can_move) return obey_balancer(running);
  if (extension::is_leaving(own) && !extension::must_stop(own)) extension::refuse_departure(own);
}

void pause_load(rank& running, bool is_paused) { extension::pause_load(chare_of(running), is_paused); }

}  // namespace imbrex::mpi
