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

/// A run's processes: what they tell each other beside messages, namely when all is quiet, who waits for what
/// in a deadlock, and the end.
///
/// Quiescence is found by counting (Mattern, Distributed Computing 2, 1987, four-counter method). A process
/// whose PEs all sleep reports how many messages it has sent to and received from others. When the reports of
/// all processes add up to as many received as sent, process 0 asks all once more; if nothing has changed by
/// then, no message was under way when the last of the first reports was made, nor can there be one since.
/// Notices are not counted, and so do not disturb what they look for.
///
/// All is the first PE's thread's, but what is marked otherwise.
class job final : public network::receiver {
 public:
  /// Meets the other processes; all of them must come. Throws imbrex::error.
  job(local_run& owner, bootstrap& meeting, const options& settings, const clock& time);
  /// The same over a network that connects them already, which tests bring.
  job(local_run& owner, bootstrap& meeting, std::unique_ptr<network> net);

  /// Connects the process's PEs, whose doors these are. Before they run.
  void serve(const std::vector<inbox*>& doors);
  /// By what a PE of this process reaches other processes.
  endpoint& endpoint_of(int pe);
  /// The thread that drives the network for them; null if they do that themselves.
  scheduler* comm() const { return comm_.get(); }

  /// The last question of process 0 that this process has heard. Any thread.
  std::uint64_t round_heard() const { return round_asked_.load(); }
  int process() const { return process_; }
  int processes() const { return processes_; }
  network& net() const { return *net_; }

  /// All PEs of this process sleep, and have exchanged so many messages with others. False if that is not
  /// news. Any PE's thread; never two at once.
  bool quiet(const network::counts& exchanged);
  /// Tells the other processes that the run has ended, the first time. Any PE's thread.
  void tell_end(int status) noexcept;
  /// Asks process 0 what its clock shows; the answer goes to the run's recording. Any PE's thread.
  void ask_clock();
  /// Ends the run here if others have left it: the PE that should hear so may be in an entry that does not
  /// return. The thread that waits for the PEs.
  void look_for_end();
  /// One that this process counts on has ended, of which the launcher tells the user.
  bool is_deserted() const { return deserted_.load(); }
  /// Leaves the job, when no PE of this process runs any more. If the run has succeeded it waits for the
  /// others, however long; else some seconds, for in one of them an entry may never return: then this process
  /// ends here. Returns what the run has come to in all processes, or where they do not all come, in this
  /// one.
  int leave(int status);
  /// Collective: throws where the processes cannot all begin. `problem`: why this one cannot, or null; thrown
  /// in the first process that has one, a `told_error` in the others. Returns the largest of the ordinals
  /// that they give the run.
  std::uint32_t agree_to_begin(const std::exception_ptr& problem, std::uint32_t ordinal);

  work& unpack(reader& in) override;
  void take(std::span<const std::byte> packed, int pe) override;
  void arrived(work& item, int pe, std::size_t bytes) override;
  void notice(int process, std::span<const std::byte> bytes) override;
  /// Ends the run, with one message. Any thread; one that is no PE's may have to wait for the first PE.
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
  void heard_quiet(int process, const network::counts& exchanged);
  void ask_all();
  network::counts total() const;
  /// Nothing moves anywhere.
  void all_quiet();
  void heard_waits(known_waits&& there);
  /// Tells the user why the run ends. False if that has been said already; then it has been said as a whole.
  bool complain(const std::string& text);
  /// When a process is lost.
  [[noreturn]] void end_process();
  /// When others do not come to the end of a run that has failed.
  [[noreturn]] void end_without_others(int status);

  local_run& owner_;
  bootstrap& meeting_;
  std::atomic<bool> ending_ = false;  ///< somebody tells the others of the end
  std::mutex complaining_;            ///< of the next two
  bool complained_ = false;
  std::string loss_;                       ///< which process is lost, and why
  std::atomic<bool> unreachable_ = false;  ///< a process is lost
  std::atomic<bool> deserted_ = false;     ///< the launcher has told of a death
  std::atomic<bool> leaving_ = false;      ///< the run is over, and this process waits for the others
  const int process_;
  const int processes_;
  std::unique_ptr<comm_thread> comm_;
  std::unique_ptr<network> net_;

  // Of a process. `round_asked_` is set by the first PE's thread and read by whoever calls quiet(), to whom
  // the rest belongs.
  std::atomic<std::uint64_t> round_asked_ = 0;
  std::atomic<bool> must_report_ = true;
  network::counts reported_;

  // Of process 0.
  std::vector<std::optional<network::counts>> reports_;
  network::counts before_;  ///< what the reports added up to when the round was asked
  std::uint64_t round_ = 0;
  bool asking_ = false;
  int waits_missing_ = 0;
  known_waits waits_;
};

}  // namespace detail
}  // namespace imbrex
