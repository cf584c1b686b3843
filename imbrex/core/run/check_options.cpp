// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/check_options.hpp>

#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/quantity.hpp>
#include <imbrex/core/gpu/run_options.hpp>
#include <imbrex/net/connect/fabric_kinds.hpp>

namespace imbrex::detail {

namespace {

/// Rejects delays of `--net-latency` and similar options on the machine that has its own.
void check_link(const options& settings) {
  if (settings.machine != machine_kind::deterministic || !link_of(settings).delays()) return;
  std::string text;
  if (settings.net_latency.count() != 0) text += "--net-latency " + duration_text(settings.net_latency) + " ";
  if (settings.net_bandwidth != 0) text += "--net-bandwidth " + rate_text(settings.net_bandwidth) + " ";
  if (settings.net_injection_gap.count() != 0)
    text += "--net-injection-gap " + duration_text(settings.net_injection_gap) + " ";
  throw usage_error(text +
                    "with --machine deterministic: there --seed alone delays messages; leave out one or the "
                    "other");
}

}  // namespace

void check_options(const options& settings, int processes) {
  check_fields(settings);
  check_link(settings);
  check_fabric(settings.net, processes);
  if (settings.source.processes != 0 && settings.source.processes != processes)
    throw usage_error("-n " + std::to_string(settings.source.processes) +
                      " in the options file, and the job has " + std::to_string(processes) +
                      (processes == 1 ? " process" : " processes") + ": start it by imbrex run -n " +
                      std::to_string(settings.source.processes) +
                      " PROGRAM, or take the line -n out of the file");
  const std::string machine = "--machine " + std::string(option_word(settings.machine));
  if (settings.seed && settings.machine != machine_kind::deterministic)
    throw usage_error("--seed " + std::to_string(*settings.seed) + " with " + machine +
                      ": only --machine deterministic has an order by it; leave it out, or give --shuffle "
                      "SEED to run queued messages in random order");
  if (settings.comm_thread && settings.machine != machine_kind::threads)
    throw usage_error("--comm-thread with " + machine +
                      ": there one thread steps all PEs of one process; leave it out");
  if (settings.machine != machine_kind::threads && processes > 1)
    throw usage_error(machine + " is for one process, and this is one of " + std::to_string(processes) +
                      ": start it by itself");
}

}  // namespace imbrex::detail
