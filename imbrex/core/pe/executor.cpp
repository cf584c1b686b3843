// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/pe/executor.hpp>

#include <imbrex/core/pe/executor_gate.hpp>
#include <imbrex/core/pe/processor.hpp>
#include <imbrex/core/pe/run_services.hpp>

namespace imbrex {
namespace detail {

namespace {

/// Notifies a PE that an executor has been released by all holders.
struct executor_end final : work {
  executor_end() { type = &kind; }

  static void run(work& item) {
    processor::running_here().executors().remove();
    destroy(item);
  }
  static void destroy(work& item) noexcept { delete static_cast<executor_end*>(&item); }
  static constexpr work_type kind{"end of an executor", &run, &destroy, nullptr, nullptr};
};

}  // namespace

/// The state shared by the copies of an executor.
class executor_state {
 public:
  explicit executor_state(processor& pe) : gate_(pe.run().gate()), inbox_(pe.pe_inbox()) {
    pe.executors().add();
  }
  executor_state(const executor_state&) = delete;
  executor_state& operator=(const executor_state&) = delete;
  ~executor_state() {
    if (gate_->post(inbox_, *end_)) static_cast<void>(end_.release());
  }

  bool post(work& item) { return gate_->post(inbox_, item); }

 private:
  const std::shared_ptr<executor_gate> gate_;
  inbox& inbox_;  ///< valid while the gate is open
  std::unique_ptr<executor_end> end_ = std::make_unique<executor_end>();
};

bool post_item(executor_state& to, work& item) { return to.post(item); }

}  // namespace detail

executor make_executor() {
  executor result;
  result.state_ = std::make_shared<detail::executor_state>(detail::processor::here());
  return result;
}

}  // namespace imbrex
