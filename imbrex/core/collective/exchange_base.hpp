// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <imbrex/core/message/carried_exception.hpp>
#include <imbrex/core/message/reply_table.hpp>

namespace imbrex {

namespace detail {

/// What the members of an array on one PE give each other, and others, in one collective that gives each of
/// them something else than the others. It goes along with an all_reduce, by which each PE learns that all
/// values have come (the consensus of Hoefler, Siebert and Lumsdaine 2010): a PE closes that only when what
/// it has sent has been taken.
class exchange_base {
 public:
  virtual ~exchange_base() = default;

  /// All members that are here have joined: sends what they gave, unless it has been sent. True if all that
  /// has been sent from here has been taken.
  virtual bool flush() = 0;
  /// Something that was sent could not be taken; none if all could.
  virtual carried_exception error() const = 0;
  /// The all_reduce has come to that, of the type that the members contribute to it.
  virtual void complete(const void* result) = 0;
  /// Gives the member that joined as that one here its result.
  virtual void give(std::size_t member, reply_target& to) = 0;
  /// An element has left: what has come for it before it has joined goes after it.
  virtual void element_left() = 0;
};

}  // namespace detail
}  // namespace imbrex
