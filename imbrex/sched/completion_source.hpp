// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace imbrex::detail {

/// The interface by which a PE detects completed device work. Only the PE's thread uses it.
class completion_source {
 public:
  completion_source(const completion_source&) = delete;
  completion_source& operator=(const completion_source&) = delete;

  /// The number of completions not delivered.
  std::size_t pending() const { return pending_; }
  /// True if a busy PE should poll now. To be called at each turn while completions are pending.
  bool is_due() { return --turns_left_ <= 0 && is_due_now(); }
  /// Polls once; true if an item was queued.
  virtual bool look() = 0;
  /// Polls once for a busy PE, after `is_due` was true.
  virtual void look_beside_work() = 0;

 protected:
  completion_source() = default;
  ~completion_source() = default;
  virtual bool is_due_now() = 0;

  std::size_t pending_ = 0;
  int turns_left_ = 1;
};

}  // namespace imbrex::detail
