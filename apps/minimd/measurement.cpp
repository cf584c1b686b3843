// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/measurement.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include <imbrex/checkpoint.hpp>

#include "apps/harness/decomposition.hpp"
#include "apps/minimd/block.hpp"
#include "apps/minimd/velocities.hpp"

namespace minimd {
namespace {

imbrex::nanoseconds moment(const settings& setup) {
  return setup.machine.machine == imbrex::machine_kind::simulated
             ? imbrex::now()
             : std::chrono::steady_clock::now().time_since_epoch();
}

imbrex::task<std::vector<atom>> gathered(blocks all) {
  auto parts = co_await all.reduce<&block::atoms>(imbrex::gather);
  std::vector<atom> atoms;
  for (auto& some : parts) atoms.insert(atoms.end(), some.begin(), some.end());
  std::ranges::sort(atoms, {}, &atom::id);
  co_return atoms;
}

imbrex::task<> run_problem(const settings& setup, std::int64_t odf, const restart_file* from,
                           const output_function& output, measurement& result) {
  const problem& what = setup.parameters.what;
  const auto box = box_of(what);
  const auto shape = chares_of(setup, odf);
  const auto saved = imbrex::restored<block>("blocks");
  const blocks all = saved ? *saved
                           : imbrex::make_array<block>(imbrex::dense(shape).named("blocks"), what, box,
                                                       imbrex::grid::decomposition<3>(box.cells(), shape),
                                                       device_use{setup.on_device(), setup.comm});
  result.chares = shape;
  if (!saved && from != nullptr)
    co_await all.call<&block::restart>(from->atoms, from->step);
  else if (!saved && setup.machine.device_data)
    co_await make_velocities(what, all);

  const std::int64_t last = setup.parameters.steps;
  const std::int64_t between = setup.parameters.thermo > 0 ? setup.parameters.thermo : last;
  const std::int64_t first = from != nullptr ? from->step : 0;
  std::int64_t done = 0;
  std::int64_t next = 0;
  if (saved) {
    const std::int64_t step = co_await all.reduce<&block::step>(imbrex::max);
    done = step - first;
    next = std::min(last, (done / between + 1) * between);
  }
  while (next <= last) {
    const imbrex::trace::phase timed("steps", next - done);
    const auto begin = moment(setup);
    const thermo_sums sums = co_await all.reduce<&block::run>(imbrex::sum, first + next);
    result.seconds += next == 0 ? 0 : std::chrono::duration<double>(moment(setup) - begin).count();
    done = next;
    if (setup.machine.device_data) {
      if (sums.atoms != what.atoms())
        throw imbrex::error(std::to_string(sums.atoms) + " atoms of " + std::to_string(what.atoms()) +
                            " are there at step " + std::to_string(sums.step) + ": some have been lost");
      result.outputs.push_back(thermo_of(what, sums));
      std::vector<atom> atoms;
      if (!setup.dump.empty()) atoms = co_await gathered(all);
      output(result.outputs.back(), atoms);
    }
    if (done == last) break;
    next = std::min(last, done + between);
  }
  result.steps = last;
  if (!setup.write_restart.empty()) {
    auto atoms = co_await gathered(all);
    result.last = {what, result.outputs.back().step, std::move(atoms)};
  }
}

}  // namespace

// Prefers more cuts across z among equal ones, so that a PE's blocks, numbered consecutively, form a row. A
// block in a row of four has two neighbours in it, and does not wait for the fourth.
imbrex::index<3> chares_of(const settings& setup, std::int64_t odf) {
  const auto cells = box_of(setup.parameters.what).cells();
  try {
    const auto cut =
        harness::minimal_surface({cells[2], cells[1], cells[0]}, odf * setup.machine.pes * setup.processes);
    return {cut.blocks[2], cut.blocks[1], cut.blocks[0]};
  } catch (const std::invalid_argument& e) {
    throw imbrex::usage_error(e.what());
  }
}

int measure(const settings& setup, std::int64_t odf, const restart_file* from, const output_function& output,
            measurement& result) {
  return imbrex::run(setup.machine, [&] { return run_problem(setup, odf, from, output, result); });
}

}  // namespace minimd
