// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/base/work.hpp>

namespace imbrex::detail {

/// Writes what that item's kind unpacks. If its type's own serialize() throws, destroys the item and throws
/// the same.
void pack_or_destroy(work& item, writer& out);

/// An item of that kind, made of all that is left to read. A serial_error says of what kind it was to be.
work& unpacked(const work_type& kind, reader& in);

}  // namespace imbrex::detail
