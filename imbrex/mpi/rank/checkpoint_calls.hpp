// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <imbrex/core/array/create.hpp>
#include <imbrex/coro/task.hpp>

namespace imbrex::mpi {

class rank;

/// Makes the checkpoints that all ranks ask for together (`request_checkpoint`). A group, made anew in each
/// run.
class checkpoint_calls final : public chare<checkpoint_calls> {
 public:
  checkpoint_calls();

  // Entries.

  /// On PE 0: makes a checkpoint in this folder, and tells all PEs its end.
  task<> make(std::string folder);
  /// A checkpoint is whole, or could not be made for this reason. The ranks of this PE that await it go on.
  void end(const std::string& problem);

  // On any PE.

  /// Asks for a checkpoint.
  static void ask(const std::string& folder);
  /// A rank of this PE awaits the end of a checkpoint, and does not move before.
  static void add(rank& waiting);

 private:
  std::vector<rank*> waiting_;
};

}  // namespace imbrex::mpi
