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

/// What the programs of this folder exit with where there is no such device: test drivers take it for
/// "skipped".
inline constexpr int no_device = 77;

/// What a program of this folder measures.
struct program {
  std::string name;                        ///< of the "program" in what it prints
  std::string text;                        ///< for its --help
  std::function<void(CLI::App&)> declare;  ///< adds its own options
  std::function<void(const imbrex::options&, nlohmann::ordered_json&)> measure;  ///< adds rows to an array
};

/// Runs it: takes the runtime's options out of the command line (`--device`, cuda unless given;
/// `--device-model`, of the emulated device h200 unless given), then the program's own, and prints one line,
/// a JSON object: program, device, backend, rows. Returns the exit status. `--describe` has it print the line
/// without measuring.
int run(const program& what, int argc, char** argv);

/// The devices that the options ask for. Throws imbrex::error where there are none.
std::vector<std::unique_ptr<imbrex::device>> open_devices(const imbrex::options& settings);

/// Runs a main task. Throws imbrex::error if the run fails.
template <class Main>
void run_on(const imbrex::options& settings, Main main) {
  if (imbrex::run(settings, main) != 0)
    throw imbrex::error("the run has failed, for the reason that it has told");
}

/// The middle one, or the mean of the two in the middle; and the value that 95 % do not exceed. Of at least
/// one.
double median(std::vector<double> values);
double percentile_95(std::vector<double> values);

/// For a row: the median, least and greatest.
nlohmann::ordered_json spread(const std::vector<double>& values);

}  // namespace bench
