// SPDX-License-Identifier: Apache-2.0
// Location, migration and loads of ranks; extensions of MPI, of which AMPI has those of its prefix.
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include <imbrex/core/extension/pe.hpp>
#include <imbrex/mpi/api/balance_points.hpp>
#include <imbrex/mpi/api/checkpoint.hpp>
#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/rank/balancing.hpp>
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

/// Asks the rank to move to a PE when the function returns.
void move(rank_data& data, int to) {
  const extension::current_pe here;
  if (to < 0 || to >= here.count())
    throw error(MPI_ERR_ARG, "PE " + std::to_string(to) + " is none of this job, which has the PEs 0 to " +
                                 std::to_string(here.count() - 1));
  if (has_sends_or_receives(data))
    throw error(MPI_ERR_REQUEST,
                "a request of this rank is under way; complete it, as by MPI_Wait, before the rank moves");
  if (here.run().holds(to)) {
    if (to != here.number()) data.self().way.ask(to);
    return;
  }
  if (const std::string why = data.self().way.obstacle(); !why.empty())
    throw error(MPI_ERR_OTHER, "PE " + std::to_string(to) +
                                   " is in another process, and this rank cannot leave its own: " + why);
  data.self().way.ask(to);
}

/// The hints of AMPI_Migrate.
struct migration_hints {
  bool balances = false;
  std::optional<std::string> folder;  ///< the checkpoint's; empty for that of the job
};

bool asks_to_balance(const info& all) {
  const std::string* const how = all.find("ampi_load_balance");
  if (how == nullptr || *how == "false") return false;
  if (*how != "sync" && *how != "async")
    throw error(MPI_ERR_INFO_VALUE,
                "the value of \"ampi_load_balance\" is \"" + *how + "\"; it is sync, async or false");
  return true;
}

std::optional<std::string> folder_of_checkpoint(const info& all) {
  constexpr std::string_view to_file = "to_file=";
  const std::string* const how = all.find("ampi_checkpoint");
  if (how == nullptr || *how == "false") return std::nullopt;
  if (*how == "in_memory") return "";
  if (!how->starts_with(to_file) || how->size() == to_file.size())
    throw error(MPI_ERR_INFO_VALUE, "the value of \"ampi_checkpoint\" is \"" + *how +
                                        "\"; it is to_file=DIR, in_memory or false");
  return how->substr(to_file.size());
}

migration_hints read_hints(const rank_data& data, MPI_Info hints) {
  if (hints == AMPI_INFO_LB_SYNC || hints == AMPI_INFO_LB_ASYNC) return {.balances = true, .folder = {}};
  const info& all = data.objects().information(hints);
  return {asks_to_balance(all), folder_of_checkpoint(all)};
}

/// Apart from its caller, which began on another thread, or in another process.
[[gnu::noinline]] int save_where_hints_ask(MPI_Info hints) {
  bool saves = false;
  const int code = journey::follow(call_running("AMPI_Migrate", [&](rank_data& data) {
    const auto folder = read_hints(data, hints).folder;
    saves = folder.has_value();
    if (saves) begin_checkpoint(data, *folder);
  }));
  return saves && code == MPI_SUCCESS ? end_checkpoint("AMPI_Migrate") : code;
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
  return journey::follow(call_running("MPIX_Migrate", [&](rank_data& data) { move(data, pe); }));
}

IMBREX_AMPI_DEFINE(int, Migrate, (MPI_Info hints)) {
  const int code = journey::follow(call_running("AMPI_Migrate", [&](rank_data& data) {
    if (!read_hints(data, hints).balances) return;
    data.points.are_counted = false;  // the program says itself where its steps end
    pass_balance_point(data.self(), !has_sends_or_receives(data));
  }));
  return code == MPI_SUCCESS ? save_where_hints_ask(hints) : code;
}

IMBREX_AMPI_DEFINE(int, Load_start_measure, (void)) {
  return call_running("AMPI_Load_start_measure", [](rank_data& data) {
    data.self().own_load.reset();
    pause_load(data.self(), false);
  });
}

IMBREX_AMPI_DEFINE(int, Load_stop_measure, (void)) {
  return call_running("AMPI_Load_stop_measure", [](rank_data& data) { pause_load(data.self(), true); });
}

IMBREX_AMPI_DEFINE(int, Load_set_value, (double value)) {
  return call_running("AMPI_Load_set_value", [&](rank_data& data) {
    if (!std::isfinite(value) || value < 0)
      throw error(MPI_ERR_ARG,
                  "the load is " + std::to_string(value) + " seconds; it must be finite and not negative");
    data.self().own_load = value;
  });
}

}  // namespace imbrex::mpi
