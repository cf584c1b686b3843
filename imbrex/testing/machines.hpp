// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <imbrex/core/options/options.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/coro/task.hpp>

namespace imbrex::testing {

/// The settings with which a program runs on a machine, one after the other. Copies share them: googletest
/// copies a parameter several times for each test.
class settings_list {
 public:
  /// One set of options for each run of the program.
  settings_list(std::initializer_list<options> settings) : settings_list(std::vector(settings)) {}
  settings_list(std::vector<options> settings)
      : settings_(std::make_shared<const std::vector<options>>(std::move(settings))) {}

  auto begin() const { return settings_->begin(); }
  auto end() const { return settings_->end(); }

 private:
  std::shared_ptr<const std::vector<options>> settings_;
};

/// Where a test runs its program.
struct machine {
  std::string name;    ///< name for filters and reports, such as "threads_2"
  settings_list runs;  ///< options of the runs of which the machine consists
  int processes = 1;   ///< number of runtimes connected only by the network, each with the PEs of `runs`
};

/// Machines of every kind; those of several processes only where Imbrex was built with a network.
std::vector<machine> machines();
/// The machines of these names, without those of several processes where Imbrex was built without a network.
std::vector<machine> machines(std::initializer_list<std::string_view> names);

/// The machine of that name. Throws imbrex::error for another name than these, in which N is a number from 1
/// to 99:
///
/// - `threads_N`: N PEs, each a thread.
/// - `serialized`: two PEs whose messages are always serialised.
/// - `delayed`: three PEs; a message between them takes at least 20 us.
/// - `shuffled`, `shuffled_N`: PEs take their messages in the order of a seed; five seeds, or N.
/// - `deterministic`, `deterministic_N`: PEs on one thread, whose messages are serialised, and delayed by a
///   seed; twenty seeds, or N.
/// - `balanced`, `balanced_N`: a balancer moves elements at random, mostly on one thread; ten seeds, or N.
///   The program needs a class that can migrate, and elements without balance points move between entries.
/// - `simulated`: simulated time, with and without a delay of messages.
/// - `processes_N`, `processes_NxM`: N processes of one PE, of M PEs. With `_comm_thread`, `_shuffled` or
///   `_delayed` at its end such a name has processes with a communication thread, three seeds, or delayed
///   messages.
machine machine_by_name(std::string_view name);

/// Settings of such machines: N PEs, each a thread; the deterministic machine; messages that take at least 20
/// us; the same settings with messages that are always serialised.
options threads(int pes);
options seeded(int pes, std::uint64_t seed);  ///< The deterministic machine in the order of this seed.
options delayed();                            ///< Threads whose messages are late by a modelled link.
/// These settings, with arguments serialised even where they could be moved.
options serializing(options settings);

/// The command-line options that matter for a machine, such as "--machine deterministic --seed 3 --pes 2".
std::string text_of(const options& settings);

/// Runs a program in several runtimes, as in a job whose processes are threads of this process; the network
/// treats them as processes. One process is a plain run. Returns the exit status. Throws imbrex::error if
/// the runtimes return different ones.
int run_in_processes(int processes, const options& settings, const std::function<task<int>()>& main);
template <class Main>
int run_in_processes(int processes, const options& settings, const Main& main) {
  return run_in_processes(processes, settings, imbrex::detail::main_function(std::ref(main)));
}

/// Runs a program on a machine, with each of its settings until one fails. Returns the exit status. A failure
/// is written to standard error with its settings.
int run_on(const machine& on, const std::function<task<int>()>& main);
template <class Main>
int run_on(const machine& on, const Main& main) {
  return run_on(on, imbrex::detail::main_function(std::ref(main)));
}

}  // namespace imbrex::testing
