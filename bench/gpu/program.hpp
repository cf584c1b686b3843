// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <imbrex/base/error.hpp>
#include <imbrex/device/device.hpp>
#include <imbrex/imbrex.hpp>

namespace bench {

/// The exit status without a device of the requested kind: test drivers treat it as "skipped".
inline constexpr int no_device = 77;

/// A measuring program.
struct program {
  std::string name;                        ///< value of "program" in its output
  std::string text;                        ///< text of --help
  std::function<void(CLI::App&)> declare;  ///< adds its own options
  std::function<void(const imbrex::options&, nlohmann::ordered_json&)> measure;  ///< adds rows to an array
};

/// Runs a program. It removes the runtime's options from the command line: `--device`, cuda by default;
/// `--device-model`, h200 by default for the emulated device. Then it parses the program's own options, and
/// prints one line, a JSON object: program, device, backend, rows. Returns the exit status. With `--describe`
/// it prints the line without measuring.
int run(const program& what, int argc, char** argv);

/// The devices selected by the options. Throws imbrex::error if there are none.
std::vector<std::unique_ptr<imbrex::device>> open_devices(const imbrex::options& settings);

/// Runs a main task. Throws imbrex::error if the run fails.
template <class Main>
void run_on(const imbrex::options& settings, Main main) {
  if (imbrex::run(settings, main) != 0)
    throw imbrex::error("the run has failed, for the reason that it has told");
}

/// The median (the middle value, or the mean of the two middle values), and the 95th percentile, of at least
/// one value.
double median(std::vector<double> values);
double percentile_95(std::vector<double> values);

/// The median, least and greatest value, for a row.
nlohmann::ordered_json spread(const std::vector<double>& values);

}  // namespace bench
