// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include <imbrex/base/options/command_line.hpp>
#include <imbrex/core/options/options.hpp>

namespace imbrex {

/// The settings of a run of a program whose command line is all its own: those in IMBREX_OPTIONS. Options of
/// `others` may stand there, too: `take` gets them, by their place in it. Throws usage_error for an
/// impossible value, and for what is no option. Else IMBREX_OPTIONS is taken away: the program may read
/// options of its own by functions that look there, too.
options parse_environment(std::span<const option_words> others,
                          const std::function<void(std::size_t, given_option)>& take);

/// The runtime's options, for programs that hand them on to others.
std::span<const option_words> runtime_options();

}  // namespace imbrex
