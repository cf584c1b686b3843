// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/measurement.hpp"

#include <algorithm>
#include <chrono>
#include <type_traits>
#include <vector>

#include <imbrex/checkpoint.hpp>
#include <imbrex/io.hpp>

#include "apps/harness/progress.hpp"
#include "apps/jacobi3d/block.hpp"
#include "apps/jacobi3d/device_block.hpp"

namespace jacobi3d {
namespace {

// The clock of iterations: virtual time for simulated machines.
imbrex::nanoseconds moment(bool is_virtual) {
  return is_virtual ? imbrex::now() : std::chrono::steady_clock::now().time_since_epoch();
}

template <class Block>
constexpr bool is_on_device = std::is_same_v<Block, device_block>;

// Blocks on processors compute the residual in their last sweep, blocks on devices afterwards.
template <class Block>
auto iterate(const imbrex::array<Block>& blocks, std::int64_t first, std::int64_t iterations,
             double tolerance, bool needs_residual) {
  if constexpr (is_on_device<Block>)
    return blocks.template reduce<&Block::run>(greatest_residual{}, iterations, tolerance);
  else
    return blocks.template reduce<&Block::run>(greatest_residual{}, first, first + iterations, tolerance,
                                               needs_residual);
}

// Iterates, marked as a phase in traces.
template <class Block>
imbrex::task<progress> timed(imbrex::array<Block> blocks, std::int64_t first, std::int64_t iterations,
                             double tolerance, bool needs_residual) {
  const imbrex::trace::phase marked("iterations", iterations);
  co_return co_await iterate(blocks, first, iterations, tolerance, needs_residual);
}

/// Iterations that have ended, as checkpoints have them. Blocks know how far they are in those that have not.
struct done_before {
  bool warmup = false;
  std::size_t stretches = 0;
  std::int64_t iterations = 0;
  double residual = 0;
};

done_before finished_before() { return imbrex::restored<done_before>("finished").value_or(done_before{}); }

template <class Block>
imbrex::task<> time_iterations(const settings& setup, imbrex::array<Block> blocks, plain_loop* plain,
                               const progress_listener& listener, measurement& result) {
  const bool is_virtual = setup.machine.machine == imbrex::machine_kind::simulated;
  // Each series alternates with one of the plain loop, since processors change their speed all the time.
  const std::vector<std::int64_t> lengths =
      is_virtual ? stretches(setup.iterations, 1) : stretches(setup.iterations);
  std::vector<double> seconds, ratios;
  imbrex::nanoseconds began{0};
  bool converged = false;
  done_before before = finished_before();
  result.iterations = before.iterations;
  if (before.stretches > 0) result.residual = before.residual;
  for (std::size_t stretch = before.stretches; stretch < lengths.size() && !converged; ++stretch) {
    const bool last = stretch + 1 == lengths.size();
    const auto begin = moment(is_virtual);
    began = begin;
    const progress p =
        co_await timed(blocks, setup.warmup + result.iterations, lengths[stretch], setup.tolerance, last);
    const double run_seconds = std::chrono::duration<double>(moment(is_virtual) - begin).count();
    if (plain != nullptr)
      ratios.push_back(plain->run(p.iterations, setup.tolerance > 0).seconds / run_seconds);
    seconds.push_back(run_seconds / double(p.iterations));
    result.iterations += p.iterations;
    result.residual = p.residual;
    imbrex::save("finished", done_before{true, stretch + 1, result.iterations, p.residual});
    converged = setup.tolerance > 0 && p.residual < setup.tolerance;
    listener(double(stretch + 1) / double(lengths.size()));
  }
  result.seconds_per_iteration = median(seconds);
  if constexpr (is_on_device<Block>)
    if (setup.mark > 0) {
      const auto end = co_await blocks.template reduce<&Block::marked>(imbrex::max);
      result.seconds_per_iteration_to_mark =
          std::chrono::duration<double>(end - began).count() / double(setup.mark);
    }
  if (plain != nullptr) result.ratio = median(ratios);
}

template <class Block>
imbrex::task<comparison> compare(imbrex::array<Block> blocks, const decomposition& cut,
                                 const serial_grid& expected) {
  comparison compared;
  const auto& shape = blocks.shape();
  for (int x = 0; x < shape[0]; ++x)
    for (int y = 0; y < shape[1]; ++y)
      for (int z = 0; z < shape[2]; ++z) {
        const auto block_cells = co_await blocks[{x, y, z}].template call<&Block::cells>();
        const extents place{x, y, z};
        compared.add(expected, cut.first(place), cut.cells(place), block_cells.values);
      }
  co_return compared;
}

template <class Block>
imbrex::task<> run_blocks(const settings& setup, const configuration& chosen, imbrex::array<Block> blocks,
                          bool is_new, plain_loop* plain, serial_rival* serial,
                          const progress_listener& listener, measurement& result) {
  if (is_new) co_await blocks.template call<&Block::start>();  // completes after all blocks have been created
  if (setup.warmup > 0 && !finished_before().warmup) {
    co_await iterate(blocks, 0, setup.warmup, 0.0, false);
    imbrex::save("finished", done_before{.warmup = true});
    if (plain != nullptr) plain->run(setup.warmup, false);
  }
  co_await time_iterations(setup, blocks, plain, listener, result);
  if (!setup.machine.device_data) {
    result.residual.reset();
    co_return;
  }
  if constexpr (is_on_device<Block>)
    if (setup.tolerance == 0)
      result.residual = co_await blocks.template reduce<&Block::residual>(imbrex::max);
  result.checksum = co_await blocks.template reduce<&Block::checksum>(imbrex::sum);
  if (!setup.output.empty()) co_await imbrex::write<&Block::cells>(setup.output, "cells", blocks);
  if (serial != nullptr)
    result.check = co_await compare(blocks, chosen.cut, serial->after(setup.warmup + result.iterations));
}

imbrex::task<> run_configuration(const settings& setup, const configuration& chosen, plain_loop* plain,
                                 serial_rival* serial, const progress_listener& listener,
                                 measurement& result) {
  const extents& blocks = chosen.cut.blocks;
  const imbrex::index<3> shape(blocks[0], blocks[1], blocks[2]);
  if (setup.machine.device.empty()) {
    // All PEs sweep at once, so the whole grid takes a single PE's time multiplied by their number.
    const pace sweeps{setup.spin * setup.machine.pes * setup.processes,
                      setup.machine.machine == imbrex::machine_kind::simulated};
    auto array = imbrex::restored<block>("blocks");
    const bool is_new = !array;
    if (is_new)
      array = imbrex::make_array<block>(imbrex::dense(shape).named("blocks"), setup.grid, setup.init,
                                        setup.overlap, sweeps, setup.hot);
    co_return co_await run_blocks(setup, chosen, *array, is_new, plain, serial, listener, result);
  }
  const device_use use{setup.fusion, setup.graphs, by_requests(setup), setup.comm,
                       setup.waits,  setup.mark,   setup.hot};
  const auto array = imbrex::make_array<device_block>(shape, setup.grid, setup.init, use);
  co_await run_blocks(setup, chosen, array, true, plain, serial, listener, result);
}

}  // namespace

const serial_grid& serial_rival::after(std::int64_t iterations) {
  grid_.sweep(iterations - iterations_);
  iterations_ = iterations;
  return grid_;
}

int measure(const settings& setup, const configuration& chosen, plain_loop* plain, serial_rival* serial,
            const progress_listener& listener, measurement& result) {
  return imbrex::run(setup.machine,
                     [&] { return run_configuration(setup, chosen, plain, serial, listener, result); });
}

}  // namespace jacobi3d
