// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/rank/run.hpp>

#include <functional>
#include <optional>

#include <imbrex/balance/driver/enable.hpp>
#include <imbrex/base/error.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/core/extension/run.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/mpi/rank/rank.hpp>

namespace imbrex::mpi {

namespace {

/// Digests the addresses of a process.
class address_check : public chare<address_check> {
 public:
  /// Equal to the argument?
  bool is(std::uint64_t digest) { return program::current().addresses() == digest; }
};

/// Fails the run unless addresses of code are equal in all processes.
task<bool> have_equal_addresses(const program& what) {
  const auto all = make_group<address_check>();
  const bool are_equal = co_await all.reduce<&address_check::is>(std::logical_and<>(), what.addresses());
  if (!are_equal)
    extension::run_handle::here().fail(
        "--migratable: the processes have libraries at different addresses, so that ranks cannot go from one "
        "to "
        "another; start all with the same environment, the same limit of the stack (ulimit -s), on equal "
        "systems",
        usage_error::exit_status);
  co_return are_equal;
}

}  // namespace

task<int> ranks_of(const program& what) {
  if (what.addresses != nullptr) {
    const bool are_equal = co_await have_equal_addresses(what);
    if (!are_equal) co_return usage_error::exit_status;
  }
  if (what.is_migratable) {
    const auto ends = make_chare<rank_ends>();
    const auto ranks = make_array<rank_chare>(index<1>{what.ranks}, std::optional(ends));
    imbrex::send<&rank_chare::run>(ranks);
    co_return co_await ends.call<&rank_ends::all>(what.ranks);
  }
  const auto ranks = make_array<rank_chare>(index<1>{what.ranks});
  co_return co_await ranks.reduce<&rank_chare::run>(max);
}

int run(const options& settings, const program& what) {
  balance::enable();
  const program_selection selection(what);
  return imbrex::run(settings, [&what] { return ranks_of(what); });
}

}  // namespace imbrex::mpi
