// SPDX-License-Identifier: Apache-2.0
#include "apps/moldyn/measurement.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include <imbrex/checkpoint.hpp>

#include "apps/harness/decomposition.hpp"
#include "apps/moldyn/grande_block.hpp"

namespace moldyn {
namespace {

using clock = std::chrono::steady_clock;

imbrex::nanoseconds moment(const settings& setup) {
  return setup.machine.machine == imbrex::machine_kind::simulated ? imbrex::now()
                                                                  : clock::now().time_since_epoch();
}
double milliseconds(imbrex::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

// The sums over all blocks.
std::vector<energies> added(const std::vector<std::vector<energies>>& parts) {
  std::vector<energies> all = parts.front();
  for (std::size_t b = 1; b < parts.size(); ++b)
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].kinetic += parts[b][i].kinetic;
      all[i].potential += parts[b][i].potential;
      all[i].interactions += parts[b][i].interactions;
    }
  for (energies& e : all) e.interactions /= 2;
  return all;
}

// The number of cells along each edge: cells as wide as the cut-off, or smaller ones if these are fewer than
// the chares.
int cells_along(const settings& setup, const grande& model, std::int64_t chares) {
  if (setup.cells != 0) return static_cast<int>(setup.cells);
  int cells = std::max(1, static_cast<int>(model.side / model.cutoff));
  while (std::int64_t{cells} * cells * cells < chares) ++cells;
  return cells;
}

imbrex::cells::domain<3> box_of(const settings& setup, const grande& model, std::int64_t chares) {
  return cube(model, cells_along(setup, model, chares));
}

std::int64_t chares_for(const settings& setup, std::int64_t odf) {
  return odf * setup.machine.pes * setup.processes;
}

imbrex::task<> run_grande(const settings& setup, std::int64_t chares, measurement& result) {
  const grande model(setup.mm);
  const auto box = box_of(setup, model, chares);
  const auto shape = blocks_of(box.cells(), chares);
  const imbrex::grid::decomposition<3> cut(box.cells(), shape);
  auto all = imbrex::restored<grande_block>("blocks");
  if (!all) all = imbrex::make_array<grande_block>(imbrex::dense(shape).named("blocks"), model, box, cut);
  co_await all->created();
  const imbrex::trace::phase timed("cycles", setup.cycles);
  const auto begin = moment(setup);
  const auto parts =
      co_await all->reduce<&grande_block::run>(imbrex::gather, static_cast<int>(setup.cycles), setup.how);
  result.milliseconds_per_cycle = milliseconds(moment(setup) - begin) / static_cast<double>(setup.cycles);
  result.of_grande = added(parts);
  result.chares =
      std::to_string(shape[0]) + " x " + std::to_string(shape[1]) + " x " + std::to_string(shape[2]);
}

imbrex::index<2> strips_of(const imbrex::index<2>& cells, std::int64_t chares) {
  if (chares > cells[0])
    throw imbrex::usage_error("--strips cuts " + std::to_string(cells[0]) + " rows of cells, too few for " +
                              std::to_string(chares) + " chares: take a smaller --odf, or more --particles");
  return {static_cast<int>(chares), 1};
}

imbrex::index<2> shape_of(const settings& setup, const imbrex::index<2>& cells, std::int64_t chares) {
  return setup.strips ? strips_of(cells, chares) : blocks_of(cells, chares);
}

imbrex::task<> run_torus(const settings& setup, std::int64_t chares, measurement& result) {
  const auto box = torus::box_of(torus::cells_for(setup.particles));
  const auto shape = shape_of(setup, box.cells(), chares);
  const imbrex::grid::decomposition<2> cut(box.cells(), shape);
  auto all = imbrex::restored<torus::block>("blocks");
  if (!all)
    all = imbrex::make_array<torus::block>(imbrex::dense(shape).named("blocks"), box, cut,
                                           torus::filled_rows(box.cells()[0], setup.filled));
  co_await all->created();
  const imbrex::trace::phase timed("cycles", setup.cycles);
  const auto begin = moment(setup);
  result.of_torus = co_await all->reduce<&torus::block::run>(imbrex::by_key(imbrex::sum), setup.cycles,
                                                             setup.how, setup.times);
  result.milliseconds_per_cycle = milliseconds(moment(setup) - begin) / static_cast<double>(setup.cycles);
  result.chares = std::to_string(shape[0]) + " x " + std::to_string(shape[1]);
  for (std::size_t p = 0; p < result.seconds_per_cycle.size(); ++p)
    result.seconds_per_cycle[p] = result.of_torus.seconds[p] / static_cast<double>(chares * setup.cycles);
  const auto interactions = co_await all->reduce<&torus::block::interactions>(imbrex::gather);
  result.least_interactions = std::ranges::min(interactions);
  result.most_interactions = std::ranges::max(interactions);
}

imbrex::index<3> blocks_of_extents(const harness::extents& cells, std::int64_t chares) {
  try {
    const auto cut = harness::minimal_surface(cells, chares);
    return {cut.blocks[0], cut.blocks[1], cut.blocks[2]};
  } catch (const std::invalid_argument& e) {
    throw imbrex::usage_error(e.what());
  }
}

}  // namespace

imbrex::index<2> blocks_of(const imbrex::index<2>& cells, std::int64_t chares) {
  const auto blocks = blocks_of_extents({cells[0], cells[1], 1}, chares);
  return {blocks[0], blocks[1]};
}

imbrex::index<3> blocks_of(const imbrex::index<3>& cells, std::int64_t chares) {
  return blocks_of_extents({cells[0], cells[1], cells[2]}, chares);
}

void check_chares(const settings& setup, std::int64_t odf) {
  const std::int64_t chares = chares_for(setup, odf);
  if (setup.what == model::grande)
    blocks_of(box_of(setup, grande(setup.mm), chares).cells(), chares);
  else
    shape_of(setup, torus::cells_for(setup.particles), chares);
}

int measure(const settings& setup, std::int64_t odf, measurement& result) {
  result.odf = odf;
  const std::int64_t chares = chares_for(setup, odf);
  return imbrex::run(setup.machine, [&]() -> imbrex::task<> {
    return setup.what == model::grande ? run_grande(setup, chares, result) : run_torus(setup, chares, result);
  });
}

}  // namespace moldyn
