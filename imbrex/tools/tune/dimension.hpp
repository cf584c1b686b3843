// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/tools/tune/arguments.hpp>

namespace imbrex::tune {

/// One value of a dimension.
struct alternative {
  arguments words;    ///< command-line words; empty for the program's own default
  int processes = 0;  ///< processes of the job; 0: unchanged

  bool operator==(const alternative&) const = default;
};

/// A variable option and its values.
struct dimension {
  std::string option;                     ///< "--odf"
  std::vector<alternative> alternatives;  ///< the first is the default
  bool for_jobs = false;                  ///< has no effect with a single process
};

/// The index of an alternative for each dimension; the default is all 0.
using configuration = std::vector<std::size_t>;

/// The dimensions of a program, and its constant arguments.
struct space {
  std::vector<dimension> dimensions;
  arguments rest;                     ///< the program's arguments without the varied ones
  int processes = 1;                  ///< processes of the job, unless an alternative sets another number
  std::string processes_stay{};       ///< reason not to vary the processes on threads; empty if varied
  std::vector<std::string> pruned{};  ///< values of --odf that are not tried, by the program's estimates

  configuration by_default() const { return configuration(dimensions.size(), 0); }
  /// The words of the varied options in that configuration.
  arguments words(const configuration& at) const;
  int processes_of(const configuration& at) const;
  /// The differences from the default, "--odf 4 -n 2"; "default" if there are none.
  std::string name(const configuration& at) const;
};

/// Makes the dimension of an option with these values. The default is the value in `from`, which is removed
/// there. Without values the option is present or absent. Throws `usage_error` for a value that no options
/// file can hold.
dimension take_dimension(arguments& from, const std::string& option, const std::vector<std::string>& values);

/// Makes the dimension of the number of processes that share the PEs of a job. The default is `processes`,
/// with the --pes of `from`, which is removed there. If a process can have one PE only, --pes stays in
/// `from`, and the numbers are also those of PEs. Throws `usage_error` for a number that does not divide the
/// number of PEs.
dimension take_processes(arguments& from, int processes, std::int64_t all_pes, const std::vector<int>& among,
                         bool one_pe_a_process);

}  // namespace imbrex::tune
