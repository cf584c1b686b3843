// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/rank/run.hpp>

#include <functional>
#include <optional>
#include <string>

#include <imbrex/balance/driver/enable.hpp>
#include <imbrex/base/error.hpp>
#include <imbrex/checkpoint/driver/checkpoint.hpp>
#include <imbrex/checkpoint/driver/enable.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/core/extension/run.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/mpi/rank/checkpoint_calls.hpp>
#include <imbrex/mpi/rank/rank.hpp>
#include <imbrex/mpi/rank/rank_ends.hpp>

namespace imbrex::mpi {

namespace {

/// Fails the run with status 2.
void refuse(const std::string& why) {
  extension::run_handle::here().fail("--migratable: " + why, usage_error::exit_status);
}

/// False, and the run has failed, if ranks could not go on in all processes, or not in this run if they come
/// from a checkpoint.
task<bool> can_ranks_go_on(imbrex::group<rank_ends> ends, const program& what) {
  const bool are_equal =
      co_await ends.reduce<&rank_ends::has_addresses>(std::logical_and<>(), what.addresses);
  if (!are_equal) {
    refuse(
        "the processes have libraries at different addresses, so that ranks cannot go from one to another; "
        "start all with the same environment, the same limit of the stack (ulimit -s), on equal systems");
    co_return false;
  }
  const auto saved = restored<std::uint64_t>("addresses of ranks");
  if (saved && *saved != what.addresses) {
    refuse(
        "the ranks of the checkpoint had other addresses than in this run; start the same file of the "
        "program, with the same libraries, --ranks and --rank-stack, on an equal system");
    co_return false;
  }
  save("addresses of ranks", what.addresses);
  co_return true;
}

/// Ranks that may end in another process than they began in, and may come from a checkpoint.
task<int> migratable_ranks(const program& what) {
  const auto ends = make_group<rank_ends>();
  make_group<checkpoint_calls>();
  const bool can_begin = co_await can_ranks_go_on(ends, what);
  if (!can_begin) co_return usage_error::exit_status;
  auto ranks = restored<rank_chare>("ranks");
  if (!ranks) ranks = make_array<rank_chare>(dense(what.ranks).named("ranks"));
  imbrex::send<&rank_chare::run>(*ranks);
  co_return co_await ends[0].call<&rank_ends::all>(what.ranks);
}

}  // namespace

task<int> ranks_of(const program& what) {
  if (what.is_migratable) co_return co_await migratable_ranks(what);
  const auto ranks = make_array<rank_chare>(index<1>{what.ranks});
  co_return co_await ranks.reduce<&rank_chare::run>(max);
}

int run(const options& settings, const program& what) {
  balance::enable();
  checkpoints::enable();
  const program_selection selection(what);
  return imbrex::run(settings, [&what] { return ranks_of(what); });
}

}  // namespace imbrex::mpi
