// SPDX-License-Identifier: Apache-2.0
#pragma once
// The run that a front end works in.

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <imbrex/core/pe/executor.hpp>
#include <imbrex/core/pe/run_services.hpp>

namespace imbrex {

struct device_model;

namespace extension {

/// A run: its settings, its processes and its end. Handles can be copied, and are valid until the run ends.
/// Any thread.
class run_handle {
 public:
  /// The run of a PE.
  explicit run_handle(const detail::scheduler& pe);
  /// The run of this thread's PE. Throws imbrex::error on a thread that is no PE.
  static run_handle here();
  /// The run of this thread's PE; empty on a thread that is no PE.
  static std::optional<run_handle> find_here();

  const options& settings() const { return run_->how(); }  ///< Options with which the run was started.
  /// True if PEs are threads, so that time is real.
  bool is_on_threads() const { return settings().machine == machine_kind::threads; }
  /// The number of this process in the job, and the number of processes.
  int process() const { return run_->process(); }
  int processes() const { return run_->processes(); }  ///< Number of processes of the job.
  /// The first PE of each host, ascending from 0.
  std::span<const int> host_starts() const { return run_->host_starts(); }
  /// The first PE of each node, ascending from 0: each host, or in simulated time each host of the model.
  std::span<const int> node_starts() const { return run_->node_starts(); }
  /// True if the PE belongs to this process.
  bool holds(int pe) const { return run_->holds(pe); }

  /// Ends the run in all processes with this status, unless it is already ending. Throws imbrex::error for a
  /// status that the system would truncate.
  void exit(int status) const { run_->exit(status); }
  /// Logs the reason, and ends the run in all processes, unless it is already ending.
  void fail(std::string_view text, int status = 1) const { run_->fail(text, status); }

  /// The run's status in this process; only after its end, such as in destructors of chares.
  int status() const { return run_->status(); }

  /// True if the run writes a trace (`--trace`).
  bool is_traced() const { return run_->recording() != nullptr; }
  /// True if messages between PEs take the time of a modelled network (`--net-latency` and others).
  bool delays_messages() const;
  /// The costs of actions in simulated time; null in real time.
  const device_model* model() const { return run_->model(); }
  /// The seed by which a machine that steps its PEs orders their work; 0 for the order of arrival.
  std::uint64_t seed_of_order() const;

 private:
  friend class current_pe;
  friend class run_watch;
  explicit run_handle(detail::run_services& run) : run_(&run) {}

  detail::run_services* run_;
};

/// The end of a run, for threads that may outlive it. Any thread.
class run_watch {
 public:
  /// Watches no run: none ends.
  run_watch() = default;
  /// `run`: the run to be watched, which may end before this object.
  explicit run_watch(const run_handle& run) : gate_(run.run_->gate()) {}
  bool has_ended() const;  ///< True if the run has ended.

 private:
  std::shared_ptr<detail::executor_gate> gate_;
};

/// Posts functions to the PE on whose thread it was made. Unlike an `executor` it does not keep the run from
/// quiescence. Any thread.
class pe_poster {
 public:
  pe_poster();  ///< Posts to the PE of this thread.

  /// Queues the function on the PE. Returns false, without calling it, if the run has ended.
  template <class F>
  bool post(F&& function) const {
    using posted = detail::posted_function<std::decay_t<F>>;
    auto item = std::make_unique<posted>(std::decay_t<F>(std::forward<F>(function)));
    if (!post_item(*item)) return false;
    static_cast<void>(item.release());
    return true;
  }

 private:
  bool post_item(detail::work& item) const;

  std::shared_ptr<detail::executor_gate> gate_;
  detail::inbox* inbox_;  ///< valid while the gate is open
};

/// Describes an exception in one line, for people.
std::string describe(const std::exception_ptr& thrown);

}  // namespace extension
}  // namespace imbrex
