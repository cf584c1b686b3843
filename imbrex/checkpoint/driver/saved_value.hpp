// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <imbrex/serial/class_schema.hpp>

namespace imbrex::checkpoints::detail {

/// A value of the program: its bytes, and the schema of the type that wrote them.
struct saved_value {
  class_schema schema;
  std::vector<std::byte> bytes;
};

}  // namespace imbrex::checkpoints::detail
