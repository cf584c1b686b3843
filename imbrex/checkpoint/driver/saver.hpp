// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/checkpoint/background_writer.hpp>
#include <imbrex/checkpoint/driver/checkpoint_result.hpp>
#include <imbrex/checkpoint/driver/parity_keeper.hpp>
#include <imbrex/checkpoint/driver/store.hpp>
#include <imbrex/checkpoint/driver/triggers.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/core/extension/rendezvous.hpp>
#include <imbrex/core/pe/executor.hpp>
#include <imbrex/core/pe/promise.hpp>
#include <imbrex/serial/absent_bytes.hpp>

namespace imbrex::checkpoints::detail {

/// Writes the checkpoints of a run: a group, whose chare on PE 0 leads.
///
/// PE 0 lets all elements meet at balance points. Each PE adds what it holds to the part of its process. Then
/// the elements go on, and a thread of each process writes the part. When all parts are on the disk, a thread
/// of process 0 makes them a checkpoint, and removes old ones.
class saver : public chare<saver> {
 public:
  saver();
  ~saver();

  /// The saver of this PE; null if the run writes no checkpoints.
  static saver* here();

  // Entries.

  /// Adds what this PE holds to the part of its process. Returns why that is not possible; empty: it was.
  /// `period`: as of `begin_period`.
  task<std::string> save(const checkpoint_identity& which, std::uint64_t period);
  /// Counts to the next checkpoint from now on: the balance points of this PE's elements, or the time.
  void begin_period(std::uint64_t number);
  /// On the first PE of each process: begins to write the part.
  void write(const checkpoint_identity& which);
  // On PE 0.
  /// Makes a checkpoint in this folder; `result` gets it, or an exception.
  void request(promise<checkpoint_result> result, const std::string& folder);
  /// Makes a checkpoint that nobody awaits.
  void request_unasked();
  /// A PE has come to the end of a period. The first one counts.
  void end_period(std::uint64_t number);
  task<> make();
  /// On all PEs: the group that protects parts from the loss of a host.
  void use(const group<parity_keeper>& keepers);
  /// On the first PE of a process whose part has been written: protects it.
  task<> protect(const part_summary& part);
  /// In simulated time, on PE 0: lets all PEs send a copy of their states, and then notes the part.
  task<> model_copies(const part_summary& part);
  /// Sends as many bytes to the partner of this PE as its elements have in the checkpoint.
  task<> send_copy();
  void take_copy(const absent_bytes& /*of_partner*/) {}
  /// On PE 0: makes the parts a checkpoint on the other hosts, and then on this one.
  task<> commit_on_hosts();
  void note_written(int process, const part_summary& part, const std::string& problem);

 private:
  /// A caller of `request` for whom no checkpoint has begun yet.
  struct caller {
    promise<checkpoint_result> result;
    std::string folder;
  };
  /// The checkpoint that is being made.
  struct progress {
    checkpoint_folder folder{{}};
    checkpoint_identity which;
    std::vector<part_summary> parts;
    int parts_missing = 0;
    std::string problem;
    nanoseconds began{0};
    nanoseconds stop_began{0};
    double seconds_stopped = 0;
  };

  /// Checkpoints in folders that each host has for itself. On PE 0, but for `keepers`.
  struct own_folders {
    std::optional<group<parity_keeper>> keepers{};
    std::vector<std::uint64_t> kept{};  ///< numbers of the checkpoints that stay, ascending
  };

  bool leads() const { return pe() == 0; }
  void begin_next();
  void take_callers();
  void rearm();
  bool is_due_now() const;
  task<std::string> meet();
  task<std::string> save_all();
  manifest contents() const;
  void finish_work();
  void commit();
  task<> prepare_hosts();
  std::uint64_t oldest_to_keep();
  void give_up(const std::string& problem);
  void remove_unfinished();
  void finish(const std::string& problem);

  process_store& store_;
  background_writer writer_;  ///< on the first PE of each process
  bool is_committing_ = false;

  std::uint64_t bytes_here_ = 0;  ///< size of this PE's elements in the checkpoint, for `send_copy`

  std::uint64_t period_ = 0;  ///< number of checkpoints that had begun when this period began
  nanoseconds period_began_{0};

  // On PE 0.
  std::unique_ptr<extension::rendezvous> all_elements_;
  std::unique_ptr<triggers> triggers_;
  own_folders hosts_;
  std::uint64_t run_ = 0;          ///< number of the run by chance
  std::uint64_t last_number_ = 0;  ///< number of the last checkpoint, also of one that has failed
  std::uint64_t begun_ = 0;        ///< number of checkpoints that have begun
  bool is_busy_ = false;
  bool is_due_ = false;  ///< a checkpoint became due while another one was being made
  executor awake_;       ///< held while callers wait for the disk alone, which is no deadlock
  bool has_complained_ = false;
  std::vector<promise<checkpoint_result>> callers_;  ///< callers for which the checkpoint is made
  std::vector<caller> next_callers_;
  progress now_;
};

}  // namespace imbrex::checkpoints::detail
