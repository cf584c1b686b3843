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

/// One number that two runs are compared by.
struct figure {
  const char* key;   ///< in JSON
  const char* name;  ///< for people
  quantity_kind kind;
  std::optional<double> value;  ///< none if it is a part of nothing
};

/// The figures of a run, always the same ones in the same order.
std::vector<figure> summary(const run_report& run);

/// Its value with a unit; a dash if it has none.
std::string text_of(const figure& one);

/// The second's value in parts of the first's; none where that says nothing.
std::optional<double> ratio_of(const figure& first, const figure& second);

}  // namespace imbrex::tools
