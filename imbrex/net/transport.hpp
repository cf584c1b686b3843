// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/base/work.hpp>

namespace imbrex::detail {

/// Carries work to another PE. The method (a pointer through memory, bytes over a wire, late and out of
/// order) is the transport's own choice. It must not lose, duplicate or change an item.
class transport {
 public:
  transport() = default;
  transport(const transport&) = delete;
  transport& operator=(const transport&) = delete;
  virtual ~transport() = default;

  /// Takes ownership of the item. Called on the sending PE's thread. Throws std::bad_alloc, and what a type's
  /// serialize() throws.
  virtual void send(work& item, int to) = 0;
  /// Destroys the items in transfer; the run is over.
  virtual void discard() noexcept {}
};

}  // namespace imbrex::detail
