// SPDX-License-Identifier: Apache-2.0
#include "apps/hotspot/program.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include <imbrex/checkpoint.hpp>
#include <imbrex/imbrex.hpp>

#include "apps/harness/output.hpp"
#include "apps/harness/program.hpp"
#include "apps/hotspot/loads.hpp"
#include "apps/hotspot/options.hpp"

namespace hotspot {
namespace {

/// The parameters of a run, in the arguments of each cell.
struct parameters {
  std::array<int, 3> cells;
  int steps;
  motion how;
  std::int64_t nanoseconds;
  int halo;
  bool has_model_time;  ///< the PEs' clocks stand still while they compute
};

/// Lets the time pass: by the model, or by computing.
void compute(const parameters& p, double load) {
  const imbrex::nanoseconds time(static_cast<std::int64_t>(load * static_cast<double>(p.nanoseconds)));
  if (p.has_model_time) return imbrex::spend(time);
  for (const auto begin = imbrex::now(); imbrex::now() - begin < time;) {
  }
}

class cell : public imbrex::chare<cell, imbrex::index<3>> {
 public:
  imbrex::mailbox<std::vector<char>> halo;

  /// Runs to the last step. Returns the number of halos that were right.
  imbrex::task<std::int64_t> run(parameters p) {
    while (step_ < p.steps) {
      const int neighbours = send_halos(p);
      for (int n = 0; n < neighbours; ++n) {
        const std::vector<char> received = co_await halo.receive(step_);
        if (received == std::vector<char>(static_cast<std::size_t>(p.halo), mark())) ++right_;
      }
      compute(p, load_of(p.how, {where()[0], where()[1], where()[2]}, p.cells, step_));
      ++step_;
      if (step_ < p.steps) co_await balance_point<&cell::run>(p);
    }
    co_return right_;
  }
  void serialize(auto& ar) { ar(halo, step_, right_); }

 private:
  char mark() const { return static_cast<char>(step_ % 100); }
  int send_halos(const parameters& p) {
    int neighbours = 0;
    for (int d = 0; d < 3; ++d)
      for (const int side : {-1, 1}) {
        auto to = where();
        to[d] += side;
        if (to[d] < 0 || to[d] >= p.cells[static_cast<std::size_t>(d)]) continue;
        imbrex::send<&cell::halo>(peers()[to], step_,
                                  std::vector<char>(static_cast<std::size_t>(p.halo), mark()));
        ++neighbours;
      }
    return neighbours;
  }

  int step_ = 0;
  std::int64_t right_ = 0;
};

std::int64_t halos_of(const settings& setup) {
  const auto& [x, y, z] = setup.cells;
  const std::int64_t X = x, Y = y, Z = z;
  return 2 * ((X - 1) * Y * Z + X * (Y - 1) * Z + X * Y * (Z - 1)) * setup.steps;
}

std::string json_line(const settings& setup, int pes, double seconds, const bounds& loads) {
  const double unit = std::chrono::duration<double, std::milli>(setup.time).count();
  nlohmann::ordered_json line;
  line["app"] = "hotspot";
  line["cells"] = setup.cells;
  line["steps"] = setup.steps;
  line["motion"] = motions[static_cast<std::size_t>(setup.how)];
  line["pes"] = pes;
  line["balance"] = setup.machine.balance.strategy.empty() ? "none" : setup.machine.balance.strategy;
  line["ms"] = seconds * 1e3;
  line["mean_ms"] = loads.mean * unit;
  line["best_ms"] = loads.best * unit;
  return line.dump();
}

imbrex::task<int> measure(const settings& setup, std::ofstream& json) {
  const auto& [x, y, z] = setup.cells;
  auto cells = imbrex::restored<cell>("cells");
  if (!cells) cells = imbrex::make_array<cell>(imbrex::dense(imbrex::index<3>{x, y, z}).named("cells"));
  co_await cells->created();
  const parameters p{setup.cells,        setup.steps, setup.how,
                     setup.time.count(), setup.halo,  setup.machine.machine != imbrex::machine_kind::threads};
  const double begin = imbrex::seconds();
  const std::int64_t right = co_await cells->reduce<&cell::run>(imbrex::sum, p);
  const double took = imbrex::seconds() - begin;
  const bounds loads = bounds_of(setup.how, setup.cells, setup.steps, imbrex::num_pes());
  const double unit = std::chrono::duration<double, std::milli>(setup.time).count();
  harness::write_output(
      fmt::format("hotspot: {}x{}x{} cells, {} steps, {} PEs: {:.3f} ms; mean work {:.3f} ms, best packing "
                  "of each step {:.3f} "
                  "ms\n",
                  x, y, z, setup.steps, imbrex::num_pes(), took * 1e3, loads.mean * unit, loads.best * unit));
  harness::write_json(json, setup.json, json_line(setup, imbrex::num_pes(), took, loads));
  const bool is_right = right == halos_of(setup);
  harness::write_output(is_right ? "check: every halo was right\n"
                                 : fmt::format("check: {} of {} halos were right\n", right, halos_of(setup)));
  co_return is_right ? 0 : 1;
}

}  // namespace

int program(int argc, char** argv) {
  return harness::run_program("hotspot", [&] {
    const settings setup = parse_settings(argc, argv);
    if (!setup.help.empty()) {
      if (imbrex::process() == 0) harness::write_output(setup.help);
      return 0;
    }
    std::ofstream json;
    if (imbrex::process() == 0) json = harness::open_json(setup.json);
    return imbrex::run(setup.machine, [&] { return measure(setup, json); });
  });
}

}  // namespace hotspot
