// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/base/work.hpp>

namespace imbrex {

/// An item of that kind, made of all that is left to read. A serial_error says of what kind it was to be.
work& unpacked(const work_type& kind, reader& in);

}  // namespace imbrex
