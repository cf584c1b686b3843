// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <imbrex/base/clock.hpp>
#include <imbrex/base/max_processes.hpp>

namespace imbrex {

struct device_choice;

/// What the PEs of a run are.
enum class machine_kind {
  threads,        ///< threads of this process
  deterministic,  ///< logical PEs that one thread steps in an order made of a seed
  simulated,      ///< logical PEs that one thread steps, in the times of a model
};

/// Whether each PE's thread stays on one core.
enum class binding { none, core };

/// How a PE learns that what it gave to its device is done, when an entry awaits that (Choi 2022, table 2.1).
enum class completion_method {
  synchronous,   ///< `sync`: the PE waits for the device and does nothing else
  user_polling,  ///< `poll-user`: an item of the PE's queue asks, and queues itself again until it is done
  polling,       ///< `poll`: the PE asks for events, between items and while it is idle
  callback,      ///< `callback`: the device's driver calls a function that posts to the PE; idle PEs sleep
  flag,          ///< `flag`: the device writes into host memory, where the PE looks; not all devices can
  work_request,  ///< `work-request`: as polling; and programs that can are to give their work as `work_request`s
};

/// How often a PE with other things to do asks its device; an idle one always does. All zero: by itself, oftener
/// as long as it finds something.
struct polling_interval {
  int turns = 0;        ///< items run in between
  nanoseconds time{0};  ///< or the time
};

/// Which of the devices that a process finds its PEs use.
enum class device_map {
  block,        ///< PEs that follow each other share one
  round_robin,  ///< PE p has device p modulo their number
  near,  ///< one of those nearest to the PE's processors; as block where nobody knows where devices are
  none,  ///< none, although there are some
};

/// How the work that a chare gives to its device is spread over streams (`stream_set`).
enum class stream_policy {
  single,  ///< one for each chare
  two,     ///< for each chare one that computes and, before it, one that communicates (Choi 2022, 5.2.3)
  four,    ///< the same, with copies in two streams of their own
  five,  ///< of a device, for all chares: to compute, pack, copy from and to it, unpack (Choi et al. 2020, IV)
};

/// The most PEs that one process may have.
inline constexpr int max_pes = 65'536;

/// The most emulated devices that one process may have, and the most turns between two looks for completions.
inline constexpr int max_devices = 1'024;
inline constexpr int max_poll_turns = 1'000'000;

/// The longest latency and injection gap, and the bandwidths in bytes a second, that the network between PEs
/// may be given.
inline constexpr nanoseconds max_net_delay = std::chrono::minutes(1);
inline constexpr std::uint64_t min_net_bandwidth = 1'000;
inline constexpr std::uint64_t max_net_bandwidth = 1'000'000'000'000;

/// The least and the most bytes for the records of one PE that have not reached the disk.
inline constexpr std::uint64_t min_trace_buffer = 4'000;
inline constexpr std::uint64_t max_trace_buffer = 100'000'000'000;

/// How a run is set up. In simulated time what is 0 of the network's delays is as the model says, and the number of
/// devices is that of PEs, up to `max_devices`. Each field is given by the command-line option beside it; the last of several counts.
struct options {
  int pes = 0;                                   ///< `--pes N`, 1 to `max_pes`; 0: one per usable processor
  machine_kind machine = machine_kind::threads;  ///< `--machine threads|deterministic|simulated`
  binding bind = binding::none;                  ///< `--bind none|core`
  std::optional<std::uint64_t> shuffle{};        ///< `--shuffle SEED`: take queued messages at random
  std::optional<std::uint64_t> seed{};           ///< `--seed N`: the deterministic machine's order; else 1
  bool serialize_always = false;                 ///< `--serialize-always`: even between threads
  bool comm_thread = false;          ///< `--comm-thread`: one thread drives the network for all PEs
  std::string net = "ucx";           ///< `--net ucx|loopback`: the fabric that connects processes
  nanoseconds net_latency{0};        ///< `--net-latency TIME`: added between PEs, end to end
  std::uint64_t net_bandwidth = 0;   ///< `--net-bandwidth RATE`: bytes a second; 0: any number
  nanoseconds net_injection_gap{0};  ///< `--net-injection-gap TIME`: between a PE's messages
  std::string device{};              ///< `--device emulated|cuda`: none unless given
  int devices = 0;  ///< `--devices N`: emulated ones; 0: one for each process, in simulated time for each PE
  std::string device_model{};  ///< `--device-model NAME|FILE`: how fast emulated ones are; empty: no time
  /// False by `--no-data`: emulated devices take their time, but keep and compute nothing.
  bool device_data = true;
  device_map map = device_map::block;                         ///< `--device-map block|round-robin|near|none`
  completion_method completion = completion_method::polling;  ///< `--completion METHOD`
  polling_interval poll{};                                    ///< `--completion-poll adaptive|N|TIME`
  stream_policy streams = stream_policy::two;                 ///< `--streams single|two|four|five`
  /// The last of these four as the command line has it, for a message if there are no devices; a program that sets
  /// them for any device there may be leaves it empty.
  std::string device_words{};

  /// `--trace FILE`: record what the run does; the second run of a program goes into FILE-2. Empty: nothing.
  std::string trace{};
  std::uint64_t trace_buffer =
      8'000'000;  ///< `--trace-buffer SIZE`: bytes for each PE's and device's records
  /// `--trace-full wait`, else `drop`: leave out records that find no room, and count them.
  bool trace_waits = false;
  bool trace_paused = false;  ///< `--trace-paused`: from `trace::start` on
  bool stats = false;         ///< `--stats`: say what the PEs did, at the end and every ten seconds

  /// A line `-n N` in the file of `--options FILE`: how many processes the job must have; 0: any number.
  int processes = 0;

  /// Instead of a map, and by no option: the number of the device that a PE uses, or `std::nullopt` for none.
  /// It is called once for each PE of the process, in order, when the run begins (`device_choice` is in
  /// `<imbrex/core/gpu/device_choice.hpp>`); a number that no device has is a `usage_error`.
  std::function<std::optional<int>(const device_choice&)> choose_device{};
};

/// What the command line calls it: "threads", "poll".
std::string_view name(machine_kind kind);
std::string_view name(completion_method method);
std::string_view name(stream_policy policy);

/// Takes the runtime's own options (`--pes 4` or `--pes=4`) out of argc/argv and leaves the rest in order,
/// argv[0] and the terminating null included. From an argument `--` on nothing is taken, and the `--` stays.
/// `--options FILE` is replaced by the arguments that the file holds (`read_options_file`), the runtime's and the
/// program's own; then argv is another array, which is kept until the program ends.
/// In simulated time a model means that there are devices: `--device emulated` may be left out.
/// Throws `usage_error`, with argc/argv untouched, for a value that cannot be.
options parse_options(int& argc, char**& argv);

/// Throws `usage_error` if an argument before `--` is nearly the name of an option of the runtime: one edit
/// away, or two if that name has six letters or more, and the same first letter (`--eps` and `--yes` are a
/// program's own).
void refuse_near_misses(int argc, char** argv);

/// A line for each option of the runtime, for programs to show in their own `--help`.
std::string options_help();

/// The names of the runtime's options, such as "--pes".
std::span<const std::string_view> option_names();

}  // namespace imbrex
