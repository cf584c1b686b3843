// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/tools/process/temporary_folder.hpp>
#include <imbrex/tools/process/trial.hpp>
#include <imbrex/tools/tune/observation.hpp>

namespace imbrex::tune {

/// Arguments and processes of a program's start.
struct start {
  arguments program_arguments;
  int processes = 1;
};

/// Runs a program with different arguments and measures it: by its trace or, if it does not accept --trace,
/// by its process's lifetime.
class program_runs {
 public:
  /// `launcher`: path of the command imbrex, which starts jobs of several processes. `phase`: as in
  /// `read_trace`.
  program_runs(std::string launcher, std::string program, std::string phase)
      : launcher_(std::move(launcher)), program_(std::move(program)), phase_(std::move(phase)) {}

  /// The first run, which tests whether the program accepts --trace. If not, it prints a note on standard
  /// error and starts the program as `otherwise`. Throws `error` if that fails, too, if the trace cannot be
  /// used, or if a phase shall be measured without a trace.
  observation probe(const start& with_runtime, const start& otherwise, nanoseconds limit);
  bool traced() const { return traced_; }

  /// Runs the program; see `subject::run`.
  observation run(const arguments& program_arguments, int processes, nanoseconds limit);

  /// Runs the program with words that make it print something and end, for at most `limit`.
  tools::trial_result print(const arguments& words, nanoseconds limit);

 private:
  observation measured(const tools::trial_result& ended, nanoseconds limit, const std::string& trace) const;

  std::string launcher_;
  std::string program_;
  std::string phase_;
  bool traced_ = true;
  bool may_lack_trace_ = false;  // the last run failed as a program without --trace does
  tools::trial_runner trials_;
  tools::temporary_folder folder_;
};

/// A program in a space of configurations.
class configured_program final : public subject {
 public:
  /// `replaced`: arguments that replace those of the same names in all runs.
  configured_program(program_runs& runs, const space& where, arguments replaced)
      : runs_(runs), where_(where), replaced_(std::move(replaced)) {}

  observation run(const configuration& at, nanoseconds limit) override {
    const arguments program_arguments = with_options(with_replaced(where_.rest, replaced_), where_.words(at));
    return runs_.run(program_arguments, where_.processes_of(at), limit);
  }

 private:
  program_runs& runs_;
  const space& where_;
  arguments replaced_;
};

}  // namespace imbrex::tune
