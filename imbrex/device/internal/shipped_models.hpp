// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace imbrex::internal {

struct shipped_model {
  std::string_view name;
  std::string_view text;
};

/// The files in models/, from which the build makes a source file.
std::span<const shipped_model> shipped_models();

}  // namespace imbrex::internal
