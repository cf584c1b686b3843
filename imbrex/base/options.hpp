// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <imbrex/base/clock.hpp>

namespace imbrex {

/// What the PEs of a run are: threads of this process, or logical PEs that one thread steps in an order made
/// of a seed.
enum class machine_kind { threads, deterministic };

/// Whether each PE's thread stays on one core.
enum class binding { none, core };

/// The most PEs that one process may have.
inline constexpr int max_pes = 65'536;

/// The longest latency and injection gap, and the bandwidths in bytes a second, that the network between PEs
/// may be given.
inline constexpr nanoseconds max_net_delay = std::chrono::minutes(1);
inline constexpr std::uint64_t min_net_bandwidth = 1'000;
inline constexpr std::uint64_t max_net_bandwidth = 1'000'000'000'000;

/// How a run is set up. Each field is given by the command-line option beside it; the last of several counts.
struct options {
  int pes = 0;                                   ///< `--pes N`, 1 to `max_pes`; 0: one per usable processor
  machine_kind machine = machine_kind::threads;  ///< `--machine threads|deterministic`
  binding bind = binding::none;                  ///< `--bind none|core`
  std::optional<std::uint64_t> shuffle{};        ///< `--shuffle SEED`: take queued messages at random
  std::uint64_t seed = 1;                        ///< `--seed N`: the deterministic machine's order
  bool serialize_always = false;                 ///< `--serialize-always`: even between threads
  bool comm_thread = false;          ///< `--comm-thread`: one thread drives the network for all PEs
  nanoseconds net_latency{0};        ///< `--net-latency TIME`: added between PEs, end to end
  std::uint64_t net_bandwidth = 0;   ///< `--net-bandwidth RATE`: bytes a second; 0: any number
  nanoseconds net_injection_gap{0};  ///< `--net-injection-gap TIME`: between a PE's messages
};

/// Takes the runtime's own options (`--pes 4` or `--pes=4`) out of argc/argv and leaves the rest in order,
/// argv[0] and the terminating null included. From an argument `--` on nothing is taken, and the `--` stays.
/// Throws `usage_error`, with argc/argv untouched, for a value that cannot be.
options parse_options(int& argc, char** argv);

/// Throws `usage_error` if an argument before `--` is nearly the name of an option of the runtime: one edit
/// away, or two if that name has six letters or more, and the same first letter (`--eps` and `--yes` are a
/// program's own).
void refuse_near_misses(int argc, char** argv);

/// A line for each option of the runtime, for programs to show in their own `--help`.
std::string options_help();

/// The names of the runtime's options, such as "--pes".
std::span<const std::string_view> option_names();

}  // namespace imbrex
