// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex {

/// The sender of a message, for entries that need it: an entry method has it as its first parameter. Callers
/// pass no argument for it.
///
///     void ask(imbrex::sender from) { imbrex::send<&worker::begin>(workers_[from.pe], next_++); }
///     imbrex::send<&farm::ask>(farm_);
///
/// The sender is written into the message when it is sent, and only for such an entry. Code that forwards a
/// message may pass the received sender as any other argument; at a balance point this is required. To
/// identify a chare and not only its PE, pass `self()` as an argument.
struct sender {
  int pe = 0;  ///< the PE that sent it

  friend bool operator==(const sender&, const sender&) = default;
};

}  // namespace imbrex
