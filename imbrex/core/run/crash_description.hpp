// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/base/host/signal_text.hpp>

namespace imbrex::detail {

/// Describes what this thread runs, as errors of entries do: "block(1, 2), entry run, on PE 3". For signal
/// handlers: reads only data of the PE itself, and no list that others change.
void describe_what_runs(signal_text& out) noexcept;

}  // namespace imbrex::detail
