// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace imbrex::detail {

enum class array_kind : std::uint8_t { dense, sparse, keyed, group, process_group, singles };

/// The facts by which another run makes an array again.
struct array_origin {
  array_kind kind = array_kind::singles;
  /// The array's name; empty if it has none. Groups are named by their order, since each run makes them anew:
  /// "1 of PE 0" is the first group of its class that PE 0 has made.
  std::string name{};
  std::string_view placement{};  ///< the type of the placement, as the compiler spells it

  bool is_group() const { return kind == array_kind::group || kind == array_kind::process_group; }
};

}  // namespace imbrex::detail
