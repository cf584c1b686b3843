// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/tools/trace/report.hpp>

namespace imbrex::tools {

/// The sums over the PEs.
pe_report sum_of_pes(const run_report& run);

enum class quantity_kind : std::uint8_t { time, bytes, count, part };

/// A number for comparing two runs.
struct figure {
  const char* key;   ///< in JSON
  const char* name;  ///< for people
  quantity_kind kind;
  std::optional<double> value;  ///< empty if it is a fraction of zero
};

/// The figures of a run, always in the same order.
std::vector<figure> summary(const run_report& run);

/// The value with its unit; a dash if it has none.
std::string text_of(const figure& one);

/// The second value divided by the first; empty if the ratio is meaningless.
std::optional<double> ratio_of(const figure& first, const figure& second);

}  // namespace imbrex::tools
