// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <imbrex/base/clock.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/base/max_pes.hpp>
#include <imbrex/device/settings.hpp>
#include <imbrex/net/settings.hpp>
#include <imbrex/sched/settings.hpp>
#include <imbrex/trace/settings.hpp>

namespace imbrex {

struct device_choice;

/// What the PEs of a run are.
enum class machine_kind {
  threads,        ///< threads of this process
  deterministic,  ///< logical PEs that one thread steps in an order made of a seed
  simulated,      ///< logical PEs that one thread steps, in the times of a model
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
  five,    ///< of a device, for all chares: to compute, pack, copy from and to it, unpack (Choi et al. 2020,
           ///< IV)
};

/// The settings of a run. The table of the options that set a layer's fields is in that layer's
/// `options.hpp`. The fields stand here together so that programs can name them in one initialiser. Each
/// field is set by the command-line option beside it; if an option is repeated, the last one counts. In
/// simulated time a network delay of 0 means the model's delay, and the default number of devices is the
/// number of PEs, up to `max_devices`.
struct options {
  using binding = thread_settings::binding;

  int pes = 0;                                   ///< `--pes N`, 1 to 65,536; 0: one per usable processor
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
  device_path gpu_path = device_path::any;                    ///< `--gpu-path any|host|peer|shared|network`
  device_map map = device_map::block;                         ///< `--device-map block|round-robin|near|none`
  completion_method completion = completion_method::polling;  ///< `--completion METHOD`
  polling_interval poll{};                                    ///< `--completion-poll adaptive|N|TIME`
  stream_policy streams = stream_policy::two;                 ///< `--streams single|two|four|five`
  /// The last of these five options as the command line has it. It is named in the error if there are no
  /// devices. Empty if the program sets these fields itself, for whatever devices there may be.
  std::string device_words{};

  /// `--trace FILE`: record what the run does; the second run of a program goes into FILE-2. Empty: nothing.
  std::string trace{};
  std::uint64_t trace_buffer =
      8'000'000;  ///< `--trace-buffer SIZE`: bytes for each PE's and device's records
  /// `--trace-full wait`; false is `drop`: records that find no room are left out, and counted.
  bool trace_waits = false;
  bool trace_paused = false;  ///< `--trace-paused`: from `trace::start` on
  std::optional<log_level>
      log{};           ///< `--log LEVEL`: which lines are written, of the whole process; else as it was
  bool stats = false;  ///< `--stats`: say what the PEs did, at the end and every ten seconds

  /// A line `-n N` in the file of `--options FILE`: how many processes the job must have; 0: any number.
  int processes = 0;
  /// Set by a program whose processes can have one PE each and no more, such as one of a Python with a global
  /// lock. Traces say so, and `imbrex tune` leaves `--pes` alone.
  bool one_pe_a_process = false;

  /// Replaces `map`; no option sets it. Returns the number of the device that a PE uses, or `std::nullopt`
  /// for none. It is called once for each PE of the process, in order, when the run begins. `device_choice`
  /// is in `<imbrex/core/gpu/device_choice.hpp>`. A number that no device has is a `usage_error`.
  std::function<std::optional<int>(const device_choice&)> choose_device{};
};

/// What the command line calls it: "threads", "two".
std::string_view option_word(machine_kind kind);
std::string_view option_word(stream_policy policy);
std::string_view option_word(device_path path);

/// Removes the runtime's own options (`--pes 4` or `--pes=4`) from argc/argv and leaves the rest in order,
/// with argv[0] and the terminating null. Nothing is removed from an argument `--` on; the `--` stays.
/// `--options FILE` is replaced by the arguments in the file (`read_options_file`), the runtime's and the
/// program's own; then argv is another array, which lives until the program ends. Options in the environment,
/// `IMBREX_OPTIONS="--pes 2 --stats"`, count as if they stood first on the command line; a program's own may
/// not stand there. In simulated time a device model implies `--device emulated`. Throws `usage_error` for an
/// impossible value and leaves argc/argv untouched.
options parse_options(int& argc, char**& argv);

/// Throws `usage_error` if an argument before `--` is nearly the name of an option of the runtime: with the
/// same first letter, and one edit away, or two if the name has six letters or more (`--eps` and `--yes` are
/// a program's own).
void refuse_near_misses(int argc, char** argv);

/// A line for each option of the runtime, for programs to show in their own `--help`.
std::string options_help();

/// The names of the runtime's options, such as "--pes".
std::span<const std::string_view> option_names();

namespace detail {

/// Throws `usage_error` for a value that no command line could set.
void check_fields(const options& settings);

}  // namespace detail

}  // namespace imbrex
