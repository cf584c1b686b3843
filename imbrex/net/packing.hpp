// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/base/work.hpp>

namespace imbrex::detail {

/// Packs an item as its kind unpacks it. If its type's serialize() throws, destroys the item and rethrows.
void pack_or_destroy(work& item, writer& out);

/// Unpacks an item of that kind from the rest of the input. The text of a serial_error names the kind.
work& unpacked(const work_type& kind, reader& in);

}  // namespace imbrex::detail
