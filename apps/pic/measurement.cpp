// SPDX-License-Identifier: Apache-2.0
#include "apps/pic/measurement.hpp"

#include <chrono>
#include <stdexcept>
#include <vector>

#include <imbrex/checkpoint.hpp>

namespace pic {
namespace {

imbrex::nanoseconds moment(const settings& setup) {
  return setup.machine.machine == imbrex::machine_kind::simulated
             ? imbrex::now()
             : std::chrono::steady_clock::now().time_since_epoch();
}

/// The first number of each tile's particles; counts the particles.
std::vector<std::int64_t> first_numbers(const std::vector<std::int64_t>& counts, std::int64_t& particles) {
  std::vector<std::int64_t> first;
  particles = 0;
  for (const std::int64_t count : counts) {
    first.push_back(particles + 1);
    particles += count;
  }
  return first;
}

imbrex::task<> run_problem(const settings& setup, measurement& result) {
  const imbrex::index<2> shape(result.cut.blocks[0], result.cut.blocks[1]);
  auto tiles = imbrex::restored<tile>("tiles");
  if (!tiles) {
    tiles = imbrex::make_array<tile>(imbrex::dense(shape).named("tiles"), setup.posed);
    const std::vector<std::int64_t> counts = co_await tiles->reduce<&tile::size>(imbrex::gather);
    co_await tiles->call<&tile::number>(first_numbers(counts, result.particles));
    imbrex::save("particles", result.particles);
  } else {
    result.particles = *imbrex::restored<std::int64_t>("particles");
  }
  co_await tiles->call<&tile::run>(setup.warmup, setup.particle_time);
  {
    const imbrex::trace::phase timed("steps", setup.steps);
    const auto begin = moment(setup);
    co_await tiles->call<&tile::run>(setup.warmup + setup.steps, setup.particle_time);
    result.seconds = std::chrono::duration<double>(moment(setup) - begin).count();
  }
  result.last = co_await tiles->reduce<&tile::check>(imbrex::sum);
}

}  // namespace

harness::decomposition tiles_for(const settings& setup, std::int64_t odf) {
  const std::int64_t tiles = odf * setup.machine.pes * setup.processes;
  try {
    return harness::minimal_surface({setup.posed.grid, setup.posed.grid, 1}, tiles);
  } catch (const std::invalid_argument& e) {
    throw imbrex::usage_error("--odf " + std::to_string(odf) + ": " + e.what() +
                              "; choose another --odf, --pes or --grid");
  }
}

int measure(const settings& setup, std::int64_t odf, measurement& result) {
  result.odf = odf;
  result.cut = tiles_for(setup, odf);
  return imbrex::run(setup.machine, [&] { return run_problem(setup, result); });
}

}  // namespace pic
