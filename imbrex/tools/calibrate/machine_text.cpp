// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <imbrex/base/options/quantity.hpp>
#include <imbrex/tools/calibrate/measurement.hpp>

namespace imbrex::calibrate {
namespace {

bool is_rate(std::string_view name) {
  return name.ends_with("bandwidth") || name == "copy.to_device" || name == "copy.from_device";
}

/// A value in the form of the file, with at most three digits that mean something.
std::string value_text(std::string_view name, double value) {
  const double digits = std::pow(10, std::max(0.0, std::floor(std::log10(std::max(1.0, value))) - 2));
  const auto rounded = static_cast<std::uint64_t>(std::max(1.0, std::round(value / digits) * digits));
  return is_rate(name) ? rate_text(rounded) : duration_text(nanoseconds(static_cast<std::int64_t>(rounded)));
}

/// The key of a line "key = value"; empty for other lines.
std::string_view key_of(std::string_view line) {
  const auto sign = line.find('=');
  if (line.empty() || line.front() == '#' || sign == line.npos) return {};
  std::string_view key = line.substr(0, sign);
  while (!key.empty() && key.back() == ' ') key.remove_suffix(1);
  return key;
}

std::string number_text(std::string_view key, const std::string& number, const measured_number& value) {
  return fmt::format("# Measured: {} +- {}.\n{} = \"{}\"\n", value_text(number, value.value),
                     value.spread < 0.5 ? "0" : value_text(number, value.spread), key,
                     value_text(number, value.value));
}

}  // namespace

measured_number summary_of(std::vector<double> samples) {
  std::ranges::sort(samples);
  const auto at = [&](double part) {
    return samples[static_cast<std::size_t>(part * static_cast<double>(samples.size() - 1) + 0.5)];
  };
  return {at(0.5), (at(0.75) - at(0.25)) / 2};
}

std::string machine_text(std::string_view base, std::string_view base_name, const measurement& of,
                         const std::string& name) {
  std::string text = fmt::format(
      "# Measured by imbrex calibrate on {}. Numbers without \"Measured\" are those of {}, with their "
      "sources.\n",
      of.where, base_name);
  std::string table;
  std::string comments;  // lines above a number, dropped with it
  while (!base.empty()) {
    const auto end = base.find('\n');
    const std::string_view line = base.substr(0, end);
    base.remove_prefix(std::min(base.size(), line.size() + 1));
    if (line.starts_with('#')) {
      comments += std::string(line) + "\n";
      continue;
    }
    if (line.starts_with('[')) table = line.substr(1, line.find(']') - 1);
    const std::string_view key = key_of(line);
    const std::string number = (table.empty() ? "" : table + ".") + std::string(key);
    const auto measured = of.numbers.find(number);
    const auto reason = of.reasons.find(number);
    if (table.empty() && key == "name") {
      text += "name = \"" + name + "\"\n";
    } else if (measured != of.numbers.end()) {
      text += number_text(key, number, measured->second);
    } else {
      text += comments;
      if (reason != of.reasons.end()) text += "# Not measured: " + reason->second + ".\n";
      text += std::string(line) + "\n";
    }
    comments.clear();
  }
  return text;
}

}  // namespace imbrex::calibrate
