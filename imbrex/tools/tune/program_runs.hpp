// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/tools/process/temporary_folder.hpp>
#include <imbrex/tools/process/trial.hpp>
#include <imbrex/tools/tune/observation.hpp>

namespace imbrex::tune {

/// How a program is started.
struct start {
  arguments given;
  int processes = 1;
};

/// Runs a program with different arguments and measures it: by its trace, or, if it takes no --trace, by how
/// long its process lives.
class program_runs {
 public:
  /// `launcher` is the command imbrex, to start jobs of several processes; `phase` as in `read_trace`.
  program_runs(std::string launcher, std::string program, std::string phase)
      : launcher_(std::move(launcher)), program_(std::move(program)), phase_(std::move(phase)) {}

  /// The first run, which finds out whether the program takes --trace; if not, says so on the standard error,
  /// and starts it as `otherwise`. Throws `error` if that fails, too, if its trace cannot be used, or if it
  /// takes none although a phase is to be measured.
  observation probe(const start& with_runtime, const start& otherwise, nanoseconds limit);
  bool traced() const { return traced_; }

  /// As `subject::run`.
  observation run(const arguments& given, int processes, nanoseconds limit);

  /// What the program does when it is asked for --help behind these words, for at most that time.
  tools::trial_result help(const arguments& words, nanoseconds limit);

 private:
  observation measured(const tools::trial_result& ended, nanoseconds limit, const std::string& trace) const;

  std::string launcher_;
  std::string program_;
  std::string phase_;
  bool traced_ = true;
  bool may_lack_trace_ = false;  // the last run failed as a program does that knows no --trace
  tools::trial_runner trials_;
  tools::temporary_folder folder_;
};

/// A program in a space of configurations.
class configured_program final : public subject {
 public:
  /// `replaced`: arguments that replace the program's own of the same names in all runs.
  configured_program(program_runs& runs, const space& where, arguments replaced)
      : runs_(runs), where_(where), replaced_(std::move(replaced)) {}

  observation run(const configuration& at, nanoseconds limit) override {
    const arguments given = with_options(with_replaced(where_.rest, replaced_), where_.words(at));
    return runs_.run(given, where_.processes_of(at), limit);
  }

 private:
  program_runs& runs_;
  const space& where_;
  arguments replaced_;
};

}  // namespace imbrex::tune
