// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/base/host/descriptor.hpp>

namespace imbrex::checkpoints::detail {

/// The use of a folder of checkpoints in this host's memory (`folders_in_host_memory`) by a process of a run;
/// nothing for other folders. Several processes use it at once.
class host_memory {
 public:
  /// Removes folders of this user's former jobs, which nobody has used for some time. `is_first`: the process
  /// is the first of its host.
  host_memory(std::string folder, bool is_first);
  /// Removes the folder, if this process is the first of its host, and no start follows this run.
  void end(bool is_restarted);

 private:
  std::string folder_;
  bool is_first_;
  descriptor lock_;
};

}  // namespace imbrex::checkpoints::detail
