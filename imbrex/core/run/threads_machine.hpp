// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <imbrex/core/run/local_run.hpp>
#include <imbrex/core/run/machine.hpp>
#include <imbrex/net/transport.hpp>
#include <imbrex/sched/thread_machine.hpp>

namespace imbrex::detail {

/// Runs each PE on a thread of its own, in real time (`--machine threads`), by a `thread_machine`.
class threads_machine final : public machine, private thread_machine::listener {
 public:
  threads_machine(const options& settings, local_run& run) : how_(settings), run_(run) {}

  const clock& time() const override { return clock_; }
  delivery_rules rules() const override;
  void connect(bool may_spin, scheduler* comm_thread) override;
  transport& wire_of(int /*pe*/) override { return *wire_; }
  void run() override;
  void stop() override;
  void interrupt() noexcept override;
  void finish(const std::function<void(processor& pe)>& last) override;
  void discard() noexcept override {}  // messages that have not arrived lie in the PEs' inboxes

 private:
  network::counts counted() const override { return run_.counted(); }
  bool quiet(const network::counts& exchanged) override { return run_.quiet(exchanged); }
  void on_uncaught(int pe) noexcept override { run_.on_uncaught(pe); }
  /// Names the PEs that do not return, and ends the process.
  [[noreturn]] void end_without(const std::vector<int>& stuck) const;

  const options& how_;
  local_run& run_;
  real_clock clock_;
  std::unique_ptr<transport> wire_;  ///< shared by all PEs
  std::optional<thread_machine> threads_;
};

}  // namespace imbrex::detail
