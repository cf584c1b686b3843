// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/net/fabric.hpp>

namespace imbrex::endpoints {

/// The kinds of messages between endpoints.
enum message_kind : unsigned {
  item_message,
  item_with_block,
  batch_message,
  control_message_item,
  watch_message,
  greeting_message,
  memory_offer,  ///< read access to the sender's memory
  memory_taken,
  path_message,  ///< the better path for messages of a size class to the sender of this message
  item_in_memory,
  item_on_trial  ///< `item_with_block`, with a `trial_mark`
};
static_assert(item_on_trial + 1 == fabric_events::kinds);

/// True if the message's block stands apart from its item, which is the header.
constexpr bool is_beside_block(unsigned what) { return what == item_with_block || what == item_on_trial; }

/// Limit for messages without a block and without a header. Longer ones carry the token as their header,
/// since they may be offered.
inline constexpr std::size_t longest_without_header = fabric_worker::longest_short;

}  // namespace imbrex::endpoints
