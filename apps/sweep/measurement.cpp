// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/measurement.hpp"

#include <chrono>
#include <vector>

#include "apps/sweep/column.hpp"

namespace sweep {
namespace {

using columns = imbrex::array<column>;

// The clock of iterations: virtual time for simulated machines.
imbrex::nanoseconds moment(const pace& steps) {
  return steps.is_virtual ? imbrex::now() : std::chrono::steady_clock::now().time_since_epoch();
}

imbrex::task<> time_iterations(const settings& setup, const pace& steps, columns all, measurement& result) {
  const imbrex::trace::phase timed("iterations", setup.iterations);
  const auto begin = moment(steps);
  const progress p =
      co_await all.reduce<&column::run>(greatest_residual{}, setup.iterations, setup.tolerance);
  const double seconds = std::chrono::duration<double>(moment(steps) - begin).count();
  result.iterations = p.iterations;
  result.seconds_per_iteration = seconds / double(p.iterations);
  result.residual = p.residual;
}

imbrex::task<harness::comparison> compare(columns all, const harness::decomposition& cut,
                                          const serial_solver& expected) {
  harness::comparison compared;
  for (int x = 0; x < all.shape()[0]; ++x)
    for (int y = 0; y < all.shape()[1]; ++y) {
      const std::vector<double> values = co_await all[{x, y}].call<&column::cells>();
      compared.add(expected, cut.first({x, y, 0}), cut.cells({x, y, 0}), values);
    }
  co_return compared;
}

imbrex::task<> run_configuration(const settings& setup, const configuration& chosen, serial_solver* serial,
                                 measurement& result) {
  const pace steps{setup.spin, setup.machine.machine == imbrex::machine_kind::simulated};
  const imbrex::index<2> shape(chosen.cut.blocks[0], chosen.cut.blocks[1]);
  const auto all = imbrex::make_array<column>(shape, setup.posed, steps);
  // Needed also without warm-up: it completes after all columns have been created.
  co_await all.reduce<&column::run>(greatest_residual{}, setup.warmup, 0.0);
  co_await time_iterations(setup, steps, all, result);
  result.balance = co_await all.reduce<&column::balance>(imbrex::by_key(imbrex::sum));
  result.checksum = co_await all.reduce<&column::checksum>(imbrex::sum);
  if (serial == nullptr) co_return;
  serial->advance_to(setup.warmup + result.iterations);
  result.check = co_await compare(all, chosen.cut, *serial);
}

}  // namespace

int measure(const settings& setup, const configuration& chosen, serial_solver* serial, measurement& result) {
  return imbrex::run(setup.machine, [&] { return run_configuration(setup, chosen, serial, result); });
}

}  // namespace sweep
