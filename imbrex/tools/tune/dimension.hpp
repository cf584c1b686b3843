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
  arguments words;    ///< what the command line gets; none where the program is to choose
  int processes = 0;  ///< how many the job has; 0: as many as it would have

  bool operator==(const alternative&) const = default;
};

/// Something that can be varied: an option and its values.
struct dimension {
  std::string option;                     ///< "--odf"
  std::vector<alternative> alternatives;  ///< the first is the default
  bool for_jobs = false;                  ///< it says nothing to a process by itself
};

/// Which alternative of each dimension; the default is all 0.
using configuration = std::vector<std::size_t>;

/// The dimensions of a program, and what else there is to say to it.
struct space {
  std::vector<dimension> dimensions;
  arguments rest;                ///< the program's arguments but for those that are varied
  int processes = 1;             ///< of the job, unless an alternative says another number
  std::string processes_stay{};  ///< why their number is not varied on threads; empty if it is

  configuration by_default() const { return configuration(dimensions.size(), 0); }
  /// What the varied options are in that configuration.
  arguments words(const configuration& at) const;
  int processes_of(const configuration& at) const;
  /// "--odf 4 -n 2": what differs from the default; "default" if nothing does.
  std::string name(const configuration& at) const;
};

/// The dimension of an option with these values, of which the default is what `from` says; takes it out
/// there. Without values it is an option that is given or not. Throws `usage_error` for a value that no
/// options file can hold.
dimension take_dimension(arguments& from, const std::string& option, const std::vector<std::string>& values);

/// The dimension of the processes that all PEs of a job are divided among, in these numbers; the default is
/// `processes`, with --pes as `from` says, where it is taken out. If a process can have one PE only, it stays
/// as it is there, and the numbers are those of PEs, too. Throws `usage_error` for a number that does not
/// divide that of PEs.
dimension take_processes(arguments& from, int processes, std::int64_t all_pes, const std::vector<int>& among,
                         bool one_pe_a_process);

}  // namespace imbrex::tune
