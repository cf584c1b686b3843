// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <imbrex/base/narrowed.hpp>
#include <imbrex/base/standard/function.hpp>
#include <imbrex/core/options/options.hpp>
#include <imbrex/core/pe/pending.hpp>
#include <imbrex/core/pe/processor.hpp>
#include <imbrex/coro/task.hpp>

namespace imbrex {
namespace detail {

/// Adds the status 0 to a main task without a value.
std::function<task<int>()> with_status(std::function<task<>()> main);

/// The main function as a std::function, from a function or a reference to one.
template <class Main>
std::function<task<int>()> main_function(Main main) {
  static_assert(std::is_invocable_v<Main&>,
                "imbrex: run is given a function without parameters that makes the main task, such as "
                "[]() -> imbrex::task<> { ... }");
  if constexpr (std::is_invocable_v<Main&>) {
    using result = std::invoke_result_t<Main&>;
    static_assert(std::is_same_v<result, task<>> || std::is_same_v<result, task<int>>,
                  "imbrex: the main task is a task<>, or a task<int> whose value is the exit status");
    if constexpr (std::is_same_v<result, task<int>>)
      return std::move(main);
    else if constexpr (std::is_same_v<result, task<>>)
      return with_status(std::move(main));
  }
  return {};
}

int run_with(const options& settings, std::function<task<int>()> main);
/// Removes the runtime's options from a command line and runs with them. A usage_error is written to standard
/// error and gives status 2. If `--help` remains, prints the options instead.
int run_command_line(int& argc, char**& argv, std::function<task<int>()> main);

}  // namespace detail

/// Runs a program: starts the PEs, runs `main` (a coroutine of type task<> or task<int>) on PE 0, and returns
/// the exit status. The status is the result of the main task or the argument of `exit`. It is 1 after a
/// failure, whose text has been written to standard error, and 2 for a wrong command line.
///
/// Removes the runtime's own options (`--pes` and others, see `options`) from argc and argv. A second run
/// would miss them: a program with several runs gives each of them the result of `parse_options`. If `--help`
/// remains, prints the runtime's options and runs nothing. A program with its own help handles `--help`
/// before.
///
/// A process of a job is in one run at a time; a second one is refused with status 1. In a process without a
/// job several runs are independent of each other, in several threads or nested. A nested run blocks the PE
/// that it was begun on.
template <class Main>
int run(int& argc, char**& argv, Main main) {
  return detail::run_command_line(argc, argv, detail::main_function(std::ref(main)));
}

/// Runs a program with options from another source than the command line.
template <class Main>
int run(const options& settings, Main main) {
  return detail::run_with(settings, detail::main_function(std::ref(main)));
}

/// The number of the calling PE. Throws imbrex::error outside a run.
inline int pe() { return detail::processor::here().pe(); }
/// Number of PEs of the run.
inline int num_pes() { return detail::processor::here().num_pes(); }

/// The number of this process in its job, and the number of processes: 0 and 1 without a job. May be called
/// outside a run. All processes call `run` and continue after it, but only process 0 runs the main task.
/// Throws imbrex::error if a launcher started this process but cannot be reached.
int process();
int num_processes();  ///< Number of processes of the job; 1 without a launcher.

/// Ends the run with this exit status, from any code of the run. Running entries continue until they next
/// suspend or end. Throws imbrex::error for a status that is not from 0 to 255: the system keeps 8 bits.
void exit(int status = 0);
/// Accepts another integer type. Throws imbrex::error if the value is out of range of int.
template <std::integral I>
  requires(!std::same_as<I, int>)
void exit(I status) {
  exit(detail::narrow<int, detail::status_words>(status));
}

/// Becomes ready when no message is in flight or queued, nothing runs and no timer is set. Every suspended
/// entry then waits for something that only a new message can bring.
pending<void> quiescence();

}  // namespace imbrex
