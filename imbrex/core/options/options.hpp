// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <imbrex/base/clock.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/base/max_pes.hpp>
#include <imbrex/base/standard/function.hpp>
#include <imbrex/core/options/faults.hpp>
#include <imbrex/device/settings.hpp>
#include <imbrex/net/settings.hpp>
#include <imbrex/sched/settings.hpp>
#include <imbrex/trace/settings.hpp>

namespace imbrex {

struct device_choice;

/// The kind of the PEs of a run.
enum class machine_kind {
  threads,        ///< threads of this process
  deterministic,  ///< logical PEs on one thread, stepped in an order given by a seed
  simulated,      ///< logical PEs on one thread, with the times of a model
};

/// The assignment of the devices of a process to its PEs.
enum class device_map {
  block,        ///< consecutive PEs share a device
  round_robin,  ///< PE p has device p modulo the number of devices
  near,         ///< a device nearest to the PE's processors; like block if the devices' locations are unknown
  none,         ///< no device, although there are some
};

/// The order in which arrays of two and three dimensions lie on several nodes, where their layouts name no
/// placement or `in_bricks`.
enum class array_placement {
  bricks,  ///< a box of neighbours on each node (`in_bricks`)
  blocks,  ///< index order (`in_blocks`)
};

/// The distribution of a chare's device work over streams (`stream_set`).
enum class stream_policy {
  single,  ///< one stream for each chare
  two,     ///< two streams for each chare: one for computation and a more urgent one for communication
           ///< (Choi 2022, 5.2.3)
  four,    ///< as `two`, with two more streams for copies
  five,    ///< five streams of a device, shared by all chares: to compute, pack, copy from and to it, unpack
           ///< (Choi et al. 2020, IV)
};

/// The loads that a balancer evens out: of devices and then of their PEs, of PEs alone, or of devices alone.
enum class balanced_loads { both, cpu, device };

/// The settings of a run's balancer.
struct balance_settings {
  /// `--balance STRATEGY`: the name of the strategy by which elements move between PEs; empty or "none": they
  /// stay. The run needs a balancer, which `<imbrex/run.hpp>` adds.
  std::string strategy{};
  std::uint64_t every_points = 0;  ///< `--balance-every N`: balance points of each element in a period
  nanoseconds every_time{0};       ///< `--balance-every TIME`; both 0: the balancer chooses the periods
  balanced_loads by = balanced_loads::both;  ///< `--balance-by cpu|device|both`
  bool report = false;                       ///< `--balance-report`: a line for each step
  /// `--balance-together`: all elements stop at their balance points before some move.
  bool together = false;
  /// `--balance-record FILE`: record loads and moves; the second run of a program goes into FILE-2. Empty: no
  /// record. Works with every strategy.
  std::string record{};

  /// True if the run measures loads.
  bool measures() const { return (!strategy.empty() && strategy != "none") || !record.empty(); }
};

/// The hosts that have a folder of checkpoints, and its protection from the loss of a host.
enum class checkpoint_hosts : std::uint8_t {
  shared,   ///< one folder for all hosts
  partner,  ///< a folder of each host; two hosts keep copies of each other's parts
  parity    ///< a folder of each host; groups of eight keep the XOR of their parts
};

/// The settings of a run's checkpoints, and of a restart from one.
struct checkpoint_settings {
  std::string folder{};            ///< `--checkpoint DIR`; empty: the run writes none
  bool in_any_folder = false;      ///< the program names folders itself; set by front ends
  std::uint64_t every_points = 0;  ///< `--checkpoint-every N`: balance points of each element between two
  /// `--checkpoint-every` with a time; 0: none
  nanoseconds every_time{0};  ///< `--checkpoint-every TIME`
  /// `--checkpoint-every auto`: the time follows from the measured cost of a checkpoint and from `mtbf`.
  bool every_auto = false;
  nanoseconds mtbf = std::chrono::hours(24);  ///< `--mtbf TIME`: mean time between failures of the machine
  int keep = 2;                               ///< `--checkpoint-keep N`: older checkpoints are removed
  checkpoint_hosts hosts = checkpoint_hosts::shared;  ///< `--checkpoint-hosts`: who has a folder of its own
  bool is_compressed = false;                         ///< `--checkpoint-compression zstd`
  int signal = 0;           ///< `--checkpoint-on SIGNAL`: the number of the signal; 0: none asks for one
  std::string restart{};    ///< `--restart DIR`: the run begins from a checkpoint there
  fault_settings faults{};  ///< `--fault FAULTS`: deaths of PEs on a machine of one thread
};

/// Reports of a run about itself, beside a trace.
struct report_settings {
  bool stats = false;  ///< `--stats`: report PE statistics at the end and every ten seconds
  bool nvtx = false;   ///< `--nvtx`: give a profiler a range of NVTX for each piece of an entry
};

/// Facts about a command line and its program that are no settings.
struct option_source {
  /// The last option for devices, for the error if there are no devices. Empty if the program sets the fields
  /// itself, whether or not there are devices.
  std::string device_words{};
  /// Line `-n N` in the file of `--options FILE`: the required number of processes of the job; 0: any number.
  int processes = 0;
  /// Set by a program whose processes can have only one PE each, such as a program in a Python with a global
  /// lock. Traces contain it, and `imbrex tune` does not vary `--pes`.
  bool one_pe_a_process = false;
};

/// The settings of a run. The table of the options that set a layer's fields is in that layer's
/// `options.hpp`. The fields are all here so that programs can name them in one initialiser. Each field is
/// set by the command-line option next to it; if an option is repeated, the last one counts. In simulated
/// time a network delay of 0 means the model's delay. There the default number of devices is the number of
/// PEs, up to `max_devices`.
struct options {
  using binding = thread_settings::binding;  ///< whether threads of PEs stay on a core

  int pes = 0;                                   ///< `--pes N`, 1 to 65,536; 0: one per usable processor
  machine_kind machine = machine_kind::threads;  ///< `--machine threads|deterministic|simulated`
  binding bind = binding::none;                  ///< `--bind none|core`
  std::optional<std::uint64_t> shuffle{};        ///< `--shuffle SEED`: take queued messages in random order
  std::optional<std::uint64_t> seed{};           ///< `--seed N`: the deterministic machine's order; default 1
  array_placement placement = array_placement::bricks;  ///< `--placement bricks|blocks`
  bool serialize_always = false;                        ///< `--serialize-always`: also between threads
  bool comm_thread = false;          ///< `--comm-thread`: one thread drives the network for all PEs
  std::string net = "ucx";           ///< `--net ucx|loopback`: the fabric that connects processes
  nanoseconds net_latency{0};        ///< `--net-latency TIME`: added between PEs, end to end
  std::uint64_t net_bandwidth = 0;   ///< `--net-bandwidth RATE`: bytes a second; 0: unlimited
  nanoseconds net_injection_gap{0};  ///< `--net-injection-gap TIME`: between a PE's messages
  std::string device{};              ///< `--device emulated
                                     ///< cuda`; empty: no devices
  int devices = 0;  ///< `--devices N`: emulated devices; 0: one for each process, in simulated time for each
                    ///< PE
  std::string device_model{};  ///< `--device-model NAME
                               ///< FILE`: the speed of emulated devices; empty: work takes no time
  /// `--no-data` sets false: emulated devices take their time, but neither store nor compute data.
  bool device_data = true;
  device_path gpu_path = device_path::any;                    ///< `--gpu-path any|host|peer|shared|network`
  device_map map = device_map::block;                         ///< `--device-map block|round-robin|near|none`
  completion_method completion = completion_method::polling;  ///< `--completion METHOD`
  polling_interval poll{};                                    ///< `--completion-poll adaptive|N|TIME`
  stream_policy streams = stream_policy::two;                 ///< `--streams single|two|four|five`

  /// `--trace FILE`: record the run; the second run of a program goes into FILE-2. Empty: no trace.
  std::string trace{};
  trace_buffer_settings trace_buffer{};  ///< `--trace-buffer SIZE`, `--trace-full drop|wait`
  bool trace_paused = false;             ///< `--trace-paused`: record only from `trace::start` on
  /// `--record-flow FILE`: in simulated time, record the dataflow of the run,
  /// for `predict`. Empty: none.
  std::string flow{};
  std::optional<log_level>
      log{};                  ///< `--log LEVEL`: the levels that the whole process logs; empty: unchanged
  report_settings reports{};  ///< `--stats` and `--nvtx`

  balance_settings balance{};        ///< `--balance` and the options that begin so
  checkpoint_settings checkpoint{};  ///< `--checkpoint`, the options that begin so, and `--restart`

  option_source source{};  ///< place that the option was read from

  /// Replaces `map`; no option sets it. Returns the number of the device that a PE uses, or `std::nullopt`
  /// for none. Called once for each PE of the process, in order, when the run begins. `device_choice` is in
  /// `<imbrex/core/gpu/device_choice.hpp>`. A number without a device is a `usage_error`.
  std::function<std::optional<int>(const device_choice&)> choose_device{};
};

/// The word on the command line: "threads", "two".
std::string_view option_word(machine_kind kind);
std::string_view option_word(stream_policy policy);
std::string_view option_word(device_path path);

/// Removes the runtime's own options (`--pes 4` or `--pes=4`) from argc/argv and leaves the rest in order,
/// with argv[0] and the terminating null. Nothing is removed from an argument `--` on; the `--` stays.
/// `--options FILE` is replaced by the arguments in the file (`read_options_file`), the runtime's and the
/// program's own. Then argv is another array, which lives until the program ends. Options in the environment,
/// `IMBREX_OPTIONS="--pes 2 --stats"`, count as if they were first on the command line. A program's own
/// options are not allowed there. In simulated time a device model implies `--device emulated`. Throws
/// `usage_error` for an impossible value and leaves argc/argv untouched.
options parse_options(int& argc, char**& argv);

/// Throws `usage_error` if an argument before `--` resembles the name of an option of the runtime. Such an
/// argument has the same first letter, and is one edit away, or two if the name has six letters or more.
/// `--eps` and `--yes` are a program's own.
void refuse_near_misses(int argc, char** argv);

/// One line of text for each option of the runtime, for a program's own `--help`.
std::string options_help();

/// The names of the runtime's options, such as "--pes".
std::span<const std::string_view> option_names();

namespace detail {

/// Throws `usage_error` for a value that the command line could not set.
void check_fields(const options& settings);

}  // namespace detail

}  // namespace imbrex
