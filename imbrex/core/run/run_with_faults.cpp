// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/run_with_faults.hpp>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/topology.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/core/run/fault_sequence.hpp>

namespace imbrex {

namespace {

/// Faults in a row without a new checkpoint after which a run is given up, as the launcher gives up a job.
constexpr int most_faults_in_a_row = 3;

checkpoint_finder finder = nullptr;

void check(const options& settings) {
  if (settings.machine == machine_kind::threads)
    throw usage_error(
        "--fault: give --machine deterministic or --machine simulated, too; processes on threads are killed "
        "from outside, under imbrex run --restarts N");
  if (settings.checkpoint.folder.empty())
    throw usage_error("--fault: the run has no checkpoints to go on from; give --checkpoint DIR");
  if (finder == nullptr)
    throw error("--fault: the program writes no checkpoints: include imbrex/imbrex.hpp or imbrex/run.hpp");
}

void tell(const fault& of, const std::string& next) {
  log(log_level::warning,
      "PE " + std::to_string(of.pe) + " has died at " + of.when.text() + " (--fault); " + next);
}

}  // namespace

void find_checkpoints_by(checkpoint_finder find) { finder = find; }

namespace detail {

int run_with_faults(options settings, const std::function<run_end(const options& settings)>& run_once) {
  check(settings);
  if (settings.pes == 0) settings.pes = usable_processors();
  const checkpoint_settings& checkpoint = settings.checkpoint;
  const fault_settings all = settings.checkpoint.faults;
  fault_sequence faults(all);
  // Checkpoints of an earlier run are none of this one.
  const std::uint64_t at_start = finder(checkpoint.folder);
  std::uint64_t before = at_start;
  for (int in_a_row = 0;;) {
    settings.checkpoint.faults.next = faults.next(settings.pes);
    const run_end end = run_once(settings);
    if (!end.fault) return end.status;
    const fault& happened = *settings.checkpoint.faults.next;
    const std::uint64_t newest = finder(checkpoint.folder);
    in_a_row = newest == before ? in_a_row + 1 : 1;
    before = newest;
    if (in_a_row == most_faults_in_a_row) {
      tell(happened, "no new checkpoint has come between " + std::to_string(in_a_row) +
                         " faults, so the run is given up");
      return 1;
    }
    if (happened.pes > 0) settings.pes = happened.pes;
    const bool has_checkpoint = newest > at_start;
    if (has_checkpoint) settings.checkpoint.restart = checkpoint.folder;
    settings.checkpoint.faults.begin = *end.fault;
    tell(happened, "the run begins anew on " + std::to_string(settings.pes) + " PEs, " +
                       (has_checkpoint ? "from checkpoint " + std::to_string(newest) : "from the beginning"));
  }
}

}  // namespace detail

}  // namespace imbrex
