// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <imbrex/core/collective/waits.hpp>
#include <imbrex/core/options/options.hpp>
#include <imbrex/net/network.hpp>
#include <imbrex/sched/comm_thread.hpp>

namespace imbrex {

namespace detail {

class local_run;

/// The processes of a run, and their communication besides messages. Detects quiescence, lists the waiting
/// entries in a deadlock, and ends the run.
///
/// Quiescence is found by counting (Mattern, Distributed Computing 2, 1987, four-counter method). A process
/// whose PEs all sleep reports how many messages it has sent to and received from others. When the sums of
/// received and sent messages over all processes are equal, process 0 requests all reports once more. If
/// nothing has changed by then, no message was in flight when the last of the first reports was made. Nor has
/// one been sent since. Control messages are not counted, and so do not disturb the detection.
///
/// Everything belongs to the first PE's thread, unless marked otherwise.
class job final : public network::receiver {
 public:
  /// Connects to the other processes; all of them must join. Throws imbrex::error.
  job(local_run& owner, bootstrap& meeting, const options& settings, const clock& time);
  /// Uses a network that is already connected; for tests.
  job(local_run& owner, bootstrap& meeting, std::unique_ptr<network> net);

  /// Connects the process's PEs, whose inboxes are `inboxes`. Call before the PEs run.
  void serve(const std::vector<inbox*>& inboxes);
  /// The endpoint by which a PE of this process reaches other processes.
  endpoint& endpoint_of(int pe);
  /// The thread that drives the network for the PEs; null if they do that themselves.
  scheduler* comm() const { return comm_.get(); }

  /// The last round of requests by process 0 that this process has received. Any thread.
  std::uint64_t requested_round() const { return requested_round_.load(); }
  int process() const { return process_; }
  int processes() const { return processes_; }
  network& net() const { return *net_; }

  /// All PEs of this process sleep; `exchanged` counts its messages to and from others. False if this was
  /// already reported. Any PE's thread; never two at once.
  bool quiet(const network::counts& exchanged);
  /// Notifies the other processes of the run's end, on the first call only. Any PE's thread.
  void tell_end(int status) noexcept;
  /// Requests process 0's clock; the reply goes to the run's recording. Any PE's thread.
  void ask_clock();
  /// Ends the run here if other processes have left it. The PE that should receive the control message may be
  /// in an entry that does not return. Called by the thread that waits for the PEs.
  void look_for_end();
  /// True if a process that this one depends on has died; the launcher reports that to the user.
  bool is_deserted() const { return deserted_.load(); }
  /// Leaves the job, when no PE of this process runs any more. After a successful run it waits for the other
  /// processes without limit. After a failed run it waits some seconds, since an entry in another process may
  /// never return; then this process ends here. Returns the run's status over all processes or, if some do
  /// not leave, of this one.
  int leave(int status);
  /// Collective: throws if not all processes can begin. `problem`: the reason why this process cannot, or
  /// null. It is thrown in the first process that has one, a `reported_error` in the others. Returns the
  /// largest of the processes' ordinals for the run.
  std::uint32_t agree_to_begin(const std::exception_ptr& problem, std::uint32_t ordinal);

  work& unpack(reader& in) override;
  void take(std::span<const std::byte> packed, int pe) override;
  void arrived(work& item, int pe, std::size_t bytes) override;
  void control_message(int process, std::span<const std::byte> bytes) override;
  /// Ends the run, with one message. Any thread; a thread that is no PE's may have to wait for the first PE.
  void lost(int process, const std::string& why) override;

 private:
  struct quiet_item;
  struct exit_item;
  enum class about : std::uint8_t { quiet, ask, waits, waiting, end, clock, clock_answer };

  template <class... T>
  void tell(int process, about what, const T&... values);
  template <class... T>
  void tell_others(about what, const T&... values);

  /// A process is quiet with these counts.
  void receive_quiet(int process, const network::counts& exchanged);
  void ask_all();
  network::counts total() const;
  /// All processes are quiet.
  void all_quiet();
  void receive_waits(known_waits&& there);
  /// Reports to the user why the run ends. False if a reason has been reported completely before.
  bool complain(const std::string& text);
  /// Called when a process is lost.
  [[noreturn]] void end_process();
  /// Called when other processes do not reach the end of a failed run.
  [[noreturn]] void end_without_others(int status);

  local_run& owner_;
  bootstrap& meeting_;
  std::atomic<bool> ending_ = false;  ///< true once a thread notifies the others of the end
  std::mutex complaining_;            ///< guards complained_ and loss_
  bool complained_ = false;
  std::string loss_;                       ///< the lost process, and the reason
  std::atomic<bool> unreachable_ = false;  ///< a process is lost
  std::atomic<bool> deserted_ = false;     ///< the launcher has reported a death
  std::atomic<bool> leaving_ = false;      ///< the run is over, and this process waits for the others
  const int process_;
  const int processes_;
  std::unique_ptr<comm_thread> comm_;
  std::unique_ptr<network> net_;

  // State of each process. `requested_round_` is set by the first PE's thread and read by the caller of
  // quiet(), which owns the other members here.
  std::atomic<std::uint64_t> requested_round_ = 0;
  std::atomic<bool> must_report_ = true;
  network::counts reported_;

  // State of process 0.
  std::vector<std::optional<network::counts>> reports_;
  network::counts before_;  ///< sum of the reports when the round began
  std::uint64_t round_ = 0;
  bool asking_ = false;
  int waits_missing_ = 0;
  known_waits waits_;
};

}  // namespace detail
}  // namespace imbrex
