// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/options/options.hpp>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/topology.hpp>
#include <imbrex/base/options/nearest.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/base/options/options_file.hpp>
#include <imbrex/base/options/quantity.hpp>
#include <imbrex/base/printable.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

namespace imbrex {
namespace {

constexpr std::array<std::string_view, 25> names{"--pes",
                                                 "--machine",
                                                 "--bind",
                                                 "--shuffle",
                                                 "--seed",
                                                 "--serialize-always",
                                                 "--comm-thread",
                                                 "--net",
                                                 "--net-latency",
                                                 "--net-bandwidth",
                                                 "--net-injection-gap",
                                                 "--device",
                                                 "--devices",
                                                 "--device-model",
                                                 "--device-map",
                                                 "--completion",
                                                 "--completion-poll",
                                                 "--no-data",
                                                 "--streams",
                                                 "--trace",
                                                 "--trace-buffer",
                                                 "--trace-full",
                                                 "--trace-paused",
                                                 "--stats",
                                                 "--options"};
constexpr std::array<std::string_view, 3> machines{"threads", "deterministic", "simulated"};
constexpr std::array<std::string_view, 2> bindings{"none", "core"};
constexpr std::array<std::string_view, 2> when_full{"drop", "wait"};
constexpr std::array<std::string_view, 4> device_maps{"block", "round-robin", "near", "none"};
constexpr std::array<std::string_view, 4> stream_policies{"single", "two", "four", "five"};
constexpr std::array<std::string_view, 6> completions{"sync",     "poll-user", "poll",
                                                      "callback", "flag",      "work-request"};

int parse_pes(std::string_view value) {
  const auto number = parse_number<std::uint64_t>(value);
  if (!number || *number < 1 || *number > max_pes)
    throw usage_error("--pes " + printable(value) + ": the number of PEs must be a whole number from 1 to " +
                      std::to_string(max_pes) + "; leave --pes out for one per processor (" +
                      std::to_string(usable_processors()) + " here)");
  return static_cast<int>(*number);
}

std::uint64_t parse_seed(std::string_view name, std::string_view value) {
  const auto number = parse_number<std::uint64_t>(value);
  if (!number)
    throw usage_error(
        printable(name) + " " + printable(value) +
        ": the seed must be a whole number from 0 to 18446744073709551615; any will do, and the same one "
        "gives the same order again");
  return *number;
}

nanoseconds parse_delay(std::string_view name, std::string_view value) {
  const auto time = parse_duration(value);
  if (!time || *time > max_net_delay)
    throw usage_error(printable(name) + " " + printable(value) +
                      ": the value must be a time from 0s to 60s with its unit, ns, us, ms or s, such as "
                      "200us or 1.5ms");
  return *time;
}

std::uint64_t parse_bandwidth(std::string_view name, std::string_view value) {
  const auto rate = parse_rate(value);
  if (!rate || *rate < min_net_bandwidth || *rate > max_net_bandwidth)
    throw usage_error(printable(name) + " " + printable(value) +
                      ": the value must be a rate from 1kB/s to 1000GB/s with its unit, B/s, kB/s, MB/s, "
                      "GB/s, kbit/s, Mbit/s or Gbit/s, such as 1GB/s or 100Mbit/s; leave " +
                      printable(name) + " out for no limit");
  return *rate;
}

int parse_devices(std::string_view value) {
  const auto number = parse_number<int>(value);
  if (!number || *number < 1 || *number > max_devices)
    throw usage_error("--devices " + printable(value) +
                      ": the number of emulated devices must be from 1 to " + std::to_string(max_devices) +
                      "; leave --devices out for one");
  return *number;
}

polling_interval parse_polling(std::string_view value) {
  if (value == "adaptive") return {};
  if (const auto turns = parse_number<int>(value); turns && *turns >= 1 && *turns <= max_poll_turns)
    return {*turns, nanoseconds(0)};
  if (const auto time = parse_duration(value); time && time->count() > 0 && *time <= std::chrono::seconds(1))
    return {0, *time};
  throw usage_error("--completion-poll " + printable(value) +
                    ": the value must be adaptive, a number of turns from 1 to " +
                    std::to_string(max_poll_turns) + ", or a time up to 1s with its unit, such as 20us");
}

std::uint64_t parse_trace_buffer(std::string_view value) {
  const auto bytes = parse_size(value);
  if (!bytes || *bytes < min_trace_buffer || *bytes > max_trace_buffer)
    throw usage_error(
        "--trace-buffer " + printable(value) +
        ": the value must be a size from 4kB to 100GB with its unit, B, kB, MB or GB, such as 8MB");
  return *bytes;
}

std::string parse_trace(std::string_view value) {
  if (value.empty())
    throw usage_error("--trace needs the name of the file to write, such as --trace run.trace");
  return std::string(value);
}

/// The position of `value` among the words that option `name` takes.
std::size_t parse_word(std::string_view name, std::string_view value,
                       std::span<const std::string_view> words) {
  const auto found = std::find(words.begin(), words.end(), value);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::string message = printable(name) + " " + printable(value) + ": the value must be one of ";
  for (const std::string_view word : words) message += (word == words.front() ? "" : ", ") + printable(word);
  if (const std::string_view meant = nearest(value, words); !meant.empty())
    message += "; did you mean " + printable(name) + " " + printable(meant) + "?";
  throw usage_error(message);
}

/// Whether the option only matters to a run with devices, and to any of these.
bool is_for_devices(std::string_view name) {
  return name == "--device-map" || name == "--completion" || name == "--completion-poll" ||
         name == "--streams";
}

void set(options& chosen, std::string_view name, std::string_view value) {
  if (name == "--pes") chosen.pes = parse_pes(value);
  if (name == "--machine") {
    if (value == "virtual")
      throw usage_error("--machine virtual: that machine is called simulated; write --machine simulated");
    chosen.machine = static_cast<machine_kind>(parse_word(name, value, machines));
  }
  if (name == "--bind") chosen.bind = static_cast<binding>(parse_word(name, value, bindings));
  if (name == "--shuffle") chosen.shuffle = parse_seed(name, value);
  if (name == "--seed") chosen.seed = parse_seed(name, value);
  if (name == "--net") chosen.net = value;
  if (name == "--net-latency") chosen.net_latency = parse_delay(name, value);
  if (name == "--net-bandwidth") chosen.net_bandwidth = parse_bandwidth(name, value);
  if (name == "--device") chosen.device = value;
  if (name == "--devices") chosen.devices = parse_devices(value);
  if (name == "--device-model") chosen.device_model = value;
  if (name == "--device-map") chosen.map = static_cast<device_map>(parse_word(name, value, device_maps));
  if (name == "--completion")
    chosen.completion = static_cast<completion_method>(parse_word(name, value, completions));
  if (name == "--streams")
    chosen.streams = static_cast<stream_policy>(parse_word(name, value, stream_policies));
  if (name == "--completion-poll") chosen.poll = parse_polling(value);
  if (name == "--trace") chosen.trace = parse_trace(value);
  if (name == "--trace-buffer") chosen.trace_buffer = parse_trace_buffer(value);
  if (name == "--trace-full") chosen.trace_waits = parse_word(name, value, when_full) == 1;
  if (name == "--net-injection-gap") chosen.net_injection_gap = parse_delay(name, value);
  if (is_for_devices(name)) chosen.device_words = std::string(name) + " " + std::string(value);
}

bool takes_no_value(std::string_view name) {
  return name == "--serialize-always" || name == "--comm-thread" || name == "--no-data" ||
         name == "--trace-paused" || name == "--stats";
}

void set(options& chosen, std::string_view name) {
  if (name == "--serialize-always") chosen.serialize_always = true;
  if (name == "--comm-thread") chosen.comm_thread = true;
  if (name == "--no-data") chosen.device_data = false;
  if (name == "--trace-paused") chosen.trace_paused = true;
  if (name == "--stats") chosen.stats = true;
}

/// An argument taken apart at its first '='.
struct argument {
  explicit argument(std::string_view whole) {
    const std::size_t equals = whole.find('=');
    name = whole.substr(0, equals);
    if (equals != std::string_view::npos) value = whole.substr(equals + 1);
  }

  std::string_view name;
  std::optional<std::string_view> value;
};

bool is_end_of_options(const argument& given) { return given.name == "--" && !given.value; }

/// What the option at `at` has as its value, behind '=' or as the next word, to which `at` then moves on.
std::string_view value_of(const argument& given, std::span<char* const> words, std::size_t& at) {
  if (given.value) return *given.value;
  const bool follows = at + 1 < words.size() && !std::string_view(words[at + 1]).starts_with("--");
  if (!follows) throw usage_error(printable(given.name) + " needs a value\n" + options_help());
  return words[++at];
}

/// Takes the runtime's options out of a command line, and gives the rest.
std::vector<char*> take_options(options& chosen, std::span<char* const> words) {
  std::vector<char*> rest;
  std::string_view of_trace;  // an option that says how to record
  for (std::size_t i = 0; i < words.size(); ++i) {
    const argument given(words[i]);
    if (i > 0 && is_end_of_options(given)) {
      rest.insert(rest.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    if (i == 0 || std::find(names.begin(), names.end(), given.name) == names.end()) {
      rest.push_back(words[i]);
      continue;
    }
    if (given.name.starts_with("--trace-")) of_trace = given.name;
    if (!takes_no_value(given.name)) {
      set(chosen, given.name, value_of(given, words, i));
    } else if (given.value) {
      throw usage_error(printable(words[i]) + ": " + printable(given.name) +
                        " takes no value; leave it out to do without");
    } else {
      set(chosen, given.name);
    }
  }
  if (!of_trace.empty() && chosen.trace.empty())
    throw usage_error(printable(of_trace) +
                      " says how to record, and nothing is without --trace; add --trace FILE, " +
                      "or leave it out");
  return rest;
}

/// A command line that an options file has made longer.
struct longer_line {
  std::deque<std::string> added;  ///< what `words` points to, beside what it pointed to before
  std::vector<char*> words;
};

/// The command line with the words of options files in the place of their options; none if there are no such files.
std::optional<longer_line> with_options_files(options& chosen, int argc, char** argv) {
  const std::span<char* const> words(argv, static_cast<std::size_t>(argc));
  std::optional<longer_line> line;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const argument given(words[i]);
    if (i > 0 && is_end_of_options(given)) {
      if (line)
        line->words.insert(line->words.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    if (i == 0 || given.name != "--options") {
      if (line) line->words.push_back(words[i]);
      continue;
    }
    if (!line) line = longer_line{{}, {words.begin(), words.begin() + static_cast<std::ptrdiff_t>(i)}};
    options_file read = read_options_file(std::string(value_of(given, words, i)));
    if (read.processes != 0) chosen.processes = read.processes;
    for (std::string& word : read.words)
      line->words.push_back(line->added.emplace_back(std::move(word)).data());
  }
  return line;
}

/// Keeps a command line until the program ends, as it may look at the main function's arguments as long.
char** keep(longer_line line) {
  static std::mutex lock;
  static std::deque<longer_line> kept;
  const std::lock_guard guard(lock);
  return kept.emplace_back(std::move(line)).words.data();
}

std::string_view without_dashes(std::string_view name) {
  return name.substr(std::min(name.size(), name.find_first_not_of('-')));
}

bool nearly(std::string_view given, std::string_view known) {
  const std::string_view letters = without_dashes(known);
  const std::string_view given_letters = without_dashes(given);
  if (given_letters.empty() || given_letters.front() != letters.front()) return false;
  constexpr std::size_t long_name = 6;
  return given != known && edit_distance(given, known) <= (letters.size() >= long_name ? 2 : 1);
}

}  // namespace

std::string_view name(machine_kind kind) { return machines[static_cast<std::size_t>(kind)]; }
std::string_view name(completion_method method) { return completions[static_cast<std::size_t>(method)]; }
std::string_view name(stream_policy policy) { return stream_policies[static_cast<std::size_t>(policy)]; }

options parse_options(int& argc, char**& argv) {
  options chosen;
  auto grown = with_options_files(chosen, argc, argv);
  const std::span<char* const> words =
      grown ? std::span<char* const>(grown->words) : std::span(argv, static_cast<std::size_t>(argc));
  const std::vector<char*> rest = take_options(chosen, words);
  if (chosen.machine == machine_kind::simulated && !chosen.device_model.empty() && chosen.device.empty())
    chosen.device = "emulated";
  if (grown) {
    grown->words = rest;
    grown->words.push_back(nullptr);
    argv = keep(*std::move(grown));
  } else {
    std::copy(rest.begin(), rest.end(), argv);
    if (rest.size() < words.size()) argv[rest.size()] = nullptr;
  }
  argc = static_cast<int>(rest.size());
  return chosen;
}

void refuse_near_misses(int argc, char** argv) {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    if (argv[i][0] != '-') continue;
    const argument given(argv[i]);
    const auto meant = std::find_if(names.begin(), names.end(),
                                    [&](std::string_view known) { return nearly(given.name, known); });
    if (meant == names.end()) continue;
    throw usage_error("unknown option " + printable(given.name) + "; did you mean " + printable(*meant) +
                      "? (An argument of the program's own goes after --.)");
  }
}

std::string options_help() {
  return "Options of the runtime:\n"
         "  --pes N              number of PEs (schedulers), 1 to " +
         std::to_string(max_pes) + "; without it one per processor: " + std::to_string(usable_processors()) +
         " here\n"
         "  --machine KIND       threads (default); deterministic: all PEs on one thread, order by --seed; "
         "or\n"
         "                       simulated: the same in the times of --device-model, order by these\n"
         "  --bind none|core     whether each PE's thread stays on one core; none unless given\n"
         "  --shuffle SEED       take queued messages at random, to find what depends on their order\n"
         "  --seed N             seed of the deterministic machine's order; 1 unless given\n"
         "  --serialize-always   serialise arguments even where they could be moved, to test serialisation\n"
         "  --comm-thread        let one more thread of each process drive its network, for all its PEs\n"
         "  --net FABRIC         what connects processes: ucx (default), or loopback, for one process alone\n"
         "  --net-latency TIME   let a message between PEs take this long, such as 200us\n"
         "  --net-bandwidth RATE and 1/RATE for each byte, such as 1GB/s or 100Mbit/s; one PE's do not "
         "overlap\n"
         "  --net-injection-gap TIME  and one PE's messages leave this far apart, such as 1us\n"
         "  --device KIND        cuda, or emulated: a device for each PE to use; none unless given\n"
         "  --devices N          so many emulated devices in each process; one unless given\n"
         "  --device-model M     how fast they are: v100, h200 or a file; unless given, they take no time\n"
         "                       (with --machine simulated also what messages take)\n"
         "  --no-data            let them take their time, but keep and compute nothing: for large models\n"
         "  --device-map MAP     which PEs share a device: block (default), those side by side; "
         "round-robin;\n"
         "                       near, those near it; none\n"
         "  --completion METHOD  how a PE learns that its device is done: poll (default), callback, flag, "
         "sync,\n"
         "                       poll-user or work-request\n"
         "  --streams POLICY     streams of chares that leave the choice: single; two (default), to compute "
         "and to\n"
         "                       communicate; four, with copies apart; five, shared by all chares of a "
         "device\n"
         "  --completion-poll P  how often a busy PE asks: adaptive (default), a number of turns, or a "
         "time\n"
         "  --trace FILE         record what the PEs, messages and devices do, for imbrex trace report FILE\n"
         "  --trace-buffer SIZE  memory for the records of each PE until they are on disk; 8MB unless given\n"
         "  --trace-full WHAT    when it is full: drop (default), leave records out and count them, or wait\n"
         "  --trace-paused       record only from trace::start() on\n"
         "  --stats              say what the PEs did: messages, idle time, memory; at the end and every 10 "
         "s\n"
         "  --options FILE       take the arguments in this file in its place, one option a line; # begins a "
         "comment\n";
}

std::span<const std::string_view> option_names() { return names; }

}  // namespace imbrex
