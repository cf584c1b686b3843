// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <imbrex/core/message/carried_exception.hpp>
#include <imbrex/core/message/reply_table.hpp>

namespace imbrex::detail {

/// The part of a PE in one collective that gives each member of an array something different. An all_reduce
/// accompanies it, by which each PE detects that all values have been received (the consensus of Hoefler,
/// Siebert and Lumsdaine 2010). A PE closes that all_reduce only after the values that it sent have been
/// taken.
class exchange_base {
 public:
  virtual ~exchange_base() = default;

  /// All members here have joined: sends their values, unless they have been sent. True if all values sent
  /// from here have been taken.
  virtual bool flush() { return true; }
  /// The exception of a value that could not be taken; empty if there is none.
  virtual carried_exception error() const { return {}; }
  /// The all_reduce has completed; `result` has the type that the members contribute.
  virtual void complete(const void* /*result*/) {}
  /// Gives the `member`-th member that joined here its result.
  virtual void give(std::size_t member, reply_target& to) = 0;
  /// An element has left: values received for it before it joined are forwarded to it.
  virtual void element_left() {}
};

}  // namespace imbrex::detail
