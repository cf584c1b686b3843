// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/program.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <optional>

#include <imbrex/base/error.hpp>
#include <imbrex/device/backends/devices.hpp>
#include <imbrex/device/model.hpp>

namespace bench {
namespace {

struct shown_help {};

/// Parses the relevant options of the runtime, and the program's own options.
imbrex::options parse(const program& what, int argc, char** argv, bool& describe) {
  imbrex::options settings = imbrex::parse_options(argc, argv);
  if (settings.device.empty()) settings.device = "cuda";
  if (settings.device == "emulated" && settings.device_model.empty()) settings.device_model = "h200";
  settings.pes = 1;
  CLI::App app(what.text, what.name);
  app.add_flag("--describe", describe, "say which device it would be, and measure nothing");
  what.declare(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs((app.help() + "\n" + imbrex::options_help()).c_str(), stdout);
    throw shown_help{};
  } catch (const CLI::ParseError& e) {
    throw imbrex::usage_error(std::string(e.what()) + "; see --help");
  }
  return settings;
}

void say(const program& what, const char* kind, const std::string& text) {
  std::fprintf(stderr, "gpu_%s: %s: %s\n", what.name.c_str(), kind, text.c_str());
}

/// Describes the device; empty, with the reason on standard error, if there is none.
std::optional<imbrex::device_info> find(const program& what, const imbrex::options& settings) {
  try {
    return open_devices(settings).front()->info();
  } catch (const imbrex::usage_error&) {
    throw;
  } catch (const imbrex::error& e) {
    say(what, "skipped", e.what());
    return std::nullopt;
  }
}

}  // namespace

std::vector<std::unique_ptr<imbrex::device>> open_devices(const imbrex::options& settings) {
  imbrex::emulated_options emulated;
  if (!settings.device_model.empty()) emulated.model = imbrex::find_device_model(settings.device_model);
  return imbrex::devices(settings.device, emulated);
}

int run(const program& what, int argc, char** argv) {
  try {
    bool describe = false;
    const imbrex::options settings = parse(what, argc, argv, describe);
    const auto device = find(what, settings);
    if (!device) return no_device;
    nlohmann::ordered_json line;
    line["program"] = what.name;
    line["device"] = device->name;
    line["backend"] = device->backend;
    line["rows"] = nlohmann::ordered_json::array();
    if (!describe) what.measure(settings, line["rows"]);
    std::puts(line.dump().c_str());
    return 0;
  } catch (const shown_help&) {
    return 0;
  } catch (const imbrex::usage_error& e) {
    say(what, "error", e.what());
    return imbrex::usage_error::exit_status;
  } catch (...) {
    say(what, "error", imbrex::describe(std::current_exception()));
    return 1;
  }
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double percentile_95(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() * 95 / 100];
}

nlohmann::ordered_json spread(const std::vector<double>& values) {
  return {
      {"median", median(values)}, {"least", std::ranges::min(values)}, {"most", std::ranges::max(values)}};
}

}  // namespace bench
