// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/base/work.hpp>

namespace imbrex::detail {

/// Runs the items of a PE, and measures them. Unlike an observer of all events it leaves the short paths of
/// messages on.
class item_meter {
 public:
  virtual ~item_meter() = default;
  /// Runs the item by `scheduler::run_measured`. While the PE has nothing to do, `scheduler::running` is
  /// null.
  virtual void run(work& item) = 0;
  /// An observer was attached to the PE.
  virtual void observed() {}
};

}  // namespace imbrex::detail
