// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/check_options.hpp>

#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/quantity.hpp>
#include <imbrex/core/gpu/run_options.hpp>
#include <imbrex/net/connect/fabric_kinds.hpp>

namespace imbrex::detail {

namespace {

/// What the command line would have refused; and delays on the machine that has its own.
void check_link(const options& how) {
  const auto check_time = [](const char* name, nanoseconds time) {
    if (time < nanoseconds(0) || time > max_net_delay)
      throw usage_error(std::string(name) + " = " + duration_text(time) + ": the time must be from 0s to " +
                        duration_text(max_net_delay));
  };
  check_time("net_latency", how.net_latency);
  check_time("net_injection_gap", how.net_injection_gap);
  if (how.net_bandwidth != 0 &&
      (how.net_bandwidth < min_net_bandwidth || how.net_bandwidth > max_net_bandwidth))
    throw usage_error("net_bandwidth = " + rate_text(how.net_bandwidth) + ": the rate must be from " +
                      rate_text(min_net_bandwidth) + " to " + rate_text(max_net_bandwidth) +
                      ", or 0 for no limit");
  if (how.machine != machine_kind::deterministic || !link_of(how).delays()) return;
  std::string given;
  if (how.net_latency.count() != 0) given += "--net-latency " + duration_text(how.net_latency) + " ";
  if (how.net_bandwidth != 0) given += "--net-bandwidth " + rate_text(how.net_bandwidth) + " ";
  if (how.net_injection_gap.count() != 0)
    given += "--net-injection-gap " + duration_text(how.net_injection_gap) + " ";
  throw usage_error(given +
                    "with --machine deterministic: there --seed alone delays messages; leave out one or the "
                    "other");
}

}  // namespace

void check_options(const options& how, int processes) {
  if (how.pes < 0 || how.pes > max_pes)
    throw usage_error("pes = " + std::to_string(how.pes) + ": the number of PEs must be from 1 to " +
                      std::to_string(max_pes) + ", or 0 for one per processor");
  if (how.devices < 0 || how.devices > max_devices)
    throw usage_error("devices = " + std::to_string(how.devices) +
                      ": the number of emulated devices must be from 1 to " + std::to_string(max_devices) +
                      ", or 0 for one");
  if (how.poll.turns < 0 || how.poll.turns > max_poll_turns || how.poll.time < nanoseconds(0) ||
      how.poll.time > std::chrono::seconds(1))
    throw usage_error("poll = " + std::to_string(how.poll.turns) + " turns, " + duration_text(how.poll.time) +
                      ": turns must be from 1 to " + std::to_string(max_poll_turns) +
                      " or the time up to 1s, or both 0 to adapt");
  check_link(how);
  check_fabric(how.net, processes);
  if (how.trace_buffer < min_trace_buffer || how.trace_buffer > max_trace_buffer)
    throw usage_error("trace_buffer = " + std::to_string(how.trace_buffer) + ": the bytes must be from " +
                      std::to_string(min_trace_buffer) + " to " + std::to_string(max_trace_buffer));
  if (how.processes != 0 && how.processes != processes)
    throw usage_error("-n " + std::to_string(how.processes) + " in the options file, and the job has " +
                      std::to_string(processes) + (processes == 1 ? " process" : " processes") +
                      ": start it by imbrex run -n " + std::to_string(how.processes) +
                      " PROGRAM, or take the line -n out of the file");
  const std::string machine = "--machine " + std::string(name(how.machine));
  if (how.seed && how.machine != machine_kind::deterministic)
    throw usage_error(
        "--seed " + std::to_string(*how.seed) + " with " + machine +
        ": only --machine deterministic has an order by it; leave it out, or give --shuffle SEED to take "
        "queued messages at random");
  if (how.comm_thread && how.machine != machine_kind::threads)
    throw usage_error("--comm-thread with " + machine +
                      ": there one thread steps all PEs of one process; leave it out");
  if (how.machine != machine_kind::threads && processes > 1)
    throw usage_error(machine + " is for one process, and this is one of " + std::to_string(processes) +
                      ": start it by itself");
}

}  // namespace imbrex::detail
