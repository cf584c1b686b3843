// SPDX-License-Identifier: Apache-2.0
#include "backoff.hpp"

#include <string>

#include <imbrex/error.hpp>

namespace style {

using imbrex::nanoseconds;

backoff::backoff(nanoseconds least, nanoseconds most) : least_(least), most_(most), next_(least) {
  if (least <= nanoseconds(0) || most < least)
    throw imbrex::error("a wait of " + std::to_string(least.count()) + " to " + std::to_string(most.count()) +
                        " ns cannot be: the least must be positive, and the most no less");
}

nanoseconds backoff::next() {
  const nanoseconds wait = next_;
  next_ = wait > most_ / 2 ? most_ : wait * 2;  // doubling it could overflow
  return wait;
}

}  // namespace style
