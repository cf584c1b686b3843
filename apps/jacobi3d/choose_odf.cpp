// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/choose_odf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <vector>

#include <imbrex/imbrex.hpp>
#include <imbrex/suggest_odf.hpp>

#include "apps/harness/memory.hpp"
#include "apps/jacobi3d/measurement.hpp"
#include "apps/jacobi3d/plain_loop.hpp"
#include "apps/jacobi3d/plan.hpp"

namespace jacobi3d {
namespace {

/// Iterations of a trial.
constexpr std::int64_t warmup_of_trial = 2, iterations_of_trial = 6;
/// Cells of the largest grid that is swept to time a cell.
constexpr std::int64_t most_timed_cells = 4'000'000;

imbrex::index<3> extents_index(const extents& e) {
  return {static_cast<int>(e[0]), static_cast<int>(e[1]), static_cast<int>(e[2])};
}

double number_of_cells(const extents& e) { return double(e[0]) * double(e[1]) * double(e[2]); }

/// The time of a PE for a cell.
double seconds_of_cell(const settings& setup) {
  if (setup.spin.count() > 0)
    return std::chrono::duration<double>(setup.spin).count() * setup.machine.pes * setup.processes /
           number_of_cells(setup.grid);
  if (setup.machine.machine == imbrex::machine_kind::simulated) return 0;  // sweeps take no time there
  extents part = setup.grid;
  while (number_of_cells(part) > most_timed_cells) {
    auto& longest = *std::ranges::max_element(part);
    longest = (longest + 1) / 2;
  }
  plain_loop loop(part, initial_values::parse(setup.init), setup.machine.pes);
  loop.run(2, false);
  return loop.run(4, false).seconds / 4 * setup.machine.pes / number_of_cells(part);
}

/// The number that process 0 has given to the others.
std::atomic<std::int64_t> announced{0};

class announcement : public imbrex::chare<announcement> {
 public:
  explicit announcement(std::int64_t number) { announced = number; }
};

/// Gives the number of process 0 to all processes. Returns the status of the run that does so.
int announce(const settings& setup, std::int64_t& number) {
  if (setup.processes == 1) return 0;
  const int status = imbrex::run(setup.machine, [&]() -> imbrex::task<> {
    co_await imbrex::make_group<announcement>(number).created();
  });
  number = announced;
  return status;
}

/// The settings without what belongs to the run alone.
settings settings_of_trial(settings setup) {
  setup.machine.trace.clear();
  setup.machine.reports.stats = false;
  setup.machine.balance = {};
  setup.machine.checkpoint = {};
  setup.check = false;
  setup.tolerance = 0;
  setup.warmup = warmup_of_trial;
  setup.iterations = iterations_of_trial;
  return setup;
}

/// The time of an iteration with a factor, or infinity if the grid cannot be cut so, or memory is short.
double seconds_of_trial(settings trial, std::int64_t odf, int& status) {
  trial.odf = {odf};
  measurement result;
  status = measure(trial, plan(trial, available_memory()).front(), nullptr, nullptr, [](double) {}, result);
  return result.seconds_per_iteration;
}

std::vector<imbrex::odf_estimate> estimates_of(const settings& setup) {
  return imbrex::estimate_odfs(setup.machine, setup.machine.pes * setup.processes, extents_index(setup.grid),
                               {.cell_seconds = seconds_of_cell(setup)});
}

}  // namespace

std::string estimates_text(const settings& setup) {
  std::string text;
  if (setup.machine.device.empty())
    for (const auto& each : estimates_of(setup))
      text += fmt::format("{}{{\"odf\": {}, \"seconds\": {:g}}}", text.empty() ? "" : ", ", each.odf,
                          each.seconds);
  return "{\"odf_estimates\": [" + text + "]}\n";
}

odf_choice choose_odf(const settings& setup) {
  odf_choice choice;
  const settings trial = settings_of_trial(setup);
  if (imbrex::process() == 0) {
    const auto all = estimates_of(setup);
    choice.suggested = imbrex::best_odf(all);
    for (const auto& e : all)
      if (e.odf == choice.suggested && all.front().seconds > 0)
        choice.expected = e.seconds / all.front().seconds;
  }
  choice.status = announce(trial, choice.suggested);
  if (choice.status != 0 || choice.suggested == 1) return choice;
  const double plain = seconds_of_trial(trial, 1, choice.status);
  if (choice.status != 0) return choice;
  choice.measured = seconds_of_trial(trial, choice.suggested, choice.status) / plain;
  if (choice.status != 0) return choice;
  choice.odf = choice.measured < 1 ? choice.suggested : 1;
  choice.status = announce(trial, choice.odf);
  return choice;
}

std::string choice_text(const odf_choice& c) {
  if (c.suggested == 1) return "ODF 1 is chosen: no other is expected to be faster\n";
  return fmt::format(
      "ODF {} is chosen: with ODF {} an iteration is expected to take {:.2f} of the time with ODF 1, "
      "and took {:.2f} of it in a trial\n",
      c.odf, c.suggested, c.expected, c.measured);
}

}  // namespace jacobi3d
