// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::detail {

/// The executors of a PE. While there are some, threads that are no PE may post to it at any time. Then the
/// PE may sleep, but does not count as quiet, as one that waits only for other PEs does.
class executor_count {
 public:
  void add() { ++count_; }
  void remove() { --count_; }
  bool has_any() const { return count_ > 0; }
  /// With `are_ignored`, the PE counts as quiet in spite of executors.
  void ignore(bool are_ignored) { are_ignored_ = are_ignored; }
  /// True if posts must be awaited before the PE is quiet.
  bool are_awaited() const { return count_ > 0 && !are_ignored_; }

 private:
  int count_ = 0;
  bool are_ignored_ = false;
};

}  // namespace imbrex::detail
