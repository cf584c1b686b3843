// SPDX-License-Identifier: Apache-2.0
#include "bench/osu/plan.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include <imbrex/base/options/command.hpp>
#include <imbrex/base/options/quantity.hpp>

#include "apps/harness/option_values.hpp"

namespace osu {
namespace {

using harness::count_of;
using harness::refuse;

// The options as written.
struct texts {
  std::optional<std::string> bench, way, memory, smallest, largest, window, distance, rounds, json;
  bool check = false, quiet = false;
};

std::optional<std::string> read(texts& parameters, int argc, char** argv) {
  imbrex::command own("osu", "[OPTIONS]",
                      "Times messages between chares of two PEs, in host memory or in devices, as the OSU "
                      "micro-benchmarks do.");
  own.option("--bench", "KIND[,KIND...]", parameters.bench,
             "latency (default), bandwidth, bidirectional, multi-pair or rate")
      .option("--way", "WAY[,WAY...]", parameters.way,
              "transfers (default all): message, channel; persistent and staging, of memory in a device, the "
              "latter through the host")
      .option("--memory", "WHERE", parameters.memory,
              "location of the bytes: host or device (default device, if the run has devices)")
      .option("--smallest", "BYTES", parameters.smallest, "smallest message (default 1)")
      .option("--largest", "BYTES", parameters.largest, "largest message (default 4194304)")
      .option("--window", "N", parameters.window,
              "messages in flight at once, except for latency (default 64)")
      .option("--distance", "N", parameters.distance,
              "distance of the two elements of a pair (default half of the PEs)")
      .option("--rounds", "N", parameters.rounds,
              "number of timed rounds (default 200, or 20 from 64 KiB on and in simulated time)")
      .flag("--check", parameters.check, "compare all bytes of a round with what was sent")
      .option("--json", "FILE", parameters.json, "write a line for each time to this file")
      .flag("--quiet", parameters.quiet, "print errors only");
  return harness::read_options(own, argc, argv);
}

template <class Kind>
std::vector<Kind> kinds_of(const char* option, const std::string& text, const auto& names) {
  std::vector<Kind> kinds;
  std::string known;
  for (const char* const each : names) known += (known.empty() ? "" : ", ") + std::string(each);
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string word = text.substr(at, end - at);
    const auto found = std::ranges::find(names, word);
    if (found == names.end()) refuse(option, text, "there is no " + word + "; there are " + known);
    kinds.push_back(Kind(found - names.begin()));
    at = end + 1;
  }
  return kinds;
}

std::uint64_t bytes_of(const char* option, const std::string& text) {
  constexpr std::uint64_t most = std::uint64_t{1} << 30U;
  const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  const auto bytes = imbrex::parse_size(is_number ? text + "B" : text);
  if (!bytes || *bytes < 1 || *bytes > most)
    refuse(option, text, "a size is from 1 byte to 1 GiB, such as 65536 or 64kB");
  return *bytes;
}

}  // namespace

settings parse_settings(int argc, char** argv) {
  settings setup;
  setup.machine = imbrex::parse_options(argc, argv);
  texts parameters;
  if (auto help = read(parameters, argc, argv)) {
    setup.help = *std::move(help);
    return setup;
  }
  const bool has_devices = !setup.machine.device.empty();
  setup.memory = has_devices ? place::device : place::host;
  if (parameters.memory) setup.memory = kinds_of<place>("--memory", *parameters.memory, place_names).front();
  if (setup.memory == place::device && !has_devices)
    refuse("--memory", *parameters.memory, "the run has no devices; add --device or --device-model");
  setup.ways = {way::message, way::channel};
  if (setup.memory == place::device) setup.ways.insert(setup.ways.end(), {way::persistent, way::staging});
  if (parameters.way) setup.ways = kinds_of<way>("--way", *parameters.way, way_names);
  if (setup.memory == place::host && std::ranges::count(setup.ways, way::staging) != 0)
    refuse("--way", *parameters.way,
           "what lies in host memory needs no staging; leave it out, or --memory host");
  if (setup.memory == place::host && std::ranges::count(setup.ways, way::persistent) != 0)
    refuse("--way", *parameters.way,
           "persistent channels are for memory of devices; leave it out, or --memory host");
  if (parameters.bench) setup.exchanges = kinds_of<exchange>("--bench", *parameters.bench, exchange_names);
  if (parameters.smallest) setup.smallest = bytes_of("--smallest", *parameters.smallest);
  if (parameters.largest) setup.largest = bytes_of("--largest", *parameters.largest);
  if (setup.largest < setup.smallest)
    refuse("--largest", std::to_string(setup.largest), "it is less than --smallest");
  if (parameters.window)
    setup.window = int(count_of("--window", *parameters.window, 1, "number of messages"));
  if (setup.machine.pes == 0) setup.machine.pes = 2;
  const int pes = setup.machine.pes * imbrex::num_processes();
  if (pes < 2) throw imbrex::usage_error("--pes 1: two PEs are needed to exchange messages; give --pes 2");
  setup.distance =
      parameters.distance ? int(count_of("--distance", *parameters.distance, 1, "distance")) : pes / 2;
  if (setup.distance >= pes)
    refuse("--distance", std::to_string(setup.distance),
           "there are " + std::to_string(pes) + " PEs, which are no further apart than " +
               std::to_string(pes - 1));
  if (parameters.rounds) setup.rounds = int(count_of("--rounds", *parameters.rounds, 1, "number of rounds"));
  setup.checks = parameters.check;
  if (setup.checks && !setup.machine.device_data)
    throw imbrex::usage_error(
        "--check with --no-data: there are no bytes to compare; leave out one of the two");
  setup.quiet = parameters.quiet;
  if (parameters.json) setup.json = harness::file_of("--json", *parameters.json);
  return setup;
}

std::vector<std::uint64_t> sizes_of(const settings& setup) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t bytes = std::bit_ceil(setup.smallest); bytes <= setup.largest; bytes *= 2)
    sizes.push_back(bytes);
  if (sizes.empty()) sizes.push_back(setup.smallest);
  return sizes;
}

course course_of(const settings& setup, exchange what, way by, std::uint64_t bytes) {
  const int pes = setup.machine.pes * imbrex::num_processes();
  const bool is_virtual = setup.machine.machine == imbrex::machine_kind::simulated;
  course c{.what = what, .by = by, .memory = setup.memory, .bytes = bytes, .distance = setup.distance};
  if (what != exchange::latency) c.window = setup.window;
  if (what == exchange::multi_pair || what == exchange::rate)
    c.pairs = std::min(setup.distance, pes - setup.distance);
  constexpr std::uint64_t large = std::uint64_t{64} << 10U;
  c.rounds = setup.rounds != 0 ? setup.rounds : is_virtual || bytes >= large ? 20 : 200;
  c.warmup = std::max(1, c.rounds / 10);
  c.checks = setup.checks;
  return c;
}

}  // namespace osu
