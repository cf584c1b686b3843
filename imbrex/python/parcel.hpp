// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <imbrex/core/extension/message_kind.hpp>
#include <imbrex/python/block.hpp>

namespace imbrex::python {

using bytes_block = block<std::byte>;

/// Values of Python as bytes (`encoder`): arguments, or a result. A few bytes lie in the parcel itself.
struct parcel {
  static constexpr std::string_view shown_as = "values of Python";

  extension::owned_span<std::byte> head{};
  std::vector<bytes_block> blocks{};
  /// True if several receivers get it, so that none may take its blocks.
  bool is_shared = false;
};

}  // namespace imbrex::python
