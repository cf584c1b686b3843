// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace imbrex::detail {

/// What a PE asks of who tells it that its device is done. Its thread's.
class completion_source {
 public:
  completion_source(const completion_source&) = delete;
  completion_source& operator=(const completion_source&) = delete;

  /// How many notices have not been delivered.
  std::size_t pending() const { return pending_; }
  /// True if a PE that has other things to do is to look now. To be asked at each turn while something is
  /// pending.
  bool is_due() { return --turns_left_ <= 0 && is_due_now(); }
  /// Looks once; true if something was queued.
  virtual bool look() = 0;
  /// The same by a PE that has other things to do, which `is_due` told so.
  virtual void look_beside_work() = 0;

 protected:
  completion_source() = default;
  ~completion_source() = default;
  virtual bool is_due_now() = 0;

  std::size_t pending_ = 0;
  int turns_left_ = 1;
};

}  // namespace imbrex::detail
