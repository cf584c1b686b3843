// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/options/options.hpp>

#include <array>
#include <csignal>
#include <cstddef>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/topology.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/base/options/option_table.hpp>
#include <imbrex/base/options/quantity.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/core/options/internal/runtime_table.hpp>
#include <imbrex/device/options.hpp>
#include <imbrex/net/options.hpp>
#include <imbrex/sched/options.hpp>
#include <imbrex/trace/options.hpp>

namespace imbrex {
namespace {

constexpr std::array<std::string_view, 3> machines{"threads", "deterministic", "simulated"};
constexpr std::array<std::string_view, 4> device_maps{"block", "round-robin", "near", "none"};
constexpr std::array<std::string_view, 2> array_placements{"bricks", "blocks"};
constexpr std::array<std::string_view, 3> load_kinds{"both", "cpu", "device"};
constexpr std::array<std::string_view, 5> device_paths{"any", "host", "peer", "shared", "network"};
constexpr std::array<std::string_view, 4> log_levels{"error", "warning", "info", "debug"};
constexpr std::array<std::string_view, 4> stream_policies{"single", "two", "four", "five"};

int parse_pes(const parsed_option& input) {
  const auto number = parse_number<std::uint64_t>(input.value);
  if (!number || *number < 1 || *number > detail::max_pes)
    throw usage_error("--pes " + printable(input.value) +
                      ": the number of PEs must be a whole number from 1 to " +
                      std::to_string(detail::max_pes) + "; leave --pes out for one per processor (" +
                      std::to_string(usable_processors()) + " here)");
  return static_cast<int>(*number);
}

void check_pes(const options& s) {
  if (s.pes < 0 || s.pes > detail::max_pes)
    throw usage_error("pes = " + std::to_string(s.pes) + ": the number of PEs must be from 1 to " +
                      std::to_string(detail::max_pes) + ", or 0 for one per processor");
}

machine_kind parse_machine(const parsed_option& input) {
  if (input.value == "virtual")
    throw usage_error("--machine virtual: that machine is called simulated; write --machine simulated");
  return static_cast<machine_kind>(parse_word(input, machines));
}

std::uint64_t parse_seed(const parsed_option& input) {
  const auto number = parse_number<std::uint64_t>(input.value);
  if (!number)
    throw usage_error(
        printable(input.name) + " " + printable(input.value) +
        ": the seed must be a whole number from 0 to 18446744073709551615; any will do, and the same one "
        "gives the same order again");
  return *number;
}

void parse_balance_period(balance_settings& s, const parsed_option& input) {
  s.every_points = 0;
  s.every_time = nanoseconds(0);
  if (input.value == "auto") return;
  if (const auto points = parse_number<std::uint64_t>(input.value); points && *points >= 1) {
    s.every_points = *points;
  } else if (const auto time = parse_duration(input.value); time && time->count() > 0) {
    s.every_time = *time;
  } else {
    throw usage_error(
        printable(input.name) + " " + printable(input.value) +
        ": the period must be auto, a number of balance points from 1, or a time with its unit, "
        "such as 2s");
  }
}

std::string parse_strategy(const parsed_option& input) {
  if (input.value.empty()) throw usage_error("--balance: the strategy is empty; write --balance auto");
  return std::string(input.value);
}

std::string parse_record(const parsed_option& input) {
  if (input.value.empty())
    throw usage_error("--balance-record: the file is empty; write --balance-record FILE");
  return std::string(input.value);
}

void check_balance_period(const options& s) {
  const std::uint64_t points = s.balance.every_points;
  const nanoseconds time = s.balance.every_time;
  if (time < nanoseconds(0) || (points > 0 && time > nanoseconds(0)))
    throw usage_error("balance.every_points = " + std::to_string(points) +
                      ", balance.every_time = " + duration_text(time) +
                      ": one of them must be above 0, or both 0 to choose the period by the loads");
}

std::vector<option<options>> machine_options() {
  return {
      {.words = {"--pes", "N",
                 "number of PEs (schedulers), 1 to " + std::to_string(detail::max_pes) +
                     " (default one per processor: " + std::to_string(usable_processors()) + " here)"},
       .set = [](options& s, const parsed_option& input) { s.pes = parse_pes(input); },
       .check = check_pes},
      {.words = {"--machine", "KIND",
                 "kind of machine: threads (default); deterministic, all PEs on one thread in an order by "
                 "--seed; simulated, all PEs on one thread in the order of modelled times (--device-model)"},
       .set = [](options& s, const parsed_option& input) { s.machine = parse_machine(input); }},
      {.words =
           {"--placement", "KIND",
            "placement on several nodes of arrays of two and three dimensions for which the program names "
            "none: bricks (default), a box of neighbours on each node; blocks, in index order"},
       .set =
           [](options& s, const parsed_option& input) {
             s.placement = static_cast<array_placement>(parse_word(input, array_placements));
           }},
  };
}

std::vector<option<options>> order_options() {
  return {
      {.words = {"--shuffle", "SEED",
                 "run queued messages in random order, to find code that depends on their order"},
       .set = [](options& s, const parsed_option& input) { s.shuffle = parse_seed(input); }},
      {.words = {"--seed", "N", "seed of the deterministic machine's order (default 1)"},
       .set = [](options& s, const parsed_option& input) { s.seed = parse_seed(input); }},
      {.words = {"--serialize-always", "",
                 "serialise arguments even where they could be moved, to test serialisation"},
       .set = [](options& s, const parsed_option&) { s.serialize_always = true; }},
  };
}

/// Options for the sharing of devices between PEs and chares.
std::vector<option<options>> sharing_options() {
  return {
      {.words = {"--device-map", "MAP",
                 "mapping of PEs to devices: block (default), PEs side by side share one; round-robin; near, "
                 "the nearest device; none"},
       .set =
           [](options& s, const parsed_option& input) {
             s.map = static_cast<device_map>(parse_word(input, device_maps));
             s.source.device_words = text_of(input);
           }},
      {.words =
           {"--gpu-path", "PATH",
            "path of device memory to other PEs: any (default), the shortest; host, through host memory; "
            "peer, by copies between devices of a process; shared, by copies between processes of a host; "
            "network, by a network that reads device memory. An error where the path does not exist"},
       .set =
           [](options& s, const parsed_option& input) {
             s.gpu_path = static_cast<device_path>(parse_word(input, device_paths));
             s.source.device_words = text_of(input);
           }},
      {.words = {"--streams", "POLICY",
                 "streams of chares that choose none: single; two (default), for computation and "
                 "communication; four, with others for copies; five, shared by all chares of a device"},
       .set =
           [](options& s, const parsed_option& input) {
             s.streams = static_cast<stream_policy>(parse_word(input, stream_policies));
             s.source.device_words = text_of(input);
           }},
  };
}

std::vector<option<options>> balance_options() {
  return {
      {.words = {"--balance", "STRATEGY",
                 "strategy by which elements move to PEs with less load: none (default), auto, segments, "
                 "curve, or another one (docs/balancing.md)"},
       .set = [](options& s, const parsed_option& input) { s.balance.strategy = parse_strategy(input); }},
      {.words = {"--balance-every", "PERIOD",
                 "period of measured loads: auto (default), a number of balance points of each element, or a "
                 "time"},
       .set = [](options& s, const parsed_option& input) { parse_balance_period(s.balance, input); },
       .check = check_balance_period},
      {.words = {"--balance-by", "LOADS",
                 "loads that are evened out: both (default), cpu, those of PEs, or device, those of devices"},
       .set =
           [](options& s, const parsed_option& input) {
             s.balance.by = static_cast<balanced_loads>(parse_word(input, load_kinds));
           }},
      {.words =
           {"--balance-together", "",
            "stop all elements at their balance points, then move, so that all elements move at one step"},
       .set = [](options& s, const parsed_option&) { s.balance.together = true; }},
      {.words = {"--balance-report", "", "print a line for each step of the balancer, and a summary"},
       .set = [](options& s, const parsed_option&) { s.balance.report = true; }},
      {.words = {"--balance-record", "FILE",
                 "record the loads and moves of each period in FILE, for imbrex balance FILE; also with "
                 "--balance none"},
       .set = [](options& s, const parsed_option& input) { s.balance.record = parse_record(input); }},
  };
}

/// Sets the period of checkpoints: auto, a number of balance points, or a time.
void parse_checkpoint_period(checkpoint_settings& s, const parsed_option& input) {
  s.every_points = 0;
  s.every_time = nanoseconds(0);
  s.every_auto = input.value == "auto";
  if (s.every_auto) return;
  if (const auto points = parse_number<std::uint64_t>(input.value); points && *points >= 1) {
    s.every_points = *points;
  } else if (const auto time = parse_duration(input.value); time && time->count() > 0) {
    s.every_time = *time;
  } else {
    throw usage_error(printable(input.name) + " " + printable(input.value) +
                      ": the period must be auto, a number of balance points from 1, or a time with its "
                      "unit, such as 10min");
  }
}

nanoseconds parse_mtbf(const parsed_option& input) {
  if (const auto time = parse_duration(input.value); time && time->count() > 0) return *time;
  throw usage_error(printable(input.name) + " " + printable(input.value) +
                    ": the mean time between failures must be a time above 0 with its unit, such as 12h");
}

int parse_keep(const parsed_option& input) {
  if (const auto count = parse_number<int>(input.value); count && *count >= 1) return *count;
  throw usage_error(printable(input.name) + " " + printable(input.value) +
                    ": the number of checkpoints to keep must be a whole number from 1");
}

std::string parse_folder(const parsed_option& input) {
  if (input.value.empty())
    throw usage_error(printable(input.name) + ": the folder is empty; write " + printable(input.name) +
                      " DIR");
  return std::string(input.value);
}

void check_checkpoints(const options& s) {
  const checkpoint_settings& c = s.checkpoint;
  const bool asks = c.every_auto || c.every_points > 0 || c.every_time > nanoseconds(0) || c.signal != 0;
  if (asks && c.folder.empty())
    throw usage_error(std::string(c.signal != 0 ? "--checkpoint-on" : "--checkpoint-every") +
                      ": the run has no folder for checkpoints; give --checkpoint DIR");
  if (c.keep < 1)
    throw usage_error("checkpoint.keep = " + std::to_string(c.keep) + ": at least one checkpoint is kept");
}

std::string parse_flow(const parsed_option& input) {
  if (input.value.empty()) throw usage_error("--record-flow: the file is empty; write --record-flow FILE");
  return std::string(input.value);
}

/// A flow has the costs of the simulated machine, the polls of one method, and items that keep their
/// addresses.
void check_flow(const options& s) {
  if (s.flow.empty()) return;
  const auto refuse = [](const char* why) { throw usage_error(std::string("--record-flow ") + why); };
  if (s.machine != machine_kind::simulated)
    refuse("is for --machine simulated, whose times follow from a flow");
  if (s.completion != completion_method::polling || s.poll.turns != 0 || s.poll.time.count() != 0)
    refuse("records the usual polls for completions: leave out --completion and --completion-poll");
  if (s.shuffle) refuse("records a run in its own order: leave out --shuffle");
  if (s.serialize_always) refuse("records messages that stay as they are: leave out --serialize-always");
}

constexpr std::array<std::string_view, 2> signal_words{"USR1", "USR2"};
constexpr std::array<std::string_view, 2> words_of_compression{"none", "zstd"};
constexpr std::array<std::string_view, 3> words_of_hosts{"shared", "partner", "xor"};

std::vector<option<options>> checkpoint_options() {
  return {
      {.words = {"--checkpoint", "DIR", "folder in which the run writes checkpoints (docs/checkpoints.md)"},
       .set = [](options& s, const parsed_option& input) { s.checkpoint.folder = parse_folder(input); }},
      {.words =
           {"--checkpoint-every", "PERIOD",
            "write a checkpoint after a time, or a number of balance points of each element; auto: by its "
            "measured cost and --mtbf (default: only when the program or a signal asks)"},
       .set = [](options& s, const parsed_option& input) { parse_checkpoint_period(s.checkpoint, input); },
       .check = check_checkpoints},
      {.words = {"--mtbf", "TIME", "mean time between failures, for --checkpoint-every auto (default 24h)"},
       .set = [](options& s, const parsed_option& input) { s.checkpoint.mtbf = parse_mtbf(input); }},
      {.words = {"--checkpoint-keep", "N",
                 "number of checkpoints that stay; older ones are removed (default 2)"},
       .set = [](options& s, const parsed_option& input) { s.checkpoint.keep = parse_keep(input); }},
      {.words = {"--checkpoint-compression", "HOW",
                 "none (default), or zstd: files become smaller, and take longer to write"},
       .set =
           [](options& s, const parsed_option& input) {
             s.checkpoint.is_compressed = parse_word(input, words_of_compression) == 1;
           }},
      {.words =
           {"--checkpoint-hosts", "HOW",
            "shared (default): all hosts share the folder of checkpoints; partner, xor: each host has its "
            "own, in memory or on its disk, and keeps a copy for another host, or an eighth for seven"},
       .set =
           [](options& s, const parsed_option& input) {
             s.checkpoint.hosts = static_cast<checkpoint_hosts>(parse_word(input, words_of_hosts));
           }},
      {.words = {"--checkpoint-on", "SIGNAL",
                 "write a checkpoint when process 0 gets the signal USR1 or USR2"},
       .set =
           [](options& s, const parsed_option& input) {
             s.checkpoint.signal = parse_word(input, signal_words) == 0 ? SIGUSR1 : SIGUSR2;
           }},
      {.words = {"--restart", "DIR",
                 "begin from the newest whole checkpoint in a folder, or from one such as DIR/000012"},
       .set = [](options& s, const parsed_option& input) { s.checkpoint.restart = parse_folder(input); }},
      {.words =
           {"--fault", "FAULTS",
            "deaths of PEs of the deterministic or simulated machine, after which the run begins anew from "
            "its newest checkpoint: \"pe 17 at 3.2s\", or \"seed 7 every 3s\" (docs/checkpoints.md)"},
       .set =
           [](options& s, const parsed_option& input) {
             s.checkpoint.faults = parse_faults(input.name, input.value);
           }},
  };
}

std::vector<option<options>> report_options() {
  return {
      {.words = {"--log", "LEVEL",
                 "least severe level of the lines written: error, warning (default), info or debug"},
       .set =
           [](options& s, const parsed_option& input) {
             s.log = static_cast<log_level>(parse_word(input, log_levels));
           }},
      {.words = {"--record-flow", "FILE",
                 "with --machine simulated: record what the run's work depends on, for imbrex predict"},
       .set = [](options& s, const parsed_option& input) { s.flow = parse_flow(input); },
       .check = check_flow},
      {.words = {"--stats", "", "print messages, idle time and memory of the PEs, at the end and every 10 s"},
       .set = [](options& s, const parsed_option&) { s.reports.stats = true; }},
      {.words = {"--nvtx", "",
                 "give a profiler, such as nsys profile, a range of NVTX for each piece of an entry"},
       .set = [](options& s, const parsed_option&) { s.reports.nvtx = true; }},
  };
}

}  // namespace

const option_table<options>& runtime_table() {
  static const option_table<options> all = option_table<options>()
                                               .add(machine_options())
                                               .add(thread_options<options>())
                                               .add(order_options())
                                               .add(network_options<options>())
                                               .add(device_options<options>())
                                               .add(sharing_options())
                                               .add(completion_options<options>())
                                               .add(balance_options())
                                               .add(checkpoint_options())
                                               .add(trace_options<options>())
                                               .add(report_options());
  return all;
}

void imply_options(options& chosen) {
  if (chosen.machine == machine_kind::simulated && !chosen.device_model.empty() && chosen.device.empty())
    chosen.device = "emulated";
}

std::string_view option_word(machine_kind kind) { return machines[static_cast<std::size_t>(kind)]; }
std::string_view option_word(stream_policy policy) {
  return stream_policies[static_cast<std::size_t>(policy)];
}
std::string_view option_word(device_path path) { return device_paths[static_cast<std::size_t>(path)]; }

void detail::check_fields(const options& settings) { runtime_table().check(settings); }

options parse_options(int& argc, char**& argv) {
  options chosen;
  chosen.source.processes = runtime_table().parse(chosen, argc, argv, options_variable);
  imply_options(chosen);
  return chosen;
}

void refuse_near_misses(int argc, char** argv) { refuse_near_misses(argc, argv, option_names()); }

std::string options_help() { return runtime_table().help(); }

std::span<const std::string_view> option_names() {
  static const std::vector<std::string_view> names = runtime_table().names();
  return names;
}

}  // namespace imbrex
