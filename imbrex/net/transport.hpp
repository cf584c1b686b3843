// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/base/work.hpp>

namespace imbrex::detail {

/// Carries work to another PE. How (a pointer through memory, bytes over a wire, late and out of
/// order) is the affair of the transport alone; what it must not do is lose, double or change an item.
class transport {
 public:
  transport() = default;
  transport(const transport&) = delete;
  transport& operator=(const transport&) = delete;
  virtual ~transport() = default;

  /// Takes the item over. The thread of the sending PE. Throws std::bad_alloc, and what a type's serialize()
  /// throws.
  virtual void send(work& item, int to) = 0;
  /// Destroys what is on its way; the run is over.
  virtual void discard() noexcept {}
};

}  // namespace imbrex::detail
