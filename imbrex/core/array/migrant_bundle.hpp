// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/core/array/migrant.hpp>

namespace imbrex::detail {

/// Sends an element that has left. The elements that leave for one PE at the end of the same item go in one
/// message. `m` goes alone if it has attachments or cannot be packed.
void send_migrant(processor& pe, migrant_base& m, int to);

}  // namespace imbrex::detail
