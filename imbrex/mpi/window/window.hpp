// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/mpi/communicator.hpp>
#include <imbrex/mpi/object/window_object.hpp>
#include <imbrex/mpi/rank/rank_interface.hpp>
#include <imbrex/mpi/window/access_completion.hpp>
#include <imbrex/mpi/window/access_epochs.hpp>
#include <imbrex/mpi/window/access_server.hpp>
#include <imbrex/mpi/window/exposure.hpp>
#include <imbrex/mpi/window/origin_accesses.hpp>
#include <imbrex/mpi/window/window_link.hpp>

namespace imbrex::mpi {

/// A window of MPI (MPI 3.1, chapter 11) as one rank has it: the exposed memory and what is known of the
/// other ranks' memory.
///
/// The origin accesses memory of its own process directly: such an access is done when its call returns.
/// Accumulates lock the target's memory against each other. Everything else goes by packets: accesses to
/// another process, all accesses on machines that reorder messages, and all synchronisation. The PE of the
/// target serves packets, whatever code the target runs. Packets between two ranks arrive in the order of
/// sending. Long data follow their packet as a separate message, received into its destination; other
/// accumulates of the same origin wait for it.
///
/// Only the rank's PE uses a window, except for the exposed memory.
class window final : public window_object {
 public:
  /// Collective over the communicator. Throws mpi::error (MPI_ERR_RMA_SHARED) for shared memory unless all
  /// ranks are in one process.
  static ref<window> make(rank& self, const ref<communicator>& of, context_id context,
                          const window_memory& memory);
  ~window() override;

  const communicator& in() const { return *link_.in(); }
  /// Collective; all ranks call it before the window is destroyed.
  void leave();
  /// For reports of deadlocks: the window, and the rank that this one waits for.
  std::string description() const override;

 private:
  window(rank& self, const ref<communicator>& in, const window_memory& memory);

  window_link link_;
  access_completion completion_;

 public:
  exposure memory;
  access_epochs epochs;
  origin_accesses accesses;

 private:
  access_server server_;
};

}  // namespace imbrex::mpi
