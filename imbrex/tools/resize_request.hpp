// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/signalfd.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <imbrex/tools/foreign_launcher.hpp>
#include <imbrex/tools/restart_settings.hpp>

namespace imbrex::tools {

/// A request that a job go on with another number of processes: a checkpoint is made, the processes end, and
/// others begin from it.
class resize_request {
 public:
  /// Begins to wait for a checkpoint. Returns a message for the user.
  std::string begin(const restart_settings& job, int processes);
  /// Begins to go on with as many processes on each node as before, after `scontrol update` has
  /// changed its nodes. If nodes are gone, processes are lost already, and the newest checkpoint serves.
  /// `launcher`: srun's words. Returns a message for the user.
  std::string begin_on_slurm_nodes(const restart_settings& job, std::span<const std::string> launcher);
  bool is_pending() const { return processes_ > 0 && !is_done_; }
  /// True once the checkpoint has come; then the request is done.
  bool has_checkpoint();
  /// True at the moments at which process 0 is asked for the checkpoint. A process that has just started does
  /// not take the signal yet, so it is asked again.
  bool asks_at(std::chrono::steady_clock::time_point now);
  bool is_done() const { return is_done_; }
  int processes() const { return processes_; }
  /// The new nodes of Slurm's job; empty if they are not the reason.
  const std::optional<slurm_nodes>& nodes() const { return nodes_; }

 private:
  int processes_ = 0;
  bool has_lost_nodes_ = false;
  std::optional<slurm_nodes> nodes_;
  restart_settings job_;
  std::uint64_t before_ = 0;  ///< newest checkpoint when the request came
  std::chrono::steady_clock::time_point next_ask_;
  bool is_done_ = false;
};

/// True if SIGUSR2 means that the nodes of Slurm's job may be others: it can be resized, and the signal asks
/// for no checkpoint.
bool has_slurm_nodes(const restart_settings& job);

/// True if `imbrex resize` has sent the signal.
bool is_resize_request(const signalfd_siginfo& info);

/// Settings of `imbrex resize`.
struct resize_settings {
  int launcher = 0;  ///< process id of `imbrex run`
  int processes = 1;
};

/// Asks a launcher to go on with another number of processes. Returns 0. Throws `error` if the process cannot
/// be signalled, or is no launcher.
int send_resize(const resize_settings& settings);

}  // namespace imbrex::tools
