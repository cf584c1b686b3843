// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include <imbrex/base/options/command_line.hpp>
#include <imbrex/core/options/options.hpp>

namespace imbrex {

/// The settings of a run whose program uses its command line only for itself: the runtime's options come from
/// IMBREX_OPTIONS. The variable may also have options of `others`: `take` gets each with its index in
/// `others`. Throws usage_error for an impossible value, and for words that are no options. Otherwise removes
/// IMBREX_OPTIONS, since the program may also read its own options by functions that use the variable.
options parse_environment(std::span<const option_words> others,
                          const std::function<void(std::size_t, parsed_option)>& take);

/// The runtime's options, for programs that pass them on to others.
std::span<const option_words> runtime_options();

}  // namespace imbrex
