// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include <imbrex/base/owner.hpp>

namespace imbrex::detail {

/// A PE's record of a message that is sent or received in pieces.
class pieces_of_messages {
 public:
  virtual ~pieces_of_messages() = default;
};

/// A PE's records of messages in pieces. The keys: (-1, 0) for data common to all PEs; (PE, 0) for data of
/// one PE; (sending PE, the sender's message number) for each incomplete message.
class pieces_table : public std::map<std::pair<int, std::uint32_t>, owner<pieces_of_messages>> {};

}  // namespace imbrex::detail
