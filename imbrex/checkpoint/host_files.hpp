// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checkpoints in folders that each host has for itself: which of their files are where.

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/checkpoint/manifest.hpp>

namespace imbrex::checkpoints {

/// The files of a checkpoint on a host.
struct host_files {
  std::uint64_t number = 0;
  std::string manifest_text{};       ///< empty if the host has no valid one
  std::vector<std::string> names{};  ///< valid parts, and parities
  int tries = 0;

  void serialize(auto& ar) { ar(number, manifest_text, names, tries); }
};

/// The checkpoints in this host's folder; nothing if there is no folder. Throws `error` if it cannot be read.
std::vector<host_files> list_host_files(const std::string& folder);

/// The steps by which a checkpoint becomes whole on each host.
struct gathering {
  std::uint64_t number = 0;  ///< 0: the hosts have no whole checkpoint together
  std::string manifest_text{};
  std::vector<std::pair<std::string, int>> sources{};  ///< each file that is needed, and a host that has it
  std::vector<int> rebuilt{};                          ///< processes whose parts follow from the others
  std::vector<std::string> passed_over{};              ///< a line for each newer one: why it was not taken

  void serialize(auto& ar) { ar(number, manifest_text, sources, rebuilt, passed_over); }
};

/// Chooses the newest checkpoint that the hosts have together, without those from which `most_tries` starts
/// have died. `only`: the number of the one to choose; 0: any.
gathering plan_gathering(std::span<const std::vector<host_files>> of_hosts, std::uint64_t only);

}  // namespace imbrex::checkpoints
