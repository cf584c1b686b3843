// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/driver/restart_source.hpp>

#include <algorithm>
#include <array>
#include <iterator>

#include <imbrex/base/error.hpp>
#include <imbrex/serial/reader.hpp>

namespace imbrex::checkpoints::detail {

namespace {

constexpr std::array<const char*, 6> kinds{"dense", "sparse", "keyed", "group", "process group", "single"};
constexpr std::string_view digits = "0123456789abcdef";

std::string hexadecimal(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte b : bytes) {
    text += digits[std::to_integer<std::size_t>(b >> 4U)];
    text += digits[std::to_integer<std::size_t>(b & std::byte{15})];
  }
  return text;
}

std::vector<std::byte> bytes_of_hexadecimal(const std::string& text) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    const auto high = digits.find(text[i]), low = digits.find(text[i + 1]);
    if (high == digits.npos || low == digits.npos) return {};
    bytes.push_back(static_cast<std::byte>(high * 16 + low));
  }
  return bytes;
}

std::string attribute(const section_info& section, const std::string& name) {
  const auto at = section.attributes.find(name);
  return at == section.attributes.end() ? std::string() : at->second;
}

template <class T>
T value_of(std::span<const std::byte> bytes) {
  reader in(bytes);
  T value;
  in(value);
  in.finish();
  return value;
}

}  // namespace

std::map<std::string, std::string> attributes_of(const extension::saved_array& what) {
  std::map<std::string, std::string> all{{"kind", kinds.at(static_cast<std::size_t>(what.kind))},
                                         {"class", what.shown_class()},
                                         {"placement", what.placement},
                                         {"shape", hexadecimal(what.shape)}};
  if (!what.of.empty()) all["implementation"] = what.chare;
  return all;
}

extension::saved_array array_of(const section_info& section) {
  extension::saved_array what;
  const auto kind = std::ranges::find(kinds, attribute(section, "kind"));
  if (kind == kinds.end())
    throw imbrex::error("section " + section.name + " has the kind \"" + attribute(section, "kind") +
                        "\", which this version does not know");
  what.kind = static_cast<extension::array_kind>(kind - kinds.begin());
  what.name = section.name;
  const bool is_named = section.attributes.contains("implementation");
  what.chare = attribute(section, is_named ? "implementation" : "class");
  if (is_named) what.of = attribute(section, "class");
  what.placement = attribute(section, "placement");
  what.shape = bytes_of_hexadecimal(attribute(section, "shape"));
  return what;
}

restart_source::restart_source(const std::string& path) : chosen_(choose_checkpoint(path)) {
  const std::size_t count = chosen_.contents.parts.size();
  for (std::size_t p = 0; p < count; ++p)
    parts_.emplace_back(path_of_part(chosen_.path, static_cast<int>(p)));
  for (std::size_t p = 0; p < count; ++p) {
    read_tables(parts_[p]);
    const auto& sections = parts_[p].sections();
    for (std::size_t s = 0; s < sections.size(); ++s) {
      if (sections[s].kind == section_kind::value) continue;
      auto [at, is_new] = arrays_.try_emplace(sections[s].name);
      if (is_new) at->second.what = array_of(sections[s]);
      if (!sections[s].schema.name.empty()) at->second.schema = sections[s].schema;
      at->second.what.elements += parts_[p].records(s);
      at->second.sections.emplace_back(p, s);
    }
  }
}

void restart_source::read_tables(const part_reader& part) {
  part_tables& tables = tables_.emplace_back();
  const auto& sections = part.sections();
  for (std::size_t s = 0; s < sections.size(); ++s) {
    if (sections[s].kind != section_kind::value) continue;
    if (sections[s].name == section_of_tables)
      for (std::size_t r = 0; r < part.records(s); ++r) {
        auto its = value_of<tables_of_pe>(part.record(s, r));
        tables.of_pes.emplace(its.pe, std::move(its));
      }
    if (sections[s].name == section_of_origins)
      for (std::size_t r = 0; r < part.records(s); ++r) {
        const auto key = part.key(s, r);
        tables.origins.emplace(std::string(reinterpret_cast<const char*>(key.data()), key.size()),
                               value_of<record_origins>(part.record(s, r)));
      }
  }
}

const tables_of_pe& restart_source::tables_of(const std::string& array, std::size_t part,
                                              std::uint64_t record) const {
  const part_tables& tables = tables_[part];
  const auto origins = tables.origins.find(array);
  if (origins != tables.origins.end()) {
    const auto after =
        std::ranges::upper_bound(origins->second, record, {}, [](const auto& each) { return each.first; });
    if (after != origins->second.begin()) {
      const auto of_pe = tables.of_pes.find(std::prev(after)->second);
      if (of_pe != tables.of_pes.end()) return of_pe->second;
    }
  }
  throw imbrex::error(parts_[part].name() + " does not say which PE has written record " +
                      std::to_string(record) + " of " + array);
}

extension::saved_numbers restart_source::numbers(int pes) const {
  extension::saved_numbers all;
  for_each_table([&](const tables_of_pe& each) {
    for (const auto& [name, one] : each.singles) all.add_single(name, one);
    for (const saved_sections& its : each.sections)
      for (const std::uint64_t number : its.numbers) all.add_section(its.array, number);
  });
  all.number(pes);
  return all;
}

template <class Visitor>
void restart_source::for_each_value(Visitor visit) const {
  for (const part_reader& part : parts_) {
    const auto& sections = part.sections();
    for (std::size_t s = 0; s < sections.size(); ++s)
      if (sections[s].kind == section_kind::value && !is_section_of_runtime(sections[s].name) &&
          part.records(s) > 0)
        visit(sections[s], part.record(s, 0));
  }
}

std::map<std::string, saved_value> restart_source::values() const {
  std::map<std::string, saved_value> all;
  for_each_value([&](const section_info& its, std::span<const std::byte> bytes) {
    all.try_emplace(its.name, saved_value{its.schema, {bytes.begin(), bytes.end()}});
  });
  return all;
}

std::optional<saved_value> restart_source::find_value(std::string_view name) const {
  std::optional<saved_value> found;
  for_each_value([&](const section_info& its, std::span<const std::byte> bytes) {
    if (!found && its.name == name) found = saved_value{its.schema, {bytes.begin(), bytes.end()}};
  });
  return found;
}

}  // namespace imbrex::checkpoints::detail
