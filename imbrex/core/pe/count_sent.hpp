// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::detail {

class processor;
struct message;

/// Counts a message to an element by its packed size, and by that of the memory sent with it, where the PE's
/// `sent_messages` are read.
void count_sent(processor& pe, message& m);
/// Lets the counts of sent messages begin anew.
void restart_sent(processor& pe);

}  // namespace imbrex::detail
