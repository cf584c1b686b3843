// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex {

/// Who sent a message, for entries that want to know: an entry method has it as its first parameter, for
/// which no argument is given.
///
///     void ask(imbrex::sender from) { imbrex::send<&worker::begin>(workers_[from.pe], next_++); }
///     imbrex::send<&farm::ask>(farm_);
///
/// It is written into the message where it is sent, and only for such an entry. Who passes a message on may
/// give the sender that it has got, as any other argument; at a balance point that is needed. A chare that is
/// to be known, not only its PE, is an argument: `self()`.
struct sender {
  int pe = 0;  ///< the PE that sent it

  friend bool operator==(const sender&, const sender&) = default;
};

}  // namespace imbrex
