// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <imbrex/core/message/named_entry.hpp>
#include <imbrex/coro/task.hpp>

namespace imbrex {

/// Defines entries while a run goes on, in all of its processes: one entry, or the main task, awaits it, and
/// then every process knows them by the same numbers. They come back in the order of the definitions. What is
/// defined already keeps its number. Throws imbrex::error as `define_entry` does.
task<std::vector<entry_name>> define_entries(std::vector<entry_definition> definitions);

}  // namespace imbrex
