// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <imbrex/core/message/named_entry.hpp>
#include <imbrex/coro/task.hpp>

namespace imbrex {

/// Defines entries in all processes of a run, during the run. One entry, or the main task, awaits it;
/// afterwards every process has the entries under the same numbers. Returns them in the order of the
/// definitions. An entry that is already defined keeps its number. Throws imbrex::error as `define_entry`
/// does.
task<std::vector<entry_name>> define_entries(std::vector<entry_definition> definitions);

}  // namespace imbrex
