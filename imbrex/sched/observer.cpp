// SPDX-License-Identifier: Apache-2.0
#include <imbrex/sched/observer.hpp>

#include <imbrex/net/local/serializing.hpp>

namespace imbrex {

// A message that cannot be packed, and need not be where it goes, counts as empty.
std::uint64_t departing_message::bytes() const {
  if (!bytes_) try {
      bytes_ = packed_size(message_);
    } catch (...) {
      bytes_ = 0;
    }
  return *bytes_;
}

}  // namespace imbrex
