// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident {

/// True if no item is on its way and no PE runs one. `finished[p]`: up to which ticket PE p has run all items
/// of its mailbox to their end, with all that these sent put into mailboxes. The PE stores it with release,
/// and only when it has nothing to do, so that a message costs no counter. `tail_of(p)`: the tail of p's
/// mailbox. `seen`: room for a number of each PE.
///
/// Why that is right: let some item be sent and not finished, and take one whose sender is finished (those
/// from the start have none, and their tickets are drawn before all). The load of the sender's count acquires
/// what its PE did before, so the second loop sees a tail beyond that item's ticket; and the receiver's
/// count, which goes in the order of tickets, was loaded before and does not reach it. O(PEs).
template <class Memory, class Ticket = std::uint32_t, class TailOf>
IMBREX_DEVICE bool quiescent(const typename Memory::word* finished, TailOf&& tail_of, Ticket* seen,
                             std::uint32_t pes) {
  for (std::uint32_t p = 0; p < pes; ++p) seen[p] = static_cast<Ticket>(Memory::poll(finished[p]));
  Memory::acquired();
  for (std::uint32_t p = 0; p < pes; ++p) {
    const auto ahead = static_cast<Ticket>(static_cast<Ticket>(Memory::load(tail_of(p))) - seen[p]);
    if (static_cast<std::make_signed_t<Ticket>>(ahead) > 0) return false;
  }
  return true;
}

}  // namespace imbrex::resident
