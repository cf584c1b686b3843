// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/tools/trace/report.hpp>

namespace imbrex::tools {

/// The sums over the PEs.
pe_report sum_of_pes(const run_report& run);

enum class quantity_kind : std::uint8_t { time, bytes, count, part };

/// One number that two runs are compared by.
struct figure {
  const char* key;   ///< in JSON
  const char* name;  ///< for people
  quantity_kind kind;
  double value;
};

/// The figures of a run, always the same ones in the same order.
std::vector<figure> summary(const run_report& run);

/// Its value with a unit.
std::string text_of(const figure& one);

}  // namespace imbrex::tools
