// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/manifest.hpp>

#include <charconv>
#include <cstdio>
#include <ctime>
#include <span>

#include <nlohmann/json.hpp>

#include <imbrex/base/error.hpp>
#include <imbrex/base/max_processes.hpp>
#include <imbrex/checkpoint/internal/layout.hpp>

namespace imbrex::checkpoints {
namespace {

using nlohmann::ordered_json;

constexpr const char* other_checkpoint =
    "; begin from another checkpoint (imbrex checkpoint list shows them)";

/// JSON has no whole numbers of 64 bits that all its readers keep.
std::string hexadecimal(std::uint64_t number) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(number));
  return text.data();
}

std::uint64_t parse_hexadecimal(const std::string& hexadecimal) {
  std::uint64_t number = 0;
  const char* const end = hexadecimal.data() + hexadecimal.size();
  const auto result = std::from_chars(hexadecimal.data(), end, number, 16);
  if (result.ec != std::errc() || result.ptr != end) throw error("a checksum is no hexadecimal number");
  return number;
}

std::uint64_t checksum_of_json(const ordered_json& all) {
  const std::string text = all.dump();
  return detail::checksum_of(std::as_bytes(std::span(text)));
}

ordered_json without_checksum(const manifest& m) {
  ordered_json all{{"format", detail::format_version},
                   {"number", m.number},
                   {"run", hexadecimal(m.run)},
                   {"processes", m.parts.size()},
                   {"pes", m.pes},
                   {"program", m.program},
                   {"written", m.written},
                   {"parts", ordered_json::array()}};
  for (const part_summary& part : m.parts)
    all["parts"].push_back({{"process", part.process},
                            {"file", name_of_part(part.process)},
                            {"bytes", part.bytes},
                            {"digest", hexadecimal(part.digest)}});
  return all;
}

manifest read_fields(const ordered_json& all) {
  manifest m;
  m.number = all.at("number").get<std::uint64_t>();
  m.run = parse_hexadecimal(all.at("run").get<std::string>());
  m.pes = all.at("pes").get<int>();
  m.program = all.at("program").get<std::string>();
  m.written = all.at("written").get<std::string>();
  for (const auto& part : all.at("parts"))
    m.parts.push_back({part.at("process").get<int>(), part.at("bytes").get<std::uint64_t>(),
                       parse_hexadecimal(part.at("digest").get<std::string>())});
  return m;
}

/// True if a number is no integer. The library would convert it to one of any value.
bool has_fractions(const ordered_json& value) {
  if (value.is_structured()) return std::ranges::any_of(value, has_fractions);
  return value.is_number_float();
}

}  // namespace

std::string name_of_part(int process) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "part-%04d.icp", process);
  return text.data();
}

bool is_name_of_part(const std::string& name) { return name.starts_with("part-") && name.ends_with(".icp"); }

std::string to_json(const manifest& m) {
  ordered_json all = without_checksum(m);
  all["checksum"] = hexadecimal(checksum_of_json(all));
  return all.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

manifest parse_manifest(std::string_view json) {
  try {
    const auto all = ordered_json::parse(json);
    if (has_fractions(all))
      throw error(std::string("it is no manifest of a checkpoint: it has a number that is not whole") +
                  other_checkpoint);
    if (const auto format = all.at("format").get<std::uint64_t>(); format != detail::format_version)
      throw error("it has format " + std::to_string(format) + ", and this Imbrex reads format " +
                  std::to_string(detail::format_version) +
                  ": begin from it by the Imbrex that has written it");
    const manifest m = read_fields(all);
    if (to_json(m) != json)
      throw error(std::string("it is damaged: its checksum is another") + other_checkpoint);
    if (m.parts.empty()) throw error(std::string("it names no parts") + other_checkpoint);
    for (std::size_t i = 0; i < m.parts.size(); ++i)
      if (m.parts[i].process != static_cast<int>(i))
        throw error(std::string("its parts are not those of each process") + other_checkpoint);
    return m;
  } catch (const ordered_json::exception& what) {
    throw error(std::string("it is no manifest of a checkpoint: ") + what.what() + other_checkpoint);
  }
}

std::string date_and_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

}  // namespace imbrex::checkpoints
