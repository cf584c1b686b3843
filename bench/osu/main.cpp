// SPDX-License-Identifier: Apache-2.0
// The OSU micro-benchmarks between chares: latency, bandwidth, bidirectional bandwidth, multi-pair bandwidth
// and message rate, for host and device memory, on any machine.
//   build/release/bin/osu --machine simulated --device-model summit --no-data --pes 2
//   build/release/bin/osu --machine simulated --device-model summit --no-data --pes 12 --distance 6
#include <fmt/format.h>

#include <fstream>
#include <string>
#include <vector>

#include "apps/harness/output.hpp"
#include "apps/harness/program.hpp"
#include "bench/osu/plan.hpp"
#include "bench/osu/station.hpp"

namespace {

using namespace osu;

/// The result of a course, in the unit of its table.
double figure_of(const course& c, double seconds) {
  switch (c.what) {
    case exchange::latency: return seconds / 2 * 1e6;
    case exchange::rate: return double(c.window) * c.pairs / seconds / 1e6;
    case exchange::bidirectional: return 2 * double(c.window) * double(c.bytes) / seconds / 1e9;
    default: return double(c.window) * c.pairs * double(c.bytes) / seconds / 1e9;
  }
}
const char* unit_of(exchange what) {
  if (what == exchange::latency) return "us";
  return what == exchange::rate ? "million messages a second" : "GB/s";
}

imbrex::task<double> measure(imbrex::array<station> stations, course c) {
  co_await stations.call<&station::prepare>(c);
  const double seconds = co_await stations.reduce<&station::run>(imbrex::max);
  if (c.checks) {
    const bool right = co_await stations.reduce<&station::is_right>(imbrex::min);
    if (!right)
      throw imbrex::error(fmt::format("{} of {} bytes by {}: other bytes came than were sent",
                                      name_of(exchange_names, c.what), c.bytes, name_of(way_names, c.by)));
  }
  co_return figure_of(c, seconds);
}

std::string head_of(const settings& setup, exchange what) {
  std::string line = fmt::format("\n{}, {} memory, {}\n{:>10}", name_of(exchange_names, what),
                                 name_of(place_names, setup.memory), unit_of(what), "bytes");
  for (const way by : setup.ways) line += fmt::format("{:>12}", name_of(way_names, by));
  return line + "\n";
}

imbrex::task<> measure_all(const settings& setup, std::ofstream& json) {
  const int pes = setup.machine.pes * imbrex::num_processes();
  const auto stations = imbrex::make_array<station>({pes});
  const bool reports = imbrex::process() == 0;
  for (const exchange what : setup.exchanges) {
    if (reports && !setup.quiet) harness::write_output(head_of(setup, what));
    for (const std::uint64_t bytes : sizes_of(setup)) {
      std::string line = fmt::format("{:>10}", bytes);
      for (const way by : setup.ways) {
        const course c = course_of(setup, what, by, bytes);
        const double figure = co_await measure(stations, c);
        line += fmt::format("{:>12.4g}", figure);
        if (!reports) continue;
        harness::write_json(
            json, setup.json,
            fmt::format(R"({{"bench":"{}","memory":"{}","way":"{}","bytes":{},"value":{},"unit":"{}",)"
                        R"("pairs":{},"distance":{},"window":{},"machine":"{}","model":"{}","checked":{}}})",
                        name_of(exchange_names, what), name_of(place_names, setup.memory),
                        name_of(way_names, by), bytes, figure, unit_of(what), c.pairs, c.distance, c.window,
                        imbrex::option_word(setup.machine.machine), setup.machine.device_model, c.checks));
      }
      if (reports && !setup.quiet) harness::write_output(line + "\n");
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return harness::run_program("osu", [&] {
    const settings setup = parse_settings(argc, argv);
    if (!setup.help.empty()) {
      if (imbrex::process() == 0) harness::write_output(setup.help);
      return 0;
    }
    std::ofstream json;
    if (imbrex::process() == 0) json = harness::open_json(setup.json);
    return imbrex::run(setup.machine, [&]() -> imbrex::task<> { co_await measure_all(setup, json); });
  });
}
