// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident {

/// True if no item is in flight and no PE runs one. `finished[p]` is the ticket up to which PE p has run all
/// items of its mailbox to their end. All items that these have sent are stored in mailboxes. The PE stores
/// the ticket with release, and only when it is idle, so that a message costs no counter. `tail_of(p)` is the
/// tail of p's mailbox. `seen` is scratch memory for one number per PE. O(PEs).
///
/// Why this is correct: suppose that some item is sent and not finished. Take such an item whose sending item
/// is finished. (The items from the start have no sender; their tickets are drawn before all others.) The
/// load of the sender's count acquires everything that its PE did before. So the second loop sees a tail
/// beyond that item's ticket. The receiver's count was loaded earlier. It advances in the order of tickets
/// and does not reach that item.
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
