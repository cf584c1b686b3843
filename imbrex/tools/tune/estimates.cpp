// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/tune/estimates.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

namespace imbrex::tune {
namespace {

/// The next line; removes it from the text.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace

odf_estimates read_estimates(std::string_view printed) {
  odf_estimates found;
  while (!printed.empty()) {
    const auto line = nlohmann::json::parse(next_line(printed), nullptr, false);
    if (!line.is_object() || !line.contains("odf_estimates") || !line["odf_estimates"].is_array()) continue;
    for (const auto& one : line["odf_estimates"]) {
      if (!one.is_object() || !one.contains("odf") || !one.contains("seconds")) continue;
      if (!one["odf"].is_number_integer() || !one["seconds"].is_number()) continue;
      const auto seconds = one["seconds"].get<double>();
      if (std::isfinite(seconds) && seconds > 0)
        found[std::to_string(one["odf"].get<std::int64_t>())] = seconds;
    }
  }
  return found;
}

std::vector<std::string> pruned_values(const odf_estimates& all) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [odf, seconds] : all) least = std::min(least, seconds);
  std::vector<std::string> found;
  for (const auto& [odf, seconds] : all)
    if (seconds > pruning_ratio * least) found.push_back(odf);
  return found;
}

}  // namespace imbrex::tune
