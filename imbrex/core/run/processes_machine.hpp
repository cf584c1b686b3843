// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <imbrex/core/run/job.hpp>
#include <imbrex/core/run/local_run.hpp>
#include <imbrex/core/run/machine.hpp>
#include <imbrex/net/router.hpp>

namespace imbrex::detail {

/// Runs the PEs of one process of a job. Another machine runs them; their messages to PEs of other processes
/// leave by the job's network.
class processes_machine final : public machine {
 public:
  /// `group` must outlive the PEs.
  processes_machine(std::unique_ptr<machine> inner, job& group, local_run& run)
      : inner_(std::move(inner)), group_(group), run_(run) {}

  const clock& time() const override { return inner_->time(); }
  simulated_clock* simulated_time() override { return inner_->simulated_time(); }
  local_clock* charged_clock_of(int pe) override { return inner_->charged_clock_of(pe); }
  const device_model* model() const override { return inner_->model(); }
  delivery_rules rules() const override { return inner_->rules(); }
  void connect(bool may_spin, scheduler* comm_thread) override;
  transport& wire_of(int pe) override;
  void record_arrivals(trace::track& where) override { inner_->record_arrivals(where); }
  void run() override;
  void stop() override { inner_->stop(); }
  void interrupt() noexcept override { inner_->interrupt(); }
  void finish(const std::function<void(processor& pe)>& last) override { inner_->finish(last); }
  void discard() noexcept override;

 private:
  const std::unique_ptr<machine> inner_;
  job& group_;
  local_run& run_;
  std::vector<std::unique_ptr<router>> routers_;  ///< one for each PE
};

}  // namespace imbrex::detail
